#pragma once
#include "trace/failure.h"

#include <cstddef>

//! \brief Which ordinary messages leave framed: learnt by trying (trial.h), per call site, of messages that are about as large.
namespace stretto::tune {

//! A message of so many bytes begins there at `now`, in seconds, to this rank. Does it leave framed? Otherwise it is the library's. An iteration
//! that sends to several ranks is as long for each: what goes to the first one tells it, the others' messages leave as it finds. A rank that
//! lags behind in receiving is sent framed ones: what the library would take in for it has no limit (rule 4), and how long it sleeps says nothing.
bool leaves_framed(CallSite site, std::size_t bytes, const void *to, bool lags, double now);

//! A send that a compiler has begun where its buffer is filled (include/stretto/abi.h). Does it leave while that goes on? The first ones do: who
//! compiled the program asked for it.
bool starts_early(CallSite site, std::size_t bytes, const void *to, double now);

} // namespace stretto::tune
