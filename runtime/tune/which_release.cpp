#include "tune/which_release.h"

#include "pages/memory.h"
#include "tune/settings.h"

#include <unordered_map>

namespace stretto::tune {

namespace {

// In seconds (stretto bench overhead --trigger pages): to close a message's pages; to fill and open each; to be stopped.
constexpr double cost_of_a_message = 20e-6, cost_of_a_page = 0.6e-6, cost_of_a_stop = 5e-6;

double cost(std::size_t bytes, std::size_t stops) {
    return cost_of_a_message + cost_of_a_page * static_cast<double>(bytes) / static_cast<double>(pages::page_bytes()) +
           cost_of_a_stop * static_cast<double>(stops);
}

struct Site {
    struct {
        unsigned fruitless = 0; // in a row: the program waited nearly as long as its call would have
        unsigned passed_by = 0; // since then
    } ways[2];
    Comes last = Comes::in_deltas;
    auto &way() { return ways[static_cast<int>(last)]; }
};
std::unordered_map<CallSite, Site> sites;

constexpr unsigned patience = 4, until_asked_anew = 64;

} // namespace

bool is_worth_it(std::size_t missing, double link_rate) {
    if (!missing || settings.force) return missing;
    return static_cast<double>(missing) / link_rate >= 2 * cost(missing, 0);
}

bool lets_run_on(CallSite site, std::size_t missing, double link_rate, std::optional<Comes> comes) {
    if (!is_worth_it(missing, link_rate)) return false;
    if (settings.force) return true;
    Site &its = sites[site];
    if (comes) its.last = *comes;
    auto &known = its.way();
    if (known.fruitless < patience) return true;
    if (++known.passed_by < until_asked_anew) return false;
    known.passed_by = 0;
    return true;
}

void learn(CallSite site, const RunOn &run) {
    Site &its = sites[site];
    its.last = run.comes;
    auto &known = its.way();
    known.fruitless = run.hidden < cost(run.bytes, run.stops) ? known.fruitless + 1 : 0;
}

} // namespace stretto::tune
