// What a compiler's handle stands for, if it is not 0 (include/stretto/abi.h): an operation whose bytes are said to be final, or needed, as a
// loop goes on.
#pragma once
#include "pages/memory.h"
#include "progress/progress.h"
#include "range/range.h"
#include "trace/failure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <span>
#include <stretto/abi.h>
#include <utility>
#include <vector>

namespace stretto::front {

//! Bytes. The borders of strips are not those of deltas: a strip that ends within a delta holds it back, or waits for all of it. A call takes a
//! thousandth of what a delta does.
constexpr std::size_t strip_of(std::size_t delta) {
    return std::max<std::size_t>(delta / 4, 1);
}

//! \brief An operation between its begin and its end. All offsets are bytes from `buf`.
class Fed {
public:
    virtual ~Fed() = default;

    //! These bytes of its memory are final, or needed.
    virtual void say(Range range, CallSite here) = 0;
    //! Nothing is known of it any more until its end.
    virtual void hold() = 0;
    //! Bytes.
    virtual std::size_t strip() const = 0;
    //! What is said of it makes calls of MPI that are as the program's own.
    virtual bool calls_as_the_program() const { return false; }
    //! Does anything of it lie there?
    bool meets(Range addresses) const { return memory.intersects(addresses); }
    //! Of a collective: anything of its other side, which is not told of now?
    virtual bool other_meets(Range) const { return false; }

    //! All bytes below `high`, or from `low` on, of which those that were said already are left out. One thread says so.
    void say_below(const void *buf, std::int64_t high, CallSite here) {
        const std::size_t end = clamp(buf, high);
        if (end <= below) return;
        const Range more{below, std::min(end, above)};
        below = end;
        if (!more.empty()) say(more, here);
    }
    void say_above(const void *buf, std::int64_t low, CallSite here) {
        const std::size_t begin = clamp(buf, low);
        if (begin >= above) return;
        const Range more{std::max(begin, below), above};
        above = begin;
        if (!more.empty()) say(more, here);
    }
    void say(const void *buf, std::int64_t low, std::int64_t high, CallSite here) {
        const Range range{clamp(buf, low), clamp(buf, high)};
        if (range.begin < range.end) say(range, here);
    }

protected:
    explicit Fed(Range addresses) : memory(addresses), above(addresses.bytes()) {}

    Range addresses() const { return memory; }
    //! From here on it is told of other memory.
    void turn_to(Range addresses) {
        memory = addresses;
        below = 0, above = memory.bytes();
    }

    //! Where its memory begins, in bytes from `buf`: not 0 where the first block of a collective lies elsewhere.
    virtual std::int64_t begins_at(const void *) const { return 0; }

private:
    std::size_t clamp(const void *buf, std::int64_t offset) const {
        const std::int64_t at = offset - begins_at(buf);
        return at < 0 ? 0 : std::min(static_cast<std::size_t>(at), memory.bytes());
    }
    Range memory;
    std::size_t below = 0, above; // what say_below() and say_above() have said
};

inline Fed *fed(stretto_handle handle) {
    return reinterpret_cast<Fed *>(static_cast<std::intptr_t>(handle));
}

inline stretto_handle handle_of(Fed *operation) {
    return reinterpret_cast<std::intptr_t>(operation);
}

//! \brief What other threads say, where only the one that began the operation may call MPI: it takes that along.
class Elsewhere {
public:
    //! False: this thread may call MPI.
    bool keeps(Range range) {
        if (progress::Guard::multiple || pthread_equal(thread, pthread_self())) return false;
        const std::lock_guard guard(lock);
        kept.push_back(range);
        return true;
    }
    std::vector<Range> take() {
        const std::lock_guard guard(lock);
        return std::exchange(kept, {});
    }

private:
    const pthread_t thread = pthread_self();
    std::mutex lock;
    std::vector<Range> kept;
};

} // namespace stretto::front
