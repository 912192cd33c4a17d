#pragma once
#include "collective/collective.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

//! \brief Which collectives are ours, and how each is done: docs/collectives.md has the switch points and the measurements behind them.
namespace stretto::collective {

//! \brief What a user may say (STRETTO_COLLECTIVES), in words with commas between them: off, auto, all, reorder, lane=BYTES, COLLECTIVE=ALGORITHM.
struct Policy {
    enum class Ours {
        off,       //!< none
        automatic, //!< where they overlap better than the library's
        all,       //!< that can be
    };
    Ours ours = Ours::automatic;
    bool reorders = false; //!< reductions too, whose result depends on the order in which elements are added up
    std::size_t lane = 0;  //!< bytes; 0: by size
    std::vector<const Algorithm *> wanted;

    //! Words that are unknown are reported.
    static Policy read(const std::string &text);
};

extern Policy policy;

//! \brief What all ranks know alike of a call.
struct Facts {
    const char *collective;
    std::optional<std::size_t>
        bytes; //!< of the message, or a block; nothing: blocks of several sizes, which no rank knows all of
    int ranks;
    std::size_t eager;          //!< bytes that leave without the receiver's help
    double rate;                //!< bytes per second of the slowest link
    int sequence;               //!< a number of the call's
    bool relays;                //!< ranks can pass messages on while the library waits in another call
    bool is_delta = false;      //!< it is fed, and used, part by part
    bool slow_if_short = false; //!< what it replaces is slower than ours, of short messages too
};

//! Is it worth being ours (Ours::automatic)? Short ones the library does as well.
bool pays(const Facts &facts);

//! Bytes of a lane.
std::size_t lane_bytes(const Facts &facts);

//! How it is done; nullptr: not at all. The arguments' rank does not matter. STRETTO_FORCE=1: now one, now another.
const Algorithm *choose(const Facts &facts, const Arguments &arguments);

//! Counts uses of algorithms; STRETTO_COUNTERS=1 prints them: `stretto: algorithm RANK COLLECTIVE_NAME N`.
void count(const Algorithm &algorithm);
void print_uses(int rank);

} // namespace stretto::collective
