#include "transport/two_sided.h"

#include <vector>

namespace stretto::transport {

void discard() {
    for (;;) {
        int flag = 0, bytes = 0;
        MPI_Message message;
        MPI_Status status;
        mpi::library.Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi::job.deltas, &flag, &message, &status);
        if (!flag) return;
        mpi::library.Get_count(&status, MPI_BYTE, &bytes);
        std::vector<std::byte> nowhere(static_cast<std::size_t>(bytes));
        mpi::library.Mrecv(nowhere.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
}

} // namespace stretto::transport
