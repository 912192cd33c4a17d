#pragma once
#include "range/range_set.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace stretto::pages {

//! \brief What the order in which the units of a buffer are first written says about which of them the writer has left behind.
//!
//! A program that computes an array sweeps over it: upwards as in the paper (Bao et al. 2012, II.B.1), downwards, with a constant
//! stride, in several places in turn, on several threads. Whoever sweeps and begins a unit is done with the one before; or, where strips
//! are worked on that reach over a unit's border (downwards, or computed and then added to), with the one before that: carefully.
//!
//! A unit is begun when it is written beyond its border, for a store of the processor may reach over that from the unit before. That is
//! for the caller to see to (comes(), goes()), or to be careful.
//!
//!     Sweep sweep;
//!     sweep.begins(0, thread);
//!     sweep.begins(1, thread);   // sweep.take() has unit 0
class Sweep {
public:
    //! From the next unit on.
    void be_careful(bool careful) { careful_ = careful; }

    //! Where in a unit its first write was. Who begins in its middle has not written all of it: the rest is another's, of a thread whose
    //! part of the array ends here.
    enum class Entry { begin, middle, end };

    //! This thread has written the unit for the first time.
    void begins(std::size_t unit, long thread, Entry entry = Entry::begin);

    //! Where a writer comes from that may be about to begin this unit: +1 from the unit before it, -1 from the one after it, 0 from neither.
    int comes(std::size_t unit, long thread) const;

    //! Which way the writer goes that began this unit last; 0 where it is not known yet.
    int goes(std::size_t unit, long thread) const;

    //! Units that the writers are done with, as far as their sweeps tell, and that were not taken before.
    RangeSet take() { return std::exchange(passed_, {}); }
    bool anything_passed() const { return !passed_.empty(); }

    void clear();

private:
    //! Where one writer is, and the way it goes; step 0: not known yet.
    struct Front {
        std::ptrdiff_t at, step;
        long thread;
        Entry entry;
        std::ptrdiff_t behind = -1; // left, but not passed yet: of a careful sweep
    };

    static bool moves(const Front &front, std::ptrdiff_t unit, long thread);
    void move(Front &front, std::ptrdiff_t to, Entry entry);
    void pass(std::ptrdiff_t unit);
    bool continues_a_stride(std::ptrdiff_t unit, long thread, Entry entry);

    bool careful_ = false;
    std::vector<Front> fronts_; // the latest last
    RangeSet passed_;
};

} // namespace stretto::pages
