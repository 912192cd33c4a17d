// What ends a command of `stretto`: one message that says what was asked, what is wrong, and what to do.
#pragma once
#include <stdexcept>

namespace stretto::command {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace stretto::command
