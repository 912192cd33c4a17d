#pragma once

//! \brief Does this program say what is final, and what is needed? Asked of what its executable and its libraries import: the answer is
//! known before the first annotation could come.
namespace stretto::trigger {

//! Some code of the process calls MPIX_Delta_send_data, or MPIX_Delta_wait_data, in C or in Fortran. Libraries that are loaded later count
//! from then on.
bool annotates_sends();
bool annotates_receives();

//! Some code of the process calls anything of MPIX_Delta_*.
bool has_delta_calls();

//! Some code of the process has delta collectives.
bool has_delta_collectives();

} // namespace stretto::trigger
