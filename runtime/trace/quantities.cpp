#include "trace/quantities.h"

#include <array>

namespace stretto::report {

std::string time_text(std::uint64_t nanoseconds) {
    const auto t = static_cast<double>(nanoseconds);
    if (t == 0) return "–";
    if (t < 1e6) return print("%.3g µs", t / 1e3);
    if (t < 1e9) return print("%.3g ms", t / 1e6);
    return t < 1e12 ? print("%.3g s", t / 1e9) : print("%.0f s", t / 1e9);
}

std::string bytes_text(double bytes) {
    static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); unit++) bytes /= 1024;
    return print(bytes < 10 && unit && bytes != static_cast<int>(bytes) ? "%.1f" : "%.0f", bytes) + " " + units[unit];
}

std::string count_text(std::uint64_t n) {
    const std::string digits = std::to_string(n);
    std::string text;
    for (std::size_t k = 0; k < digits.size(); k++) {
        if (k > 0 && (digits.size() - k) % 3 == 0) text += ' ';
        text += digits[k];
    }
    return n ? text : "–";
}

std::string percent_text(std::uint64_t part, std::uint64_t of) {
    const double percent = of ? 100 * static_cast<double>(part) / static_cast<double>(of) : 0;
    if (part && percent < 0.1) return "less than 0.1 %";
    return print(percent < 10 ? "%.2g %%" : "%.0f %%", percent);
}

} // namespace stretto::report
