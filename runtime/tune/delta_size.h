#pragma once
#include "trace/failure.h"

#include <cstddef>

//! \brief How large the deltas of a message are. A pipeline of k deltas over a message of n bytes, whose bytes come at r bytes per
//! second, ends n/(k r) later than one of infinitely small deltas, and its k deltas cost k times o: the sum is least where a delta has
//! sqrt(n r o) bytes. The rate is the link's, or that of the computation where it is slower: learnt per call site. More than 8 KiB (12 with pages), or
//! what leaves in 2 o, was never better. A message is cut into as many equal deltas as have that size at least.
namespace stretto::tune {

//! What a delta costs depends on how it is made, and how it travels.
enum class Deltas {
    sent,   //!< by the library
    shared, //!< through memory that both ends share
    paged,  //!< pages say what is final and what is needed, however it travels
};

//! Bytes of a delta: a multiple of 32 (rule 5), never above the eager limit (rule 7), never less than is worth a message. What
//! STRETTO_DELTA says; where that is above the limit, as if it said nothing. Where pages say what is final: whole pages, or a part
//! of one where the limit is lower.
//! `first`: bytes of the message that its first fragment can take; `site`: where it was begun, nullptr for an ordinary one; link_rate: bytes
//! per second.
std::size_t delta_bytes(std::size_t total, std::size_t first, std::size_t eager, double link_rate, CallSite site,
                        Deltas what = Deltas::sent);

//! Bytes of a piece that nobody waits for while it is made, at least: of an ordinary message, or of a collective's. What the link takes in a
//! quarter of a millisecond; of smaller ones the library's and the kernel's work costs a core more than waiting for a larger one costs the
//! program. (4 ranks on 2 cores, 1 Gbit/s, MPICH 5: an iteration with messages of 64 KiB takes 1.3 times as long in pieces of 8 KiB as in those of 32.)
inline std::size_t least_piece(double link_rate) {
    return static_cast<std::size_t>(0.25e-3 * link_rate);
}

//! As large as a delta is worth being, in bytes, before a message is cut into equal ones. rate: bytes per second.
double useful_delta(std::size_t total, double rate, Deltas what);

//! A message of this call site was computed in so many seconds.
void learn(CallSite site, std::size_t total, double seconds);

} // namespace stretto::tune
