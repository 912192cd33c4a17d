#include "trace/summary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace stretto::report {

// --- a value over ranks ---------------------------------------------------------------------------------------------

namespace {

// Four to an octave.
std::uint64_t bucket(std::uint64_t value) {
    if (value < 8) return value;
    const auto octave = static_cast<std::uint64_t>(std::bit_width(value));
    return 4 * octave + (value >> (octave - 3) & 3) - 4;
}

std::uint64_t middle_of(std::uint64_t bucket) {
    if (bucket < 8) return bucket;
    const std::uint64_t octave = bucket / 4 + 1, eighths = 2 * (4 + bucket % 4) + 1;
    return eighths << octave >> 4;
}

} // namespace

void Spread::add(std::uint64_t value, std::uint64_t rank) {
    Spread one{.ranks = 1, .least = value, .most = value, .rank_of_most = rank, .buckets = {}};
    one.buckets[bucket(value)] = 1;
    merge(one);
}

void Spread::merge(const Spread &other) {
    if (!other.ranks) return;
    if (!ranks || other.most > most || (other.most == most && other.rank_of_most < rank_of_most)) {
        rank_of_most = other.rank_of_most;
        most = other.most;
    }
    least = ranks ? std::min(least, other.least) : other.least;
    ranks += other.ranks;
    for (const auto &[bucket, number] : other.buckets) buckets[bucket] += number;
}

std::uint64_t Spread::median() const {
    std::uint64_t seen = 0;
    for (const auto &[bucket, number] : buckets)
        if (2 * (seen += number) >= ranks) return std::clamp(middle_of(bucket), least, most);
    return 0;
}

// --- merging --------------------------------------------------------------------------------------------------------

namespace {

void add(std::map<Reason, Stopped> &reasons, const std::map<Reason, Stopped> &others) {
    for (const auto &[reason, stopped] : others) {
        Stopped &ours = reasons[reason];
        ours.times += stopped.times;
        ours.nanoseconds += stopped.nanoseconds;
    }
}

} // namespace

void SiteSummary::merge(const SiteSummary &other) {
    for_messages |= other.for_messages;
    calls += other.calls;
    in_calls += other.in_calls;
    in_completions += other.in_completions;
    unmatched += other.unmatched;
    stopped += other.stopped;
    stops += other.stops;
    hidden += other.hidden;
    cost += other.cost;
    for (std::size_t k = 0; k < fates; k++) {
        messages[k].messages += other.messages[k].messages;
        messages[k].bytes += other.messages[k].bytes;
    }
    add(reasons, other.reasons);
    add(completions, other.completions);
    waited.merge(other.waited);
}

void Summary::merge(const Summary &other) {
    ranks += other.ranks;
    hidden += other.hidden;
    ran += other.ran;
    waited.merge(other.waited);
    for (const auto &[name, site] : other.sites) sites[name].merge(site);
    while (sites.size() > most_reported) {
        const auto matters = [](const auto &entry) {
            return entry.second.all_waited() + entry.second.hidden + entry.second.cost;
        };
        const auto least = std::min_element(sites.begin(), sites.end(), [&](const auto &a, const auto &b) {
            return (a.first.function == others ? UINT64_MAX : matters(a)) <
                   (b.first.function == others ? UINT64_MAX : matters(b));
        });
        sites[{others, {}}].merge(least->second);
        sites.erase(least);
    }
}

// --- what this rank has counted -------------------------------------------------------------------------------------

namespace {

// A return address is one instruction past the call.
SiteName name_of(const Site &site) {
    const auto *call = static_cast<const char *>(site.call.load());
    return {site.function.load(), source::place(call ? call - 1 : nullptr)};
}

Reason reason_of(const void *what) {
    const auto *site = static_cast<const Site *>(what);
    if (sites.data() <= site && site <= &sites.back()) {
        const SiteName name = name_of(*site);
        return {name.function, name.place};
    }
    return {"", source::place(what)};
}

std::map<Reason, Stopped> reasons_of(const std::array<Stopper, 8> &stoppers) {
    std::map<Reason, Stopped> reasons;
    for (const Stopper &stopper : stoppers)
        if (stopper.times) reasons[reason_of(stopper.what)] = {stopper.times, stopper.nanoseconds};
    return reasons;
}

SiteSummary summary_of(const Site &site, int rank) {
    SiteSummary sum{.for_messages = !site.of_the_library,
                    .calls = site.calls,
                    .in_calls = site.in_calls,
                    .in_completions = site.in_completions,
                    .unmatched = site.unmatched,
                    .stopped = site.stopped,
                    .stops = site.stops,
                    .hidden = site.hidden,
                    .cost = site.cost,
                    .messages = {},
                    .reasons = reasons_of(site.stoppers),
                    .completions = reasons_of(site.completions),
                    .waited = {}};
    for (std::size_t k = 0; k < fates; k++) sum.messages[k] = {site.messages[k].number, site.messages[k].bytes};
    sum.waited.add(sum.all_waited(), static_cast<std::uint64_t>(rank));
    return sum;
}

} // namespace

