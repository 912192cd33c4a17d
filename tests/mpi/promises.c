/* Runs the promises of one executable: all, or those named.
 *
 *     promises [--level funneled|serialized|multiple] [NAME...]       none: only what MPI_Init says
 *     promises --list
 *
 * Prints "begin NAME" and "ok NAME" or "broken NAME"; a check that fails says where. Exit status: was any broken? */
#include "promise.h"
#include <stdarg.h>

int rank, ranks, thread_level = MPI_THREAD_SINGLE;
unsigned char *out, *in;

static struct promise {
    const char *name;
    void (*body)(void);
} promises[400];
static int known, broken_here;

void promise_add(const char *name, void (*body)(void)) {
    if (known == sizeof promises / sizeof *promises) fprintf(stderr, "promises: more than %d\n", known), exit(2);
    promises[known++] = (struct promise){name, body};
}

void promise_check(int good, const char *file, int line, const char *what) {
    if (good) return;
    const char *short_name = strrchr(file, '/');
    printf("    rank %d: %s:%d: not so: %s\n", rank, short_name ? short_name + 1 : file, line, what);
    fflush(stdout);
    __atomic_fetch_add(&broken_here, 1, __ATOMIC_RELAXED);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct promise *)a)->name, ((const struct promise *)b)->name);
}

static int wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return count == 0;
}

static int is_known(const char *name) {
    for (int i = 0; i < known; i++)
        if (strcmp(promises[i].name, name) == 0) return 1;
    return strcmp(name, "none") == 0;
}

int main(int argc, char **argv) {
    int first = 1, provided = -1, all_broken = 0;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < known; i++) puts(promises[i].name);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--level") == 0) {
        thread_level = strcmp(argv[2], "multiple") == 0     ? MPI_THREAD_MULTIPLE
                       : strcmp(argv[2], "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                            : MPI_THREAD_FUNNELED;
        first = 3;
        MPI_Init_thread(&argc, &argv, thread_level, &provided);
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int queried = -1;
    MPI_Query_thread(&queried);
    if (rank == 0) printf("provided %d, Query_thread %d\n", provided, queried);
    if (ranks < 2) return fprintf(stderr, "promises: at least two ranks\n"), MPI_Abort(MPI_COMM_WORLD, 2), 2;
    for (int i = first; i < argc; i++)
        if (!is_known(argv[i])) {
            if (rank == 0) fprintf(stderr, "promises: no promise is called %s (--list shows all)\n", argv[i]);
            return MPI_Finalize(), 2;
        }
    out = malloc(LARGEST + 4096);
    in = malloc(LARGEST + 4096);
    qsort(promises, known, sizeof *promises, by_name); /* the linker's order may differ from rank to rank */
    for (int i = 0; i < known; i++) {
        if (!wanted(promises[i].name, argc - first, argv + first)) continue;
        if (rank == 0) printf("begin %s\n", promises[i].name), fflush(stdout);
        broken_here = 0;
        double begin = MPI_Wtime();
        promises[i].body();
        int broken = 0;
        MPI_Allreduce(&broken_here, &broken, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        all_broken += broken > 0;
        if (rank == 0) {
            printf("%s %s (%.0f ms)\n", broken ? "broken" : "ok", promises[i].name, (MPI_Wtime() - begin) * 1e3);
            fflush(stdout);
        }
    }
    free(out);
    free(in);
    MPI_Finalize();
    return all_broken > 0;
}
