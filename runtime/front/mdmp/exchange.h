// Sends and receives with nothing between them: all are under way at once, so that their order does not matter.
#pragma once
#include "front/compiled/compiled.h"
#include "front/mdmp/member.h"

#include <cstdint>

namespace stretto::front::mdmp {

// --- as a whole

//! Join the exchange of this thread, or be one where nothing else says where it ends (STRETTO_DIRECTIVE_ALONE).
void add_send(const Directive &directive, const Arguments &arguments);
void add_receive(const Directive &directive, const Arguments &arguments);

//! From here on what is alone joins.
void open_exchange(const Directive &directive);
//! Returns when all of it has come, and what was sent may be written again.
void exchange(const Directive &directive);

//! This thread has no exchange whose end is missing.
void check_nothing_pends(const Directive &directive);

// --- taken apart by a compiler (include/stretto/abi.h): of ranges, each of which begins and ends by itself

//! A request; 0 where it has no partner. Those of this thread that start with no wait between them are one exchange.
std::int64_t start_send(const Directive &directive, const Arguments &arguments);
std::int64_t start_receive(const Directive &directive, const Arguments &arguments);
void wait_for_all(int count, std::int64_t requests[]);

//! The message may leave by parts from now on; 0: it does not.
stretto_handle begin_send(const Directive &directive, const Arguments &arguments, stretto_call *call, CallSite site);
//! Not of handle 0: where start_send() would stand.
std::int64_t end_begun_send(stretto_handle handle, CallSite site);

//! What comes into this memory may be used by parts, until compiled_recv_end(); 0: wait_for_all() waits for all of it.
stretto_handle begin_wait(const void *first, int count, const std::int64_t requests[], stretto_call *call,
                          CallSite site);

} // namespace stretto::front::mdmp