Summary summary(int rank, std::uint64_t ran) {
    Summary own{.ranks = 1, .hidden = hidden, .ran = ran, .waited = {}, .sites = {}};
    std::uint64_t waited = 0;
    for (const Site &site : sites) {
        if (!site.calls) continue;
        const SiteSummary sum = summary_of(site, rank);
        if (sum.for_messages) waited += sum.all_waited();
        own.sites[name_of(site)].merge(sum);
    }
    own.waited.add(waited, static_cast<std::uint64_t>(rank));
    Summary limited;
    limited.merge(own);
    return limited;
}

// --- to travel ------------------------------------------------------------------------------------------------------

namespace {

// What a Writer writes, a Reader reads: both are told the same fields in the same order. Numbers take seven bits a byte, as most are small.
struct Writer {
    std::vector<std::byte> bytes;
    void number(std::uint64_t n) {
        for (; n > 127; n >>= 7) bytes.push_back(static_cast<std::byte>(n | 128));
        bytes.push_back(static_cast<std::byte>(n));
    }
};

struct Reader {
    std::span<const std::byte> bytes;
    std::uint64_t number() {
        std::uint64_t n = 0;
        for (unsigned shift = 0; !bytes.empty(); shift += 7) {
            const auto byte = static_cast<std::uint64_t>(bytes.front());
            bytes = bytes.subspan(1);
            n |= (byte & 127) << shift;
            if (byte < 128) break;
        }
        return n;
    }
};

void field(Writer &w, std::uint64_t n) {
    w.number(n);
}
void field(Reader &r, std::uint64_t &n) {
    n = r.number();
}

void field(Writer &w, const std::string &text) {
    w.number(text.size());
    for (const char c : text) w.bytes.push_back(static_cast<std::byte>(c));
}
void field(Reader &r, std::string &text) {
    const std::uint64_t said = r.number();
    const std::size_t n = std::min<std::size_t>(said, r.bytes.size());
    text.assign(reinterpret_cast<const char *>(r.bytes.data()), n);
    r.bytes = r.bytes.subspan(n);
}

template <class Archive, class... Fields>
void fields(Archive &archive, Fields &&...all) {
    (field(archive, all), ...);
}

// const or not, as the archive has it.
template <class T, class Known>
concept Is = std::is_same_v<std::remove_cvref_t<T>, Known>;

template <class A, Is<source::Place> T>
void field(A &a, T &p) {
    fields(a, p.object, p.offset, p.symbol);
}
template <class A, class T>
requires Is<T, SiteName> || Is<T, Reason>
void field(A &a, T &n) {
    fields(a, n.function, n.place);
}
template <class A, Is<Stopped> T>
void field(A &a, T &s) {
    fields(a, s.times, s.nanoseconds);
}
template <class A, Is<Fated> T>
void field(A &a, T &f) {
    fields(a, f.messages, f.bytes);
}

template <class Key, class Value>
void field(Writer &w, const std::map<Key, Value> &map);
template <class Key, class Value>
void field(Reader &r, std::map<Key, Value> &map);

template <class A, Is<Spread> T>
void field(A &a, T &s) {
    fields(a, s.ranks, s.least, s.most, s.rank_of_most, s.buckets);
}
template <class A, Is<SiteSummary> T>
void field(A &a, T &s) {
    fields(a, s.for_messages, s.calls, s.in_calls, s.in_completions, s.unmatched, s.stopped, s.stops, s.hidden, s.cost);
    for (auto &fated : s.messages) field(a, fated);
    fields(a, s.reasons, s.completions, s.waited);
}

template <class Key, class Value>
void field(Writer &w, const std::map<Key, Value> &map) {
    w.number(map.size());
    for (const auto &[key, value] : map) fields(w, key, value);
}
template <class Key, class Value>
void field(Reader &r, std::map<Key, Value> &map) {
    for (std::uint64_t n = r.number(); n && !r.bytes.empty(); n--) {
        Key key{};
        Value value{};
        fields(r, key, value);
        map[key] = value;
    }
}

template <class A, Is<Summary> T>
void field(A &a, T &s) {
    fields(a, s.ranks, s.hidden, s.ran, s.waited, s.sites);
}

} // namespace

std::vector<std::byte> pack(const Summary &summary) {
    Writer writer;
    field(writer, summary);
    return std::move(writer.bytes);
}

Summary unpack(std::span<const std::byte> bytes) {
    Reader reader{bytes};
    Summary summary;
    field(reader, summary);
    return summary;
}

} // namespace stretto::report
