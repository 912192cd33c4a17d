#include "tune/delta_size.h"

#include "pages/memory.h"
#include "process/lasting.h"
#include "settings/settings.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace stretto::tune {

namespace {

// What a delta costs one end, in seconds: the library's call and matching, a packet more (docs/bench.md, overhead), a flag, a fault (docs/pages.md).
constexpr double cost(Deltas what) {
    return what == Deltas::paged ? 12e-6 : what == Deltas::shared ? 0.3e-6 : 10e-6;
}

// Where the wire is slower than what makes its deltas, larger ones were never better (stretto bench surface): what disturbs one stage, the
// next waits for. With pages a delta costs more than without.
constexpr double large(Deltas what) {
    return what == Deltas::paged ? 12288 : 8192;
}

constexpr std::size_t least = 1024;
constexpr double fewest = 8; // deltas of a delta send that is large enough for so many

// The nearest number of pages; or the largest part of a page that the limit allows, so that a page is so many deltas.
std::size_t nearest_pages(double bytes, std::size_t most) {
    std::size_t unit = pages::page_bytes();
    while (unit > most) unit /= 2;
    const auto units = static_cast<std::size_t>(std::lround(bytes / static_cast<double>(unit)));
    return std::clamp(units, std::size_t{1}, most / unit) * unit;
}

// Bytes per second at which a call site's messages become ready.
constinit Lasting<std::unordered_map<CallSite, double>> rates;

} // namespace

double useful_delta(std::size_t total, double rate, Deltas what) {
    const double each = cost(what);
    return std::min(std::sqrt(static_cast<double>(total) * rate * each), std::max(large(what), 2 * rate * each));
}

std::size_t delta_bytes(std::size_t total, std::size_t first, std::size_t eager, double link_rate, CallSite site,
                        Deltas what) {
    const std::size_t most = eager / 32 * 32;
    if (settings.delta && settings.delta <= most) return settings.delta;
    double rate = link_rate;
    if (const auto known = rates->find(site); site && known != rates->end()) rate = std::min(rate, known->second);
    double best = useful_delta(total, rate, what);
    // How fast a loop makes its bytes is not known at first, and a pipeline wants stages.
    if (site)
        best = std::min(best, std::max(large(what), static_cast<double>(total) / fewest));
    else
        best = std::max(best, static_cast<double>(least_piece(link_rate)));
    // As many equal ones as have that size at least: a short last one would cost as much as any other.
    const auto rest = static_cast<double>(total > first ? total - first : total);
    const double equal = rest / std::max(std::floor(rest / best), 1.0);
    if (what == Deltas::paged) return nearest_pages(equal, most);
    return std::clamp((static_cast<std::size_t>(equal) + 31) / 32 * 32, std::min(least, most), most);
}

void learn(CallSite site, std::size_t total, double seconds) {
    if (!site || seconds <= 0 || total == 0) return;
    const double rate = static_cast<double>(total) / seconds;
    const auto [at, is_new] = rates->try_emplace(site, rate);
    // One disturbed message changes little, a program that has changed is followed within a few.
    if (!is_new) at->second += 0.25 * (rate - at->second);
}

} // namespace stretto::tune
