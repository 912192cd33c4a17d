// clang-format off
/* What `stretto annotate` leaves as it is, and what it says of it. */
#include <mpi.h>
#include <stdlib.h>

#define EACH(i, n) for (int i = 0; i < n; i++)
#define CHECK(call) \
    if ((call) != MPI_SUCCESS) abort()

void loop_of_a_macro(double *b, int n) {
    EACH(i, n) b[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop comes from a macro (line 11)
}

void call_of_a_macro(double *b, int n) {
    for (int i = 0; i < n; i++) b[i] = i;
    CHECK(MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD)); // LEFT: the call comes from a macro
}

int result_used(double *b, int n) {
    for (int i = 0; i < n; i++) b[i] = i;
    int error = MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the call is a part of another statement
    return error;
}

void left_early(double *restrict b, const double *restrict a, int n) {
    for (int i = 0; i < n; i++) {
        b[i] = a[i];
        if (a[i] < 0) break;
    }
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop has a break (line 29)
}

void unsigned_counter(double *b, unsigned n) {
    for (unsigned i = 0; i < n; i++) b[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: its counter is unsigned int, and may wrap round (line 35)
}

void behind_one_that_stays(double *restrict b, double *restrict c, int n, int m, int one, int other) {
    for (int i = 0; i < n; i++) {
        b[i] = i;
        c[i] = -i;
    }
    MPI_Send(b, m, MPI_DOUBLE, one, 1, MPI_COMM_WORLD);   // LEFT: the loop may reach beyond the message: its end and the message's count cannot be compared
    MPI_Send(c, n, MPI_DOUBLE, other, 2, MPI_COMM_WORLD); // LEFT: a call that it would have to pass stays as it is
}

void tag_of_the_loop(double *b, int n) {
    int i;
    for (i = 0; i < n; i++) b[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, i, MPI_COMM_WORLD); // LEFT: i may change between the loop and the call (line 50)
}

void declared_between(double *b, int n, int rank) {
    for (int i = 0; i < n; i++) b[i] = i;
    int dest = rank + 1;
    MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // LEFT: dest is declared between the loop and the call
}

void on_a_condition(double *b, int n, int dest) {
    for (int i = 0; i < n; i++) b[i] = i;
    if (dest >= 0) MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD); // LEFT: it is sent under a condition only: test that before the loop
}

void two_arrays(double *b, double *c, int n) {
    for (int i = 0; i < n; i++) {
        b[i] = i;
        c[i] = -i;
    }
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: arrays may overlap, which only a compiled program compares: declare the pointers restrict
}

void sweeps(double *restrict b, const double *restrict a, int n, int m) {
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++) b[i] += a[k * n + i];
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: it begins in the last sweep of several, which has no form in the source
}

void conditional_text(double *b, int n) {
    for (int i = 0; i < n; i++) {
#ifdef NEGATIVE
        b[i] = -i;
#else
        b[i] = i;
#endif
    }
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: there is an #if, or something like it, between the loop and the call
}

void other_length(double *b, int n, int m) {
    for (int i = 0; i < n; i++) b[i] = i;
    MPI_Send(b, m, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop may reach beyond the message: its end and the message's count cannot be compared
}

void not_a_for(double *b, int n) {
    int i = 0;
    while (i < n) {
        b[i] = i;
        i++;
    }
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop is of a form that cannot be changed for certain (line 97)
}

void by_another_name(double *b, int n) {
    double *to = b;
    for (int i = 0; i < n; i++) to[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop does not name the message
}

void on_an_invariant(double *restrict b, const double *restrict a, int n, int backwards) {
    for (int i = 0; i < n; i++) {
        if (backwards)
            b[n - 1 - i] = a[i];
        else
            b[i] = a[i];
    }
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: *
}

static inline void helper(double *b, double *other, int n) {
    for (int i = 0; i < n; i++) b[i] = i;
    *other = 0;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: its function is used where it cannot be done, too
}

void inlined_well(double *restrict b, double *restrict other, int n) {
    helper(b, other, n);
}

void inlined_badly(double *b, int n) {
    helper(b, b + 3, n);
}

void written_again(double *b, int n) {
    for (int i = 0; i < n; i++) b[i] = i;
    b[0] = 1;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the message is written again after the loop (line 136); write that part before the loop
}

double read_before(double *b, int n) {
    double sum = 0;
    MPI_Recv(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // LEFT: the message is read outside of the loop, too (line 143)
    sum = b[n / 2];
    for (int i = 0; i < n; i++) sum += b[i];
    return sum;
}

int tag;
static double next(void) {
    static double x;
    tag = 3;
    return x += 0.5;
}
void changed_by_a_function(double *b, int n) {
    for (int i = 0; i < n; i++) b[i] = next();
    MPI_Send(b, n, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD); // LEFT: next may change tag (line 155)
}

void hidden_name(double *b, long rows, long columns) {
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < columns; j++) b[i * columns + j] = i;
        { long columns = 3; (void)columns; }
    }
    MPI_Send(b, rows * columns, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: a declaration in the loop hides columns (line 162)
}

void threads(double *b, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) b[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: its function has pragmas for threads or devices
}

void unrolled(double *b, int n) {
#pragma GCC unroll 4
    for (int i = 0; i < n; i++) b[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop and the call are not statements of one block
}

double broadcast(double *b, int n, int root) {
    double sum = 0;
    MPI_Bcast(b, n, MPI_DOUBLE, root, MPI_COMM_WORLD); // LEFT: only MPI_Send, MPI_Isend and MPI_Recv are annotated; Stretto's compiler does it
    for (int i = 0; i < n; i++) sum += b[i];
    return sum;
}

double waited_for(double *b, int n, int source) {
    MPI_Request request;
    double sum = 0;
    MPI_Irecv(b, n, MPI_DOUBLE, source, 1, MPI_COMM_WORLD, &request); // LEFT: only MPI_Send, MPI_Isend and MPI_Recv are annotated; Stretto's compiler does it
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++) sum += b[i];
    return sum;
}

double exchanged(double *restrict a, double *restrict b, int n, int peer) {
    double sum = 0;
    for (int i = 0; i < n; i++) a[i] = i;
    MPI_Sendrecv(a, n, MPI_DOUBLE, peer, 1, b, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // LEFT: *
    for (int i = 0; i < n; i++) sum += b[i];
    return sum;
}

void at_the_top(double *restrict b, int n, int steps, int peer) {
    for (int step = 0; step < steps; step++) {
        MPI_Send(b, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD); // LEFT: it starts in the turn before: exchange at the bottom of the loop, and once in front of it
        for (int i = 0; i < n; i++) b[i] = i * step;
    }
}
