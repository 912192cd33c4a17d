#include "trigger/registry.h"

#include "pages/memory.h"
#include "range/range_set.h"
#include "trace/timeline.h"

#include <algorithm>
#include <vector>

namespace stretto::trigger {

namespace {

struct Sending {
    Range addresses;
    Sender *party;
    CallSite site;
    Heard heard;
    pages::Tracker *tracker = nullptr;
    RangeSet said;           // what pages have said is final
    double first_passed = 0; // when they began to
};

struct Receiving {
    Range addresses;
    Receiver *party;
};

// Few operations are under way at a time: a scan is faster than a tree.
constinit std::vector<Sending> senders;
constinit std::vector<Receiving> receivers;

template <class Entry, class Party>
Entry take_out(std::vector<Entry> &entries, Party &party) {
    const auto at =
        std::find_if(entries.begin(), entries.end(), [&](const Entry &entry) { return entry.party == &party; });
    if (at == entries.end()) return {};
    Entry entry = std::move(*at);
    entries.erase(at);
    return entry;
}

// The part of `wanted` that lies in the buffer, counted from the buffer's begin; empty when they do not meet.
Range part(Range wanted, Range buffer) {
    const Range both = intersection(wanted, buffer);
    if (both.empty()) return {0, 0};
    return {both.begin - buffer.begin, both.end - buffer.begin};
}

void stop_watching(Sending &sending) {
    if (!sending.tracker) return;
    sending.heard.misuse = sending.tracker->end();
    sending.tracker = nullptr;
}

// An annotation. Pages may have said so already: then they are not asked again.
void annotated(Sending &sending, Range here, CallSite site) {
    if (!sending.heard.annotated) [[unlikely]] {
        sending.heard.annotated = true;
        stop_watching(sending);
    }
    if (sending.said.empty()) [[likely]]
        sending.party->ready(here, site);
    else
        sending.said.for_each_gap(here, [&](Range gap) { sending.party->ready(gap, site); });
}

} // namespace

void enter(const void *buffer, std::size_t bytes, Sender &sender, Watch watch, std::size_t unit, CallSite site) {
    Sending &sending = senders.emplace_back();
    sending.addresses = pages::addresses_of(buffer, bytes);
    sending.party = &sender;
    sending.site = site;
    if (!watch) return;
    sending.heard.watch = watch;
    const bool single_pages = unit <= pages::page_bytes();
    sending.tracker = pages::Tracker::begin(buffer, bytes, unit, watch.carefully || (watch.elsewhere && single_pages));
    if (sending.tracker->how() != pages::Tracking::none) sending.heard.watched = bytes;
}

Heard leave(Sender &sender) {
    Sending sending = take_out(senders, sender);
    stop_watching(sending);
    if (sending.heard.passed) sending.heard.ahead = trace::now() - sending.first_passed;
    return sending.heard;
}

void enter(const void *buffer, std::size_t bytes, Receiver &receiver) {
    receivers.push_back({pages::addresses_of(buffer, bytes), &receiver});
}

void leave(Receiver &receiver) {
    take_out(receivers, receiver);
}

std::size_t ready(const void *address, std::size_t bytes, CallSite site) {
    const Range said = pages::addresses_of(address, bytes);
    if (senders.size() == 1) { // the usual case
        const Range here = part(said, senders[0].addresses);
        if (here.begin < here.end) annotated(senders[0], here, site);
        return bytes - (here.end - here.begin);
    }
    RangeSet outside;
    outside.insert(said);
    for (Sending &sending : senders)
        if (const Range here = part(said, sending.addresses); here.begin < here.end) {
            annotated(sending, here, site);
            outside.erase(sending.addresses);
        }
    return outside.bytes();
}

void pass_on() {
    for (Sending &sending : senders) {
        if (!sending.tracker) continue;
        const RangeSet passed = sending.tracker->take();
        if (passed.empty()) continue;
        if (!sending.heard.passed) sending.first_passed = trace::now();
        sending.heard.passed += passed.bytes();
        if (sending.heard.watch.is_rehearsal()) continue;
        for (const Range range : passed.ranges()) {
            sending.said.insert(range);
            sending.party->ready(range, sending.site);
        }
    }
}

bool arrived(const void *address, std::size_t bytes) {
    const Range asked = pages::addresses_of(address, bytes);
    return std::all_of(receivers.begin(), receivers.end(), [&](const Receiving &receiving) {
        const Range here = part(asked, receiving.addresses);
        return here.begin == here.end || receiving.party->arrived(here);
    });
}

void waits(const void *address, std::size_t bytes, bool begins) {
    const Range asked = pages::addresses_of(address, bytes);
    for (const Receiving &receiving : receivers)
        if (asked.intersects(receiving.addresses)) receiving.party->waits(begins);
}

} // namespace stretto::trigger
