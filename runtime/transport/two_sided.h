#pragma once
#include "mpi/job.h"
#include "mpi/library.h"
#include "trace/report.h"

#include <cstddef>
#include <cstdint>

//! \brief How a delta travels: two-sided, on the private communicator, by the tag that its message's sender chose.
namespace stretto::transport {

//! Bytes. Libraries move data only when they are called, and sockets hold little: an end that computes on more than this without
//! a call lets the wire stand still.
inline constexpr std::size_t between_polls = 8192;

//! Returns the library's error; then nothing is under way. It belongs to the operation that the delta is of.
[[nodiscard]] inline int send(const void *data, std::size_t bytes, int peer, std::uint32_t tag, MPI_Request &request) {
    const report::InLibrary not_ours;
    const int error = mpi::library.Isend(const_cast<void *>(data), static_cast<int>(bytes), MPI_BYTE, peer,
                                         static_cast<int>(tag), mpi::job.deltas, &request);
    if (error != MPI_SUCCESS) [[unlikely]]
        request = MPI_REQUEST_NULL;
    return error;
}

//! The same of a receive.
[[nodiscard]] inline int receive(void *data, std::size_t bytes, int peer, std::uint32_t tag, MPI_Request &request) {
    const report::InLibrary not_ours;
    const int error = mpi::library.Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, static_cast<int>(tag),
                                         mpi::job.deltas, &request);
    if (error != MPI_SUCCESS) [[unlikely]]
        request = MPI_REQUEST_NULL;
    return error;
}

enum class State { under_way, complete, lost };

//! Has it? Lost: the library says that the peer is gone.
inline State look(MPI_Request &request) {
    int done = 0;
    const report::InLibrary not_ours;
    if (mpi::library.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return State::lost;
    return done ? State::complete : State::under_way;
}

//! The same for a receive; how many bytes have come is told where that is asked.
inline State look(MPI_Request &request, std::size_t &bytes) {
    int done = 0, n = 0;
    MPI_Status status;
    const report::InLibrary not_ours;
    if (mpi::library.Test(&request, &done, &status) != MPI_SUCCESS) return State::lost;
    if (!done) return State::under_way;
    mpi::library.Get_count(&status, MPI_BYTE, &n);
    bytes = static_cast<std::size_t>(n);
    return State::complete;
}

//! Take back a receive that nothing will be sent to; returns when the library has forgotten it.
inline void withdraw(MPI_Request &request) {
    mpi::library.Cancel(&request);
    mpi::library.Wait(&request, MPI_STATUS_IGNORE);
}

//! Words of the runtime to itself: receive each T that has come with this tag on a communicator of ours, and call take(its sender, it).
template <class T, class Take>
void take_in(MPI_Comm ours, int tag, Take take) {
    for (;;) {
        int some = 0;
        MPI_Status status;
        mpi::library.Iprobe(MPI_ANY_SOURCE, tag, ours, &some, &status);
        if (!some) return;
        T one;
        mpi::library.Recv(&one, sizeof one, MPI_BYTE, status.MPI_SOURCE, tag, ours, MPI_STATUS_IGNORE);
        take(status.MPI_SOURCE, one);
    }
}

//! Receive what has come and no receive was posted for, into nowhere.
void discard();

} // namespace stretto::transport
