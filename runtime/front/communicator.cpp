// The end of a communicator (MPI 4.1, 7.4.3 and 11.10.4; docs/protocol, rule 17).
#include "mpi/communicator.h"
#include "front/enter.h"
#include "front/handled.h"
#include "message/probed.h"

namespace stretto::front {

namespace {

// What a peer waits for in this call was handed over; the handle may come again for another communicator.
void part(MPI_Comm *comm) {
    progress::Guard guard;
    enter();
    progress::hand_over();
    if (*comm == MPI_COMM_NULL) return;
    message::probed::forget(*mpi::communicator(*comm));
    mpi::forget(*comm);
}

} // namespace

int Comm_free(MPI_Comm *comm) {
    part(comm);
    return mpi::library.Comm_free(comm);
}

int Comm_disconnect(MPI_Comm *comm) {
    // It waits for this communicator's messages, and the deltas of framed ones are elsewhere: those first.
    const mpi::Communicator *mine = *comm == MPI_COMM_NULL ? nullptr : mpi::communicator(*comm).get();
    if (mine) progress::until([&] { return !progress::unfinished(mine); });
    part(comm);
    return mpi::library.Comm_disconnect(comm);
}

} // namespace stretto::front
