/* Two ranks send each other what loops have filled, and read it by loops: each function is a shape that `stretto annotate` changes.
 * Rank 0 prints what came. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 6000, ROWS = 40, COLUMNS = 300 };

static int rank, other;

static void show(const char *what, double sum) {
    if (rank == 0) printf("%s %.17g\n", what, sum);
}

static double sum_of(const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += b[i] * (1 + i % 7);
    return sum;
}

/* One counter upwards, and a blocking receive that is read upwards. */
static void upwards(double *b, int n) {
    if (rank == 1) {
        for (int i = 0; i < n; i++) {
            if (i % 3 == 1) continue;
            b[i] = sqrt(i);
        }
        MPI_Send(b, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    } else {
        double sum = 0;
        MPI_Recv(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i <= n - 1; ++i) sum += b[i] * i;
        show("upwards", sum);
    }
}

/* Downwards; the counter is declared before the loop and used behind it. */
__attribute__((noinline)) static void downwards(double *b, int n) {
    int i;
    if (rank == 1) {
        for (i = n - 1; i >= 0; i--) b[i] = i * 0.25;
        MPI_Send(&b[0], n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        if (i != -1) MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        double sum = 0;
        MPI_Status status;
        MPI_Recv(b, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &status);
        for (i = n; i > 0; i--) sum = sum * 0.5 + b[i - 1];
        show("downwards", sum + status.MPI_TAG + i);
    }
}

/* Rows of a length that is known at run time only. */
static void by_rows(double *u, long rows, long columns) {
    if (rank == 1) {
        for (long i = 0; i < rows; i++)
            for (long j = 0; j < columns; j++) u[i * columns + j] = i + 0.5 * j;
        MPI_Send(u, rows * columns, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
    } else {
        double sum = 0;
        MPI_Recv(u, rows * columns, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < rows; i++) {
            double row = 0;
            for (long j = 1; j < columns - 1; j++) row += u[i * columns + j];
            if (row < 0) continue;
            sum += row / (i + 1);
        }
        show("by_rows", sum);
    }
}

/* An array of two dimensions, and one of structures. */
static double grid[ROWS][COLUMNS];
static struct point { double x, y; } points[N];

static void arrays(void) {
    if (rank == 1) {
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) grid[i][j] = i * j;
        MPI_Send(grid, ROWS * COLUMNS, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++) {
            points[i].x = i;
            points[i].y = -i;
        }
        MPI_Send(points, 2 * N, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
    } else {
        double sum = 0;
        MPI_Recv(grid, ROWS * COLUMNS, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) sum += grid[i][j] / (1 + j);
        MPI_Recv(points, 2 * N, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) sum += points[i].x * 3 + points[i].y;
        show("arrays", sum);
    }
}

/* One loop fills two messages, to be told apart by their tags; a non-blocking send; a neighbourhood is read. */
static void two_messages(double *restrict b, float *restrict c, int n) {
    MPI_Request request;
    if (rank == 1) {
        for (int i = 0; i < n; i += 2) {
            b[i] = i;
            b[i + 1] = i * 0.5;
        }
        MPI_Isend(b, n + 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++) {
            b[i] = sqrt(i);
            c[i] = (float)i;
        }
        MPI_Send(b, n, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
        MPI_Send(c, n * sizeof(float), MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    } else {
        double sum = 0;
        MPI_Recv(b, n + 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i < n - 1; i++) sum += b[i - 1] - 2 * b[i] + 3 * b[i + 1];
        MPI_Recv(b, n, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(c, n, MPI_FLOAT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++) sum += b[i] * c[i];
        show("two_messages", sum);
    }
}

/* Receive, compute, send. */
static void stage(double *restrict in, double *restrict out, int n) {
    if (rank == 0) {
        for (int i = 0; i < n; i++) out[i] = 1.0 / (1 + i);
        MPI_Send(out, n, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
        MPI_Recv(in, n, MPI_DOUBLE, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show("stage", sum_of(in, n));
    } else {
        MPI_Recv(in, n, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++) out[i] = sqrt(in[i]) + i;
        MPI_Send(out, n, MPI_DOUBLE, 0, 10, MPI_COMM_WORLD);
    }
}

/* The same in one array. */
static void in_place(double *restrict b, int n) {
    if (rank == 0) {
        for (int i = 0; i < n; i++) b[i] = 1.0 / (2 + i);
        MPI_Send(b, n, MPI_DOUBLE, 1, 11, MPI_COMM_WORLD);
        MPI_Recv(b, n, MPI_DOUBLE, 1, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show("in_place", sum_of(b, n));
    } else {
        MPI_Recv(b, n, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++) b[i] += i;
        MPI_Send(b, n, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD);
    }
}

/* Three values each, copied: LLVM would make one call of it. */
static void triples(double (*restrict a)[3], double (*restrict b)[3], int n) {
    if (rank == 1) {
        for (int i = 0; i < n; i++)
            for (int m = 0; m < 3; m++) a[i][m] = i * 0.125 - m;
        MPI_Send(a, 3 * n, MPI_DOUBLE, 0, 13, MPI_COMM_WORLD);
    } else {
        MPI_Recv(b, 3 * n, MPI_DOUBLE, 1, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            for (int m = 0; m < 3; m++) a[i][m] = b[i][m];
        show("triples", sum_of(a[0], 3 * n));
    }
}

int main(int argc, char **argv) {
    double *b = calloc(N + 2, sizeof *b), *c = calloc(N + 2, sizeof *c);
    float *f = calloc(N, sizeof *f);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int turn = 0; turn < 3; turn++) {
        upwards(b, N);
        upwards(b, turn);
        downwards(b, N - turn);
        downwards(b, 0);
        by_rows(b, 15 + turn, 350);
        arrays();
        two_messages(b, f, N - 2);
        stage(b, c, N);
        in_place(b, N - turn);
        triples((double(*)[3])b, (double(*)[3])c, N / 3);
    }
    MPI_Finalize();
    return 0;
}
