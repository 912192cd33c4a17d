#pragma once
#include "trace/failure.h"

#include <cstddef>

//! \brief Where a receive's call returns before all has come (Ke et al. 2005): learnt per call site.
namespace stretto::tune {

//! The call would return now, with so many bytes missing. May it? link_rate: bytes per second.
bool lets_run_on(CallSite site, std::size_t missing, double link_rate);

//! \brief A receive whose call returned early.
struct RunOn {
    double hidden = 0;     //!< seconds that the program ran on, without those that it waited for the message after all,
    std::size_t stops = 0; //!< so often
    std::size_t bytes = 0; //!< of the message
};

//! It has come whole, now.
void learn(CallSite site, const RunOn &run);

} // namespace stretto::tune
