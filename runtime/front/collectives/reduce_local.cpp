// MPI_Reduce_local (MPI 4.1, 6.9.7): no message, but memory that messages may come into, and maybe a function of the program's.
#include "front/arguments.h"
#include "front/collectives/collective.h"
#include "front/handled.h"

#include <climits>

namespace stretto::front {

// With an operation of MPI's own nothing is used but the two buffers. A function of the program's may touch anything.
int Reduce_local(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype type, MPI_Op op) {
    if (is_programs_own(op))
        settle_everything(true);
    else if (progress::tasks) {
        settle(inbuf, count, type, false);
        settle(inoutbuf, count, type, true);
    }
    const Alone alone;
#ifdef STRETTO_HAS_LARGE_COUNT
    if (count > INT_MAX) return mpi::library.Reduce_local_c(inbuf, inoutbuf, count, type, op);
#endif
    return mpi::library.Reduce_local(inbuf, inoutbuf, static_cast<int>(count), type, op);
}

} // namespace stretto::front
