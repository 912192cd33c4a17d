/* STREAM's four kernels of arrays of `Element`, of a type that is known as `NAMED(kernel)`: included once for each type (stream.c). A turn
 * of a kernel begins with EXCHANGE(array that it reads, array that it writes). */
static void NAMED(copy)(int turns, int n, int sent, int other, Element s, Element *restrict a, Element *restrict b,
                        Element *restrict c) {
    (void)s, (void)b;
    BEGIN
    for (int turn = 0; turn < turns; turn++) {
        EXCHANGE(a, c)
        for (int j = 0; j < n; j++) c[j] = a[j];
    }
    END
}

static void NAMED(scale)(int turns, int n, int sent, int other, Element s, Element *restrict a, Element *restrict b,
                         Element *restrict c) {
    (void)a;
    BEGIN
    for (int turn = 0; turn < turns; turn++) {
        EXCHANGE(c, b)
        for (int j = 0; j < n; j++) b[j] = s * c[j];
    }
    END
}

static void NAMED(add)(int turns, int n, int sent, int other, Element s, Element *restrict a, Element *restrict b,
                       Element *restrict c) {
    (void)s;
    BEGIN
    for (int turn = 0; turn < turns; turn++) {
        EXCHANGE(a, c)
        for (int j = 0; j < n; j++) c[j] = a[j] + b[j];
    }
    END
}

static void NAMED(triad)(int turns, int n, int sent, int other, Element s, Element *restrict a, Element *restrict b,
                         Element *restrict c) {
    BEGIN
    for (int turn = 0; turn < turns; turn++) {
        EXCHANGE(b, a)
        for (int j = 0; j < n; j++) a[j] = b[j] + s * c[j];
    }
    END
}

/* Of each kernel the slowest rank's seconds of a turn, and a checksum of all arrays of this rank. */
static void NAMED(run)(int turns, int n, int sent, int rank, int ranks) {
    typedef void kernel(int, int, int, int, Element, Element *restrict, Element *restrict, Element *restrict);
    static kernel *const kernels[] = {NAMED(copy), NAMED(scale), NAMED(add), NAMED(triad)};
    const size_t bytes = sizeof(Element) * (size_t)n;
    const volatile Element minus_one =
        (Element)-1; /* so that nothing grows from turn to turn, and the compiler does not know it */
    const Element s = minus_one;
    Element *all[3];
    const int other = ranks > 1 ? rank ^ 1 : MPI_PROC_NULL;
    for (int k = 0; k < 3; k++)
        if (!(all[k] = malloc(bytes))) MPI_Abort(MPI_COMM_WORLD, 3);
    for (int k = 0; k < 4; k++) {
        for (int of = 0; of < 3; of++)
            for (int j = 0; j < n; j++) all[of][j] = (Element)(of + j % 7 + rank);
        kernels[k](2, n, sent, other, s, all[0], all[1], all[2]); /* connections, and what is learnt */
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        kernels[k](turns, n, sent, other, s, all[0], all[1], all[2]);
        const double seconds = (MPI_Wtime() - begin) / turns;
        double longest = 0;
        MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        uint64_t sum = 0;
        for (int of = 0; of < 3; of++) sum = sum * 31 + checksum(all[of], bytes);
        if (rank == 0) print_case(longest, sum);
    }
    for (int k = 0; k < 3; k++) free(all[k]);
}
