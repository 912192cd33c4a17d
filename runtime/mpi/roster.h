// Who else in MPI_COMM_WORLD runs Stretto.
//
// A rank without Stretto takes part in nothing of ours, so it cannot be asked by a message. The process manager can:
// each rank that runs Stretto publishes a card with it before MPI_Init, whose own fence makes all cards visible, and looks
// for the others' cards after it. A card that is not there is a rank that does not run Stretto.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::mpi::roster {

/// Publish this rank's card: at most 255 letters, digits and any of . _ - / : , (what this rank's Stretto is and can do).
/// Call it once, after bind() and right before the library's Init.
///
/// STRETTO_PEERS=all says that every rank runs the same Stretto, and nobody is asked; STRETTO_PEERS=none that no other does.
void publish(std::string_view card);

/// The card of every rank of MPI_COMM_WORLD; nothing where a rank does not run Stretto, or is not known to. Call it once, right
/// after the library's Init, before other threads call MPI. What two ranks learn of each other is the same on both: where
/// this rank could not publish its own card, it sees no other.
///
/// Costs a look-up per rank: in memory with PMIx, a question to the node's proxy with PMI-1 (some 20 us; not asked beyond
/// 4096 ranks, where STRETTO_PEERS=all has to say it).
std::vector<std::optional<std::string>> read_all(int rank, int ranks);

/// How the answer was found: "pmix", "pmi1", "environment" (STRETTO_PEERS), "alone" (one rank), "none" (nobody could be asked).
const char *how();

/// Where how() is "none": the reason, as a part of a sentence. Else "".
const char *why_not();

} // namespace stretto::mpi::roster
