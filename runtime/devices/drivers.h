#pragma once
#include "devices/devices.h"

namespace stretto::devices {

//! Looks for drivers among the libraries that are loaded. True if there is one, now or before.
bool find_drivers();

//! What the first driver that knows this address says.
Memory ask_drivers(const void *address);

} // namespace stretto::devices
