#pragma once
#include "trace/failure.h"

#include <cstddef>
#include <optional>

//! \brief Where a receive's call returns before all has come (Ke et al. 2005): learnt per call site.
namespace stretto::tune {

//! Takes the link so much longer than guarding it costs? missing: bytes that have not come; link_rate: bytes per second.
bool is_worth_it(std::size_t missing, double link_rate);

//! How a message comes: what its sender has learnt may change that (which_framing.h), so that each way is learnt apart.
enum class Comes { in_deltas, whole };

//! A receive that was posted there has so many bytes missing. May its call return early? comes: nothing before it is matched; then it is
//! taken to come as the last one did.
bool lets_run_on(CallSite site, std::size_t missing, double link_rate, std::optional<Comes> comes = {});

//! \brief A call that returned early.
struct RunOn {
    double hidden = 0;     //!< seconds that the program ran on, without those that it waited for the message after all,
    std::size_t stops = 0; //!< so often
    std::size_t bytes = 0; //!< of the message
    Comes comes = Comes::in_deltas;
    double ran_since = 0, waits_since = 0; //!< 0: it does not

    void begins(double now) { ran_since = now; }
    void ends(double now) {
        if (!(waits_since > 0)) hidden += now - ran_since;
    }

    //! The program begins to wait after all, or goes on. Another thread may be waiting, too.
    void waits(bool begins, double now);
};

//! It has come whole, now; or it could not be guarded, and nothing was hidden.
void learn(CallSite site, const RunOn &run);

} // namespace stretto::tune
