#pragma once
#include "range/range_set.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

//! \brief What one rank does in a collective operation, as data (Hoefler, Lumsdaine, Rehm: SC07, section 3): steps in rounds. A round begins when
//! the one before has ended. Beyond LibNBC there are lanes: each is the whole algorithm for one part of the message, and they run
//! independently of each other, so that a long message is pipelined.
namespace stretto::schedule {

//! What a step reads from, or writes to.
enum class Memory : std::uint8_t {
    input,   //!< the program's contribution, which may become ready by and by. Never written
    output,  //!< the program's result, which may be used by and by
    scratch, //!< of the schedule's own
};

//! \brief Where bytes begin.
struct Place {
    Memory memory = Memory::scratch;
    std::uint64_t offset = 0;

    Place operator+(std::uint64_t bytes) const { return {memory, offset + bytes}; }
    friend bool operator==(Place, Place) = default;
};

enum class Action : std::uint8_t {
    send,
    receive,
    copy,
    reduce, //!< target := source op target, as MPI_Reduce_local has it: the source is of lower ranks than the target
};

//! \brief The steps of a round begin in their order. Copies and reductions are over at once, so that what comes behind them in the round
//! may read what they wrote.
struct Step {
    std::uint64_t from;  //!< what is sent, copied, or reduced into the target: an offset in `source`
    std::uint64_t to;    //!< what is written: an offset in `target`
    std::uint64_t bytes; //!< may be none, in a send or receive that only says that a rank has come so far
    std::int32_t peer;   //!< of a send or receive: a rank of the communicator
    Action action;
    Memory source, target;
    bool gives_result; //!< it writes bytes of the output, and nobody after it does

    Range reads() const { return {from, from + bytes}; }
    Range writes() const { return {to, to + bytes}; }
};
static_assert(sizeof(Step) == 32);

//! \brief Messages of a lane have its tag, in the order of its rounds; both ends build lanes of the same tag for each other.
struct Lane {
    std::uint32_t first_round;
    std::uint32_t tag;
};

//! Tags of an operation: those of its lanes are below.
inline constexpr std::uint32_t most_tags = 1024;

//! \brief Linear memory: steps, where rounds begin in them, where lanes begin in the rounds. For any number of operations with the same
//! arguments.
class Schedule {
public:
    std::size_t lanes() const { return lanes_.empty() ? 0 : lanes_.size() - 1; }
    std::uint32_t tag(std::size_t lane) const { return lanes_[lane].tag; }
    std::size_t rounds(std::size_t lane) const { return lanes_[lane + 1].first_round - lanes_[lane].first_round; }
    std::span<const Step> steps(std::size_t lane, std::size_t round) const {
        const std::size_t k = lanes_[lane].first_round + round;
        return std::span(steps_).subspan(rounds_[k], rounds_[k + 1] - rounds_[k]);
    }
    std::span<const Step> steps() const { return steps_; }
    std::size_t scratch_bytes() const { return scratch; }

    //! Bytes of the output that it writes.
    RangeSet results() const;

private:
    friend class Builder;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> rounds_; // and the end
    std::vector<Lane> lanes_;           // and the end
    std::size_t scratch = 0;
};

//! \brief Writes a schedule down.
//!
//!     Builder build;
//!     build.lane(0);
//!     build.receive({Memory::output, 0}, 4096, 1);  // round 0
//!     build.round();
//!     build.send({Memory::output, 0}, 4096, 2);     // round 1
//!     const Schedule schedule = build.finish();
class Builder {
public:
    //! What follows is another lane's first round.
    void lane(std::size_t tag);
    //! What follows is this lane's next round. Of rounds without a step nothing remains.
    void round();

    void send(Place from, std::size_t bytes, int peer);
    void receive(Place to, std::size_t bytes, int peer);
    void copy(Place from, Place to, std::size_t bytes); //!< nothing, if it is there already
    void reduce(Place source, Place target, std::size_t bytes);

    //! So many bytes more, where any element may lie.
    Place scratch(std::size_t bytes);

    Schedule finish();

private:
    void add(const Step &step);
    void find_results(std::size_t first, std::size_t end);
    Schedule made;
    bool lane_begins = false, round_begins = false;
    std::uint32_t next_tag = 0;
};

} // namespace stretto::schedule
