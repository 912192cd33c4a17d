#include "tune/which_release.h"

#include "pages/memory.h"
#include "process/lasting.h"
#include "settings/settings.h"

#include <algorithm>
#include <unordered_map>

namespace stretto::tune {

namespace {

// In seconds (stretto bench overhead --trigger pages): to close a message's pages; to fill and open each; to be stopped.
constexpr double cost_of_a_message = 20e-6, cost_of_a_page = 0.6e-6, cost_of_a_stop = 5e-6;

double cost(std::size_t bytes, std::size_t stops) {
    return cost_of_a_message + cost_of_a_page * static_cast<double>(bytes) / static_cast<double>(pages::page_bytes()) +
           cost_of_a_stop * static_cast<double>(stops);
}

constexpr unsigned patience = 4;
// So many calls wait then, until one tries anew: twice as many each time that it hides nothing either.
constexpr unsigned least_rest = 16, most_rest = 256;

struct Way {
    unsigned fruitless = 0; // in a row: the program waited nearly as long as its call would have
    unsigned rest = least_rest;
    // A message may be asked for twice, before its match and then: each has its own turn, or only the second one would try anew.
    unsigned passed_by_unmatched = 0, passed_by_matched = 0;
};

struct Site {
    Way ways[2];
    Comes last = Comes::in_deltas;
    Way &way() { return ways[static_cast<int>(last)]; }
};
constinit Lasting<std::unordered_map<CallSite, Site>> sites;

} // namespace

bool is_worth_it(std::size_t missing, double link_rate) {
    if (!missing || settings.force) return missing;
    return static_cast<double>(missing) / link_rate >= 2 * cost(missing, 0);
}

bool lets_run_on(CallSite site, std::size_t missing, double link_rate, std::optional<Comes> comes) {
    if (!is_worth_it(missing, link_rate)) return false;
    if (settings.force || !settings.trials) return true;
    Site &its = (*sites)[site];
    if (comes) its.last = *comes;
    Way &known = its.way();
    if (known.fruitless < patience) return true;
    unsigned &passed_by = comes ? known.passed_by_matched : known.passed_by_unmatched;
    if (++passed_by < known.rest) return false;
    passed_by = 0;
    return true;
}

void RunOn::waits(bool begins, double now) {
    if (begins == (waits_since > 0)) return;
    if (begins) {
        waits_since = now;
        hidden += now - ran_since;
        stops++;
    } else {
        ran_since = now;
        waits_since = 0;
    }
}

void learn(CallSite site, const RunOn &run) {
    Site &its = (*sites)[site];
    its.last = run.comes;
    Way &known = its.way();
    if (run.hidden >= cost(run.bytes, run.stops))
        known = {};
    else if (++known.fruitless > patience)
        known.rest = std::min(2 * known.rest, most_rest);
}

} // namespace stretto::tune
