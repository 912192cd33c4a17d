#include "mpi/requests.h"

namespace stretto::mpi {

namespace {

constinit std::vector<MPI_Request> pool;

} // namespace

MPI_Request ticket() {
    if (pool.empty()) {
        MPI_Request request;
        library.Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
        return request;
    }
    MPI_Request request = pool.back();
    pool.pop_back();
    return request;
}

void give_back(MPI_Request ticket) {
    pool.push_back(ticket);
}

void free_tickets() {
    for (MPI_Request &request : pool) library.Request_free(&request);
    pool.clear();
}

} // namespace stretto::mpi
