#pragma once

namespace stretto::front {

struct Asked;

//! Is this collective ours, as far as has been learnt (tune/trial.h)? All its ranks choose alike: now and then they tell each other what they measured.
//! A blocking one waits for all of them then, as a collective may (MPI 4.1, 6.1). One that does not block waits for nobody; those whose
//! completion does not tell that all ranks have begun them are ours without a trial. Not under the lock.
bool is_quicker(const Asked &asked);

} // namespace stretto::front
