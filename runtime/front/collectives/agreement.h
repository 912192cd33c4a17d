// Do all ranks of a communicator ask for the same collective? With STRETTO_DEBUG=1 (mpi::Job::compares) they tell each other what they ask
// for, and compare (docs/collectives.md, When ranks do not agree).
#pragma once
#include "front/collectives/collective.h"

#include <functional>
#include <memory>

namespace stretto::front {

//! \brief Tell the others what is asked for. Waits for what they say where the call may wait for them; else that comes by and by, and the
//! collective is complete only then: see take_agreement(). False: it is the library's, and has come here only for this.
bool agree(const Asked &asked, const Begins &begins);

//! \brief On one call: complete once all have said that they ask for the same.
class Agreement : public Collective {
public:
    //! Has this one said so? Under the lock.
    virtual bool with(int rank) const = 0;
};

//! Of the call that this thread is in; nothing, if it has been waited for, or nobody compares.
std::unique_ptr<Agreement> take_agreement();

//! The library begins what it was left (MPI_Ix), on this communicator: the program's request stands for that and for the agreement, and
//! what the library has to say of a collective that ranks do not agree on is not heard.
int begin_compared(MPI_Comm comm, MPI_Request *request, const std::function<int()> &native);

} // namespace stretto::front
