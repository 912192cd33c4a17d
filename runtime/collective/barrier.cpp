// MPI_Barrier, MPI_Ibarrier (MPI 4.1, 6.3, 6.12.1).
#include "collective/collective.h"

namespace stretto::collective::barrier {

// Hensgen, Finkel, Manber (1988): in round k every rank tells the one 2^k further on, and hears from the one as far behind.
schedule::Schedule dissemination(const Arguments &call) {
    schedule::Builder build;
    build.lane(0);
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        build.receive({}, 0, call.after(-distance));
        build.send({}, 0, call.after(distance));
        build.round();
    }
    return build.finish();
}

} // namespace stretto::collective::barrier
