/* Runs random programs in turn: driver LOG [NUMBER ...]. Each rank writes LOG.<rank>: "begin N", what it saw, "end N". */
#include "fuzz.h"

#include <stdio.h>
#include <time.h>

struct program {
    int number;
    void (*run)(int rank, int size);
};
extern struct program fuzz_programs[]; /* the last has no run */

unsigned char fuzz_table[65536];
MPI_Comm fuzz_comm;
static FILE *out;

int fuzz_int(int value) {
    return value;
}
int fuzz_int_(int *value) {
    return *value;
}
void fuzz_work(void *memory) {
    (void)memory;
}
void fuzz_work_(void *memory) {
    (void)memory;
}
void fuzz_nap(int microseconds) {
    nanosleep(&(struct timespec){0, microseconds * 1000L}, NULL);
}
void fuzz_nap_(int *microseconds) {
    fuzz_nap(*microseconds);
}
int fuzz_table_(int *at) {
    return fuzz_table[*at & 65535];
}

void fuzz_note(int step, double value) {
    fprintf(out, "%d %a\n", step, value);
}
void fuzz_note_(int *step, double *value) {
    fuzz_note(*step, *value);
}
void fuzz_note_int(int step, unsigned long value) {
    fprintf(out, "%d %lu\n", step, value);
}
void fuzz_note_int_(int *step, int *value) {
    fprintf(out, "%d %d\n", *step, *value);
}
void fuzz_note_array(const char *name, const void *memory, size_t bytes) {
    const unsigned char *at = memory;
    unsigned long hash = 14695981039346656037UL;
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 1099511628211UL;
    fprintf(out, "%s %016lx", name, hash);
    size_t part = bytes / 8 ? bytes / 8 : 1; /* so that a difference tells where */
    for (size_t begin = 0; begin < bytes; begin += part) {
        unsigned sum = 0;
        for (size_t i = begin; i < bytes && i < begin + part; ++i) sum = sum * 31 + at[i];
        fprintf(out, " %04x", sum & 0xffff);
    }
    fprintf(out, "\n");
}
void fuzz_note_array_(int *step, const void *memory, int *bytes) {
    char name[20];
    snprintf(name, sizeof name, "array%d", *step);
    fuzz_note_array(name, memory, (size_t)*bytes);
}

#ifdef FUZZ_FORTRAN
static void run(const struct program *one, int rank, int size) {
    ((void (*)(const int *, const int *))one->run)(&rank, &size);
}
#else
static void run(const struct program *one, int rank, int size) {
    one->run(rank, size);
}
#endif

static void run_all(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &fuzz_comm);
    for (unsigned i = 0; i < 65536; ++i) fuzz_table[i] = (unsigned char)((i * 2654435761u >> 13) & 255);
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    out = fopen(name, "w");
    if (!out) MPI_Abort(MPI_COMM_WORLD, 1);
    for (struct program *one = fuzz_programs; one->run; ++one) {
        int wanted = argc <= 2;
        for (int i = 2; i < argc; ++i) wanted |= atoi(argv[i]) == one->number;
        if (!wanted) continue;
        fprintf(out, "begin %d\n", one->number);
        fflush(out);
        run(one, rank, size);
        fprintf(out, "end %d\n", one->number);
        fflush(out);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fclose(out);
    MPI_Comm_free(&fuzz_comm);
    MPI_Finalize();
}

#ifdef FUZZ_FORTRAN
/* A Fortran program calls us, and its arguments are in the system's list. */
void fuzz_main_f_(void) {
    static char text[1 << 20], *words[4096];
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    int count = 0;
    for (size_t at = 0; at < length && count < 4095; at += strlen(text + at) + 1) words[count++] = text + at;
    if (file) fclose(file);
    run_all(count, words);
}
#else
int main(int argc, char **argv) {
    run_all(argc, argv);
    return 0;
}
#endif
