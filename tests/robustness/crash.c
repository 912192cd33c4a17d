/* Rank 1 crashes while a message still comes into memory of its own; rank 0 sends the rest late.
 *
 *     crash HOW      null: it writes where no memory is; own: so it does, with a handler of its own that says "handled"; abort; sent: by raise() */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 1 << 19 };

static void handled(int number) {
    (void)number;
    static const char text[] = "handled\n";
    if (write(1, text, sizeof text - 1) < 0) _exit(4);
    _exit(3);
}

static void crash(const char *how) {
    volatile char *const nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(how, "own") == 0) signal(SIGSEGV, handled);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "sent") == 0) raise(SIGBUS);
    *nothing = 1;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *block = aligned_alloc(4096, BYTES);
    memset(block, 1, BYTES);
    if (rank == 0) {
        MPI_Isend(block, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        sleep(1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Recv(block, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        puts("crashes"), fflush(stdout);
        crash(argc > 1 ? argv[1] : "null");
        puts("went on"), fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
