// clang-format off
// What `stretto annotate` leaves as it is in C++, and what it says of it.
#include <mpi.h>
#include <vector>

template <class T>
void templates(T *b, int n) {
    for (int i = 0; i < n; ++i) b[i] = i;
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the call is of a form that cannot be changed for certain
}
template void templates<double>(double *, int);

void ranges(std::vector<double> &b) {
    double x = 0;
    for (double &v : b) v = x += 0.25;
    MPI_Send(b.data(), int(b.size()), MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop is of a form that cannot be changed for certain (line 15)
}

void lambdas(double *b, int n) {
    auto fill = [=] {
        for (int i = 0; i < n; ++i) b[i] = i;
    };
    fill();
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the loop and the call are not statements of one block
}

void thrown(double *b, int n) {
    for (int i = 0; i < n; ++i) {
        if (i > 1000000) throw i;
        b[i] = i;
    }
    MPI_Send(b, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // LEFT: the call is conditional: the loop may run without it (line 28); test the condition before the loop
}
