#include "trigger/registry.h"

#include "range/range_set.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stretto::trigger {

namespace {

template <class Party>
struct Entry {
    Range addresses;
    Party *party;
};

// Few operations are under way at a time: a scan is faster than a tree.
std::vector<Entry<Sender>> senders;
std::vector<Entry<Receiver>> receivers;

Range addresses(const void *buffer, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
    return {begin, begin + bytes};
}

template <class Party>
void drop(std::vector<Entry<Party>> &entries, Party &party) {
    std::erase_if(entries, [&](const Entry<Party> &entry) { return entry.party == &party; });
}

// The part of `wanted` that lies in the buffer, counted from the buffer's begin; empty when they do not meet.
Range part(Range wanted, Range buffer) {
    const std::size_t begin = std::max(wanted.begin, buffer.begin), end = std::min(wanted.end, buffer.end);
    if (begin >= end) return {0, 0};
    return {begin - buffer.begin, end - buffer.begin};
}

} // namespace

void enter(const void *buffer, std::size_t bytes, Sender &sender) {
    senders.push_back({addresses(buffer, bytes), &sender});
}
void leave(Sender &sender) {
    drop(senders, sender);
}
void enter(const void *buffer, std::size_t bytes, Receiver &receiver) {
    receivers.push_back({addresses(buffer, bytes), &receiver});
}
void leave(Receiver &receiver) {
    drop(receivers, receiver);
}

std::size_t ready(const void *address, std::size_t bytes, CallSite site) {
    const Range wanted = addresses(address, bytes);
    if (senders.size() == 1) { // the usual case
        const Range here = part(wanted, senders[0].addresses);
        if (here.begin < here.end) senders[0].party->ready(here, site);
        return bytes - (here.end - here.begin);
    }
    RangeSet outside;
    outside.insert(wanted);
    for (const Entry<Sender> &entry : senders)
        if (const Range here = part(wanted, entry.addresses); here.begin < here.end) {
            entry.party->ready(here, site);
            outside.erase(entry.addresses);
        }
    return outside.bytes();
}

bool arrived(const void *address, std::size_t bytes) {
    const Range wanted = addresses(address, bytes);
    return std::all_of(receivers.begin(), receivers.end(), [&](const Entry<Receiver> &entry) {
        const Range here = part(wanted, entry.addresses);
        return here.begin == here.end || entry.party->arrived(here);
    });
}

} // namespace stretto::trigger
