#pragma once
#include "trace/failure.h"

#include <cstddef>

//! \brief Which ordinary messages leave framed: learnt by trying. A program that sends again and again does so once an iteration, so the
//! time from one message of a call site to the next is what all of it costs, whoever pays: deltas, faults, waits, cores that the library
//! takes. Both ways take turns for a few messages each, and the quicker one stays.
namespace stretto::tune {

//! Messages that are alike: of one call site, of one size in bytes.
struct Stream {
    CallSite site;
    std::size_t bytes;
    bool operator==(const Stream &) const = default;
};

//! Another message of it begins at `now`, in seconds, to this rank. Does it leave framed? Otherwise it is the library's. An iteration that sends
//! to several ranks is as long for each: what goes to the first one tells it, the others' messages leave as it finds.
bool leaves_framed(const Stream &stream, const void *to, double now);

} // namespace stretto::tune
