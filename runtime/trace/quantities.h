#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

//! \brief Times, sizes and counts as people read them.
namespace stretto::report {

template <class... Values>
std::string print(const char *format, Values... values) {
    char text[64];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

//! "1.25 s", or "–" for none.
std::string time_text(std::uint64_t nanoseconds);

//! "16 KiB"
std::string bytes_text(double bytes);

//! "12 345", or "–" for none.
std::string count_text(std::uint64_t n);

//! "0.2 %"
std::string percent_text(std::uint64_t part, std::uint64_t of);

} // namespace stretto::report
