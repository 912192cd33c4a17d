// An exchange that a compiler has taken apart (include/stretto/abi.h): of ranges, each of which begins and ends by itself.
#pragma once
#include "front/compiled/compiled.h"
#include "front/mdmp/member.h"

#include <cstdint>

namespace stretto::front::mdmp {

//! A request; 0 where it has no partner. Those of this thread that start with no wait between them are one exchange.
std::int64_t start_send(const Directive &directive, const Arguments &arguments);
std::int64_t start_receive(const Directive &directive, const Arguments &arguments);
void wait_for_all(int count, std::int64_t requests[]);

//! At the end of a region: all that it sent has left.
void wait_for_parts();

//! The message may leave before the end: by parts, or once all of it is final. 0: it does not.
stretto_handle begin_send(const Directive &directive, const Arguments &arguments, stretto_call *call, CallSite site);
//! Not of handle 0: where start_send() would stand.
std::int64_t end_begun_send(stretto_handle handle, CallSite site);

//! What comes into this memory is waited for where it is needed, at the latest by end_wait(); 0: by wait_for_all().
stretto_handle begin_wait(const void *first, int count, std::int64_t requests[], stretto_call *call, CallSite site);
void end_wait(stretto_handle handle, CallSite site);

} // namespace stretto::front::mdmp
