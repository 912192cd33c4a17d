// Exceptions that leave calls of MPI, out of functions of the program's that MPI calls (docs/safety.md). Prints OK.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include <vector>

namespace {

constexpr int many = 1 << 17;
int rank = 0, wrong = 0;

void throw_it(MPI_Comm *, int *, ...) {
    throw std::runtime_error("an error of MPI");
}

template <class Call>
void must_throw(Call call) {
    try {
        call();
        wrong++;
    } catch (const std::runtime_error &) {
    }
}

void exchange(std::vector<int> &data, int value) {
    if (rank == 0) {
        data.assign(many, value);
        MPI_Send(data.data(), many, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data.data(), many, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (const int one : data) wrong += one != value;
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(throw_it, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    std::vector<int> data(many), few(4);
    MPI_Request request = MPI_REQUEST_NULL;
    // A send of ours, a call that passes through, a collective, and what is truncated, which ours says itself.
    must_throw([&] { MPI_Send(data.data(), 1, MPI_INT, 1000, 0, MPI_COMM_WORLD); });
    exchange(data, 3);
    must_throw([&] { MPI_Isend(data.data(), many, MPI_INT, 1000, 0, MPI_COMM_WORLD, &request); });
    exchange(data, 4);
    must_throw([&] { MPI_Bcast(data.data(), many, MPI_INT, 1000, MPI_COMM_WORLD); });
    exchange(data, 5);
    if (rank == 0) MPI_Send(data.data(), many, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (rank == 1)
        must_throw([&] { MPI_Recv(data.data(), many / 2, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    exchange(data, 6);
    if (rank == 1) std::puts(wrong ? "wrong" : "OK");
    MPI_Finalize();
    return wrong != 0;
}
