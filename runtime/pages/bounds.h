#pragma once
#include "range/range.h"

#include <atomic>
#include <cstdint>

namespace stretto::pages {

//! \brief Between which addresses something is watched, for who may take no lock: no more than a first look.
class Bounds {
public:
    //! Under the lock of those who watch.
    void widen(Range addresses) {
        if (addresses.begin < begin_) begin_ = addresses.begin;
        if (addresses.end > end_) end_ = addresses.end;
    }
    void clear() {
        begin_ = UINTPTR_MAX;
        end_ = 0;
    }

    bool meet(Range addresses) const { return Range{begin_, end_}.intersects(addresses); }

private:
    std::atomic<std::uintptr_t> begin_{UINTPTR_MAX}, end_{0};
};

} // namespace stretto::pages
