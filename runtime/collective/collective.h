#pragma once
#include "range/range.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

//! \brief From a collective's arguments to what this rank does: one file per collective, one function per algorithm (docs/collectives.md).
//! They know no MPI: ranks are numbers, messages are bytes. All ranks must come to the same algorithm and the same lanes, so what these
//! follow from is the same on all ranks, or concerns two ranks only, which both know it.
namespace stretto::collective {

//! \brief By rank: which bytes of a memory are its block.
class Blocks {
public:
    Blocks() = default;
    //! One behind the other, of `bytes` each.
    static Blocks equal(std::size_t bytes) { return {bytes, {}}; }
    static Blocks of(std::vector<Range> ranges) { return {0, std::move(ranges)}; }
    //! So many equal elements of `unit` bytes, dealt to so many ranks as evenly as can be.
    static Blocks dealt(std::size_t bytes, std::size_t unit, int ranks);

    Range operator[](int rank) const {
        const auto r = static_cast<std::size_t>(rank);
        return ranges.empty() ? Range{r * bytes, (r + 1) * bytes} : ranges[r];
    }
    std::size_t largest(int ranks) const;

    friend bool operator==(const Blocks &, const Blocks &) = default;

private:
    Blocks(std::size_t bytes, std::vector<Range> ranges) : bytes(bytes), ranges(std::move(ranges)) {}
    std::size_t bytes = 0;
    std::vector<Range> ranges;
};

//! \brief The arguments of a collective, and how it is cut.
struct Arguments {
    int rank = 0, ranks = 1;
    int root = 0;
    std::size_t bytes =
        0;       //!< where there is one block: of bcast, reduce, allreduce, scan; a rank's own of gather and scatter
    Blocks to;   //!< where in `input` the blocks for the ranks are: of scatter (at the root), alltoall, reduce_scatter
    Blocks from; //!< where in `output` those from the ranks go: of gather (at the root), allgather, alltoall
    std::size_t unit = 1;                         //!< bytes of an element, which no lane cuts
    std::size_t lane = 1 << 14;                   //!< bytes of a lane that one would like
    std::size_t most_lanes = schedule::most_tags; //!< of a message: longer ones have larger lanes
    bool in_place = false; //!< MPI_IN_PLACE: the contribution is in `output`, where the result goes
    bool commutes = true;  //!< the operation
    bool varies = false;   //!< blocks may have several sizes, also where this rank knows none of them
    //! Of a neighborhood: whom the blocks of `from` and `to` come from and go to. Nobody's are empty.
    std::vector<int> sources, destinations;

    friend bool operator==(const Arguments &, const Arguments &) = default;

    //! The rank so many steps on, in a circle.
    int after(int distance) const { return ((rank + distance) % ranks + ranks) % ranks; }

    //! Where the rank stands, the root first.
    int position() const { return after(-root); }

    //! Where the contribution to a reduction is.
    schedule::Place mine() const { return {in_place ? schedule::Memory::output : schedule::Memory::input, 0}; }
};

//! \brief The lanes of a message: cut at multiples of `bytes`.
struct Cut {
    std::size_t bytes;

    //! For so many bytes in a row at the most: about as large as is wished, whole elements, and no more lanes than there are tags.
    Cut(const Arguments &arguments, std::size_t longest, std::size_t tags = schedule::most_tags);

    std::size_t lanes(std::size_t of) const { return of == 0 ? 0 : (of - 1) / bytes + 1; }

    //! Lane k's part of a block; empty, if that is shorter.
    Range slice(Range block, std::size_t k) const {
        const Range part{block.begin + k * bytes, block.begin + (k + 1) * bytes};
        return intersection(part, block);
    }
};

//! \brief What a lane has of the message.
struct Part : Range {
    std::size_t lane;
};

//! Those of a message of `bytes` bytes.
std::vector<Part> parts(const Arguments &arguments);

//! In a binomial tree: by how many positions a parent is before its child, the lowest bit of the child's position. Of the first one, whose
//! children are all others: the least power of two that is not less than `ranks`.
int way_to_parent(int position, int ranks);

//! Call each(distance, k) for the other ranks, those that are next first, for their first parts (k = 0), then for their second ones, and so on, until it is
//! false for all of them.
template <class Each>
void in_turns(int ranks, Each each) {
    bool some = true;
    for (std::size_t k = 0; some; k++) {
        some = false;
        for (int distance = 1; distance < ranks; distance++) some = each(distance, k) || some;
    }
}

//! \brief One way to do a collective.
struct Algorithm {
    const char *collective, *name;
    schedule::Schedule (*build)(const Arguments &);
    bool relays; //!< a rank waits for what others do between: they must be called, or messages stand still
    bool (*can)(const Arguments &) = nullptr; //!< null: always
};

//! All that there are.
std::span<const Algorithm> algorithms();

namespace barrier {
schedule::Schedule dissemination(const Arguments &);
}

// The buffer is `input` at the root, `output` elsewhere.
namespace bcast {
schedule::Schedule chain(const Arguments &);
schedule::Schedule binomial(const Arguments &);
} // namespace bcast

namespace gather {
schedule::Schedule linear(const Arguments &);
schedule::Schedule binomial(const Arguments &);
} // namespace gather

namespace scatter {
schedule::Schedule linear(const Arguments &);
schedule::Schedule binomial(const Arguments &);
} // namespace scatter

namespace allgather {
schedule::Schedule linear(const Arguments &);
schedule::Schedule ring(const Arguments &);
schedule::Schedule bruck(const Arguments &);
} // namespace allgather

// In place the blocks are given as a copy in `input`: no schedule can tell when one has left.
namespace alltoall {
schedule::Schedule linear(const Arguments &);
schedule::Schedule pairwise(const Arguments &);
schedule::Schedule bruck(const Arguments &);
} // namespace alltoall

// Blocks are by the places of the neighbors in `sources` and `destinations`. Of neighbor_allgather those of `to` are the same bytes.
namespace neighborhood {
schedule::Schedule linear(const Arguments &);
}

namespace reduce {
schedule::Schedule chain(const Arguments &);
schedule::Schedule binomial(const Arguments &);
} // namespace reduce

namespace allreduce {
schedule::Schedule recursive_doubling(const Arguments &);
schedule::Schedule ring(const Arguments &);
schedule::Schedule rabenseifner(const Arguments &);
} // namespace allreduce

// The result is at the beginning of `output`. In place as alltoall.
namespace reduce_scatter {
schedule::Schedule ring(const Arguments &);
schedule::Schedule in_order(const Arguments &);
} // namespace reduce_scatter

namespace scan {
schedule::Schedule chain(const Arguments &);
schedule::Schedule recursive_doubling(const Arguments &);
} // namespace scan

namespace exscan {
schedule::Schedule chain(const Arguments &);
schedule::Schedule recursive_doubling(const Arguments &);
} // namespace exscan

} // namespace stretto::collective
