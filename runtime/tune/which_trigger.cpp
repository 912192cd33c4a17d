#include "tune/which_trigger.h"

#include "pages/memory.h"
#include "process/lasting.h"
#include "trigger/annotated.h"
#include "tune/delta_size.h"

#include <algorithm>
#include <unordered_map>

namespace stretto::tune {

namespace {

// What pages cost both ends together, in seconds (docs/pages.md): to close and open each, and for each delta two faults and a message.
constexpr double cost_of_a_page = 0.25e-6, cost_of_a_delta = 25e-6;

struct Site {
    enum {
        unknown,
        straddles,
        sweeps,
        sweeps_carefully,
        rewrites
    } writes = unknown;       // straddles: to be rehearsed again, carefully
    bool listened = false;    // an operation of it has ended
    bool annotated = false;   // some operation of it was
    std::size_t place = 0;    // in its page, of the buffer that was rehearsed
    unsigned in_no_order = 0; // rehearsals in which nothing was passed
    double seconds = 0;       // from begin to end, per byte
    double ahead = 1;         // share of them left when the first bytes are passed
    unsigned late = 0;        // operations since it was found that this is too little
};
constinit Lasting<std::unordered_map<CallSite, Site>> senders;

constexpr unsigned patience = 3;
constexpr std::size_t enough = 16; // pages, in which an order would have shown

// Asked anew after so many operations of a site whose bytes are passed too late.
constexpr unsigned until_asked_anew = 64;

double delta_of(std::size_t total, double link_rate) {
    return std::max(useful_delta(total, link_rate, Deltas::paged), static_cast<double>(pages::page_bytes()));
}

// A pipeline of k deltas hides all but one of them of the transfer, or of the computation what is ahead when the first bytes are passed,
// whichever is shorter. STRETTO_TRIALS=off asks neither for that nor when bytes come.
bool pays(const Site &site, double ahead, std::size_t total, double link_rate) {
    if (!settings.trials) return true;
    const auto bytes = static_cast<double>(total);
    const double deltas = bytes / delta_of(total, link_rate);
    const double gain = bytes * std::min(ahead * site.seconds, (1 - 1 / deltas) / link_rate);
    return gain > bytes / static_cast<double>(pages::page_bytes()) * cost_of_a_page + deltas * cost_of_a_delta;
}

// What is ahead is shorter than one delta's way (the message is packed in one go, say): deltas would gain nothing, and come between
// other messages.
bool comes_late(const Site &site, std::size_t total, double link_rate) {
    if (!settings.trials) return false;
    return site.ahead * site.seconds * static_cast<double>(total) < delta_of(total, link_rate) / link_rate;
}

} // namespace

trigger::Watch watch(Trigger said, CallSite site, const void *buffer, std::size_t total, double link_rate) {
    using enum trigger::Watch::What;
    if (said == Trigger::annotations || said == Trigger::plain || total < 2 * pages::page_bytes()) return {};
    Site &known = (*senders)[site];
    const std::size_t place = pages::addresses_of(buffer, total).begin % pages::page_bytes();
    if (said == Trigger::automatic) {
        if (known.annotated || (!known.listened && trigger::annotates_sends(site))) return {};
        if (known.seconds != 0 && !pays(known, 1, total, link_rate)) return {};
    }
    switch (known.writes) {
    case Site::unknown:
    case Site::straddles:
        known.place = place;
        return {rehearsal, known.writes == Site::straddles};
    case Site::sweeps:
    case Site::sweeps_carefully:
        if (comes_late(known, total, link_rate) ||
            (said == Trigger::automatic && !pays(known, known.ahead, total, link_rate))) {
            if (++known.late < until_asked_anew) return {};
            known.late = 0;
            return {rehearsal, known.writes == Site::sweeps_carefully};
        }
        if (known.writes == Site::sweeps_carefully) return {passed, true};
        return {passed, false, place != known.place};
    case Site::rewrites:
        break;
    }
    return {};
}

void learn_sender(CallSite site, const trigger::Heard &heard, std::size_t total, double seconds) {
    Site &known = (*senders)[site];
    known.listened = true;
    known.annotated |= heard.annotated;
    if (total) known.seconds = seconds / static_cast<double>(total);
    if (heard.passed && seconds > 0) known.ahead = heard.ahead / seconds;
    if (!heard.watch.is_rehearsal() || heard.annotated) return;
    if (heard.misuse)
        known.writes = heard.watch.carefully ? Site::rewrites : Site::straddles;
    else if (heard.passed)
        known.writes = heard.watch.carefully ? Site::sweeps_carefully : Site::sweeps;
    else if (heard.watched >= enough * pages::page_bytes() && ++known.in_no_order == patience)
        known.writes = Site::rewrites;
}

Release release(Trigger said, CallSite begin) {
    switch (said) {
    case Trigger::annotations:
        return Release::annotated;
    case Trigger::pages:
        return Release::guarded;
    case Trigger::plain:
        return Release::never;
    case Trigger::automatic:
        break;
    }
    return trigger::annotates_receives(begin) ? Release::annotated : Release::guarded;
}

} // namespace stretto::tune
