#pragma once
#include "mpi/library.h"

#include <climits>

//! \brief The library's own calls for counts of any size: the int form where the count fits, else the large-count form.
namespace stretto::front::native {

#ifdef STRETTO_HAS_LARGE_COUNT
#define STRETTO_NATIVE(X, buf, count, ...)                                          \
    ((count) <= INT_MAX ? mpi::library.X(buf, static_cast<int>(count), __VA_ARGS__) \
                        : mpi::library.X##_c(buf, count, __VA_ARGS__))
#else
#define STRETTO_NATIVE(X, buf, count, ...) mpi::library.X(buf, static_cast<int>(count), __VA_ARGS__)
#endif

//! MPI 4.1, 3.4: the four communication modes.
enum class Mode { standard, buffered, synchronous, ready };

inline int send(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    switch (mode) {
    case Mode::buffered:
        return STRETTO_NATIVE(Bsend, buf, count, type, dest, tag, comm);
    case Mode::synchronous:
        return STRETTO_NATIVE(Ssend, buf, count, type, dest, tag, comm);
    case Mode::ready:
        return STRETTO_NATIVE(Rsend, buf, count, type, dest, tag, comm);
    case Mode::standard:
        break;
    }
    return STRETTO_NATIVE(Send, buf, count, type, dest, tag, comm);
}

inline int isend(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                 MPI_Request *request) {
    switch (mode) {
    case Mode::buffered:
        return STRETTO_NATIVE(Ibsend, buf, count, type, dest, tag, comm, request);
    case Mode::synchronous:
        return STRETTO_NATIVE(Issend, buf, count, type, dest, tag, comm, request);
    case Mode::ready:
        return STRETTO_NATIVE(Irsend, buf, count, type, dest, tag, comm, request);
    case Mode::standard:
        break;
    }
    return STRETTO_NATIVE(Isend, buf, count, type, dest, tag, comm, request);
}

inline int send_init(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                     MPI_Request *request) {
    switch (mode) {
    case Mode::buffered:
        return STRETTO_NATIVE(Bsend_init, buf, count, type, dest, tag, comm, request);
    case Mode::synchronous:
        return STRETTO_NATIVE(Ssend_init, buf, count, type, dest, tag, comm, request);
    case Mode::ready:
        return STRETTO_NATIVE(Rsend_init, buf, count, type, dest, tag, comm, request);
    case Mode::standard:
        break;
    }
    return STRETTO_NATIVE(Send_init, buf, count, type, dest, tag, comm, request);
}

inline int recv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return STRETTO_NATIVE(Recv, buf, count, type, source, tag, comm, status);
}

inline int irecv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request *request) {
    return STRETTO_NATIVE(Irecv, buf, count, type, source, tag, comm, request);
}

inline int recv_init(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request *request) {
    return STRETTO_NATIVE(Recv_init, buf, count, type, source, tag, comm, request);
}

inline int mrecv(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    return STRETTO_NATIVE(Mrecv, buf, count, type, message, status);
}

inline int imrecv(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    return STRETTO_NATIVE(Imrecv, buf, count, type, message, request);
}

inline int sendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                    MPI_Status *status) {
#ifdef STRETTO_HAS_LARGE_COUNT
    if (sendcount > INT_MAX || recvcount > INT_MAX)
        return mpi::library.Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                       source, recvtag, comm, status);
#endif
    return mpi::library.Sendrecv(sendbuf, static_cast<int>(sendcount), sendtype, dest, sendtag, recvbuf,
                                 static_cast<int>(recvcount), recvtype, source, recvtag, comm, status);
}

} // namespace stretto::front::native
