#pragma once
#include <memory>

namespace stretto::front {

struct Asked;
class Scheduled;

//! Is this blocking collective ours, as far as has been learnt? All its ranks choose alike: now and then they tell each other what they measured,
//! which waits for all of them, as a collective may (MPI 4.1, 6.1). Not under the lock.
bool is_quicker(const Asked &asked);

//! MPI_X, of a collective that is ours: returns when the program may run on. Not under the lock.
int carry_out(std::unique_ptr<Scheduled> collective);

} // namespace stretto::front
