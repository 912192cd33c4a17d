/* job what [variable [file]]: ranks exchange, add up, and rank 0 prints the sum, and writes it to a file.
 * what: "sum" no more; "time" prints a clock as well; "differ", "fail" and "hang", where the environment has the variable. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1 << 15 };

static double exchanged(int rank, int ranks) {
    static double out[COUNT], in[COUNT];
    double sum = 0;
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < COUNT; i++) out[i] = rank + step + i;
        MPI_Sendrecv(out, COUNT, MPI_DOUBLE, (rank + 1) % ranks, 0, in, COUNT, MPI_DOUBLE, (rank + ranks - 1) % ranks,
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < COUNT; i++) sum += in[i];
    }
    double total;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return total;
}

static void print(FILE *file, const char *what, int wrong, double total) {
    fprintf(file, "sum %.0f\n", total + (wrong && !strcmp(what, "differ")));
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (!strcmp(what, "time")) fprintf(file, "time %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
}

int main(int argc, char **argv) {
    const char *what = argv[1];
    const int wrong = argc > 2 && getenv(argv[2]);
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double total = exchanged(rank, ranks);
    while (wrong && !strcmp(what, "hang")) pause();
    if (rank == 0) print(stdout, what, wrong, total);
    if (rank == 0 && argc > 3) {
        FILE *file = fopen(argv[3], "w");
        print(file, what, wrong, total);
        fclose(file);
    }
    MPI_Finalize();
    return wrong && !strcmp(what, "fail") ? 3 : 0;
}
