#pragma once
#include "settings/settings.h"
#include "trigger/registry.h"

#include <cstddef>
#include <optional>

//! \brief Who says which bytes are final, and which are needed: annotations where they come, pages where none come, nobody where neither
//! pays. Learnt per call site, unless STRETTO_TRIGGER or an info key says it.
//!
//! Where the object of a call (the executable, or a library) has annotations at all, the first delta send of a call site listens whether one
//! comes: that decides it. Else the first one, or the second, rehearses: its pages are watched, but it leaves at its end. A site whose bytes are written once, in a sweep,
//! has pages from then on where they pay, and any other stays plain.
//!
//! An object that annotates receives annotates all that it begins, or uses what it has received after its end only: a receive that it does not
//! annotate could not be told from one that it will. Where it annotates none, receives are guarded, whatever other objects do.
namespace stretto::tune {

//! Shall the pages of this delta send be watched? link_rate: bytes per second.
trigger::Watch watch(Trigger said, CallSite site, const void *buffer, std::size_t total, double link_rate);

//! What an ended delta send has shown. seconds: from its begin to its end.
void learn_sender(CallSite site, const trigger::Heard &heard, std::size_t total, double seconds);

//! How a delta receive returns before all has come.
enum class Release {
    annotated, //!< the code that began it says what it needs
    guarded,   //!< pages do; where they cannot be guarded, not at all
    never,     //!< it does not
};
//! begin: its call.
Release release(Trigger said, CallSite begin);

} // namespace stretto::tune
