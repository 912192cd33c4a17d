#pragma once

namespace stretto::wrapper {

// What a wrapper is for: stretto-cc, stretto-c++, stretto-fc.
enum class Language { c, cxx, fortran };

} // namespace stretto::wrapper
