#pragma once
#include "trace/failure.h"

#include <cstddef>

//! \brief Where a receive's call returns before all has come (Ke et al. 2005): learnt per call site.
namespace stretto::tune {

//! Takes the link so much longer than guarding it costs? missing: bytes that have not come; link_rate: bytes per second.
bool is_worth_it(std::size_t missing, double link_rate);

//! A receive that was posted there is matched, with so many bytes missing. May its call return early?
bool lets_run_on(CallSite site, std::size_t missing, double link_rate);

//! \brief A receive whose call returned early.
struct RunOn {
    double hidden = 0;     //!< seconds that the program ran on, without those that it waited for the message after all,
    std::size_t stops = 0; //!< so often
    std::size_t bytes = 0; //!< of the message
};

//! It has come whole, now; or it could not be guarded, and nothing was hidden.
void learn(CallSite site, const RunOn &run);

} // namespace stretto::tune
