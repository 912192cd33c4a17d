#pragma once
#include "range/range.h"

#include <atomic>
#include <cstdint>

namespace stretto::pages {

//! \brief A range of addresses that any thread may read at any time, without a lock: a handler, or who holds a lock that we know nothing of.
//! Who reads it while it changes finds the former one, none, or the new one; never the begin of one with the end of another. One thread
//! changes it at a time.
class SharedRange {
public:
    SharedRange &operator=(Range range) {
        end_ = 0;
        begin_ = range.begin;
        end_ = range.end;
        return *this;
    }

    operator Range() const {
        for (;;) {
            const std::uintptr_t end = end_, begin = begin_;
            if (end == end_) return end ? Range{begin, end} : Range{};
        }
    }

    std::uintptr_t begin() const { return begin_; }
    std::uintptr_t end() const { return end_; }

private:
    std::atomic<std::uintptr_t> begin_{0}, end_{0};
};

} // namespace stretto::pages
