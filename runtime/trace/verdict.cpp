#include "trace/verdict.h"

#include "trace/quantities.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

namespace stretto::report {

namespace {

// Less than a hundredth of the time is nothing that a user notices.
constexpr std::uint64_t noticed = 100;

constexpr std::size_t most_sites_told = 3;

// What all sites have together. Nanoseconds.
struct Totals {
    std::uint64_t hidden = 0, waited = 0, cost = 0, unmatched = 0, touched = 0, used = 0, in_library = 0;
    std::array<std::uint64_t, fates> messages{};
};

// Of waits that stops and late senders do not explain.
std::uint64_t rest(const SiteSummary &site) {
    const std::uint64_t explained = site.unmatched + site.stopped;
    return site.all_waited() > explained ? site.all_waited() - explained : 0;
}

Totals totals(const Summary &summary) {
    Totals all{.hidden = summary.hidden};
    for (const auto &[name, site] : summary.sites) {
        all.cost += site.cost;
        (site.for_messages ? all.waited : all.in_library) += site.all_waited();
        all.unmatched += site.unmatched;
        for (const auto &[reason, stopped] : site.reasons)
            (reason.function.empty() ? all.touched : all.used) += stopped.nanoseconds;
        for (std::size_t k = 0; k < fates; k++) all.messages[k] += site.messages[k].messages;
    }
    return all;
}

bool is_noticed(std::uint64_t time, std::uint64_t of) {
    return time > 0 && time * noticed >= of;
}

bool is_sent(Fate fate) {
    return std::strncmp(name_of(fate), "send_", 5) == 0;
}

// Are there messages, and all that were sent of these kinds?
bool all_sent_are(const Totals &all, std::initializer_list<Fate> kinds) {
    std::uint64_t others = all.messages[static_cast<std::size_t>(Fate::collective_lanes)], of_these = 0;
    for (std::size_t k = 0; k < fates; k++)
        if (is_sent(static_cast<Fate>(k)))
            (std::find(kinds.begin(), kinds.end(), static_cast<Fate>(k)) == kinds.end() ? others : of_these) +=
                all.messages[k];
    return of_these && !others;
}

// Of bytes first: many small messages may go along with what is waited for.
Fate fate_of_most(const SiteSummary &site) {
    const auto less = [](const Fated &a, const Fated &b) {
        return std::pair(a.bytes, a.messages) < std::pair(b.bytes, b.messages);
    };
    const auto most = std::max_element(site.messages.begin(), site.messages.end(), less);
    return static_cast<Fate>(most - site.messages.begin());
}

bool has_messages(const SiteSummary &site) {
    return std::any_of(site.messages.begin(), site.messages.end(), [](const Fated &f) { return f.messages > 0; });
}

// Do messages that were here when they were received explain what no stop and no late sender does?
bool are_in_time(const Summary &summary) {
    std::uint64_t in_time = 0, all = 0;
    for (const auto &[name, site] : summary.sites) {
        if (!site.for_messages || !has_messages(site)) continue;
        all += rest(site);
        if (fate_of_most(site) == Fate::receive_here) in_time += rest(site);
    }
    return 2 * in_time > all;
}

Finding why_nothing_was_hidden(const Summary &summary, const Totals &all, const Conditions &conditions) {
    if (!conditions.releases) return Finding::not_asked;
    if (all_sent_are(all, {Fate::send_small})) return Finding::small;
    if (all_sent_are(all, {Fate::send_small, Fate::send_near, Fate::send_fast})) return Finding::fast;
    const std::uint64_t half = all.waited / 2;
    if (all.touched + all.used > half) return all.touched >= all.used ? Finding::read_at_once : Finding::used_at_once;
    if (all.unmatched > half) return Finding::late;
    return are_in_time(summary) ? Finding::in_time : Finding::mixed;
}

Finding finding(const Summary &summary, const Totals &all, const Conditions &conditions) {
    if (!conditions.why_native.empty() && !all.hidden) return Finding::left;
    if (all.cost > all.hidden && is_noticed(all.cost - all.hidden, summary.ran)) return Finding::paid;
    if (all.hidden > all.cost && is_noticed(all.hidden - all.cost, summary.ran)) return Finding::saved;
    const std::uint64_t messages = all.waited + all.hidden;
    if (all.in_library > messages && is_noticed(all.in_library, summary.ran)) return Finding::librarys;
    if (!is_noticed(messages, summary.ran)) return Finding::nothing;
    return why_nothing_was_hidden(summary, all, conditions);
}

// --- call sites -----------------------------------------------------------------------------------------------------

// What took longest; functions: only calls, or only touches.
Reason longest(const std::map<Reason, Stopped> &reasons) {
    const auto most = std::max_element(reasons.begin(), reasons.end(), [](const auto &a, const auto &b) {
        return a.second.nanoseconds < b.second.nanoseconds;
    });
    return most == reasons.end() ? Reason{} : most->first;
}

// Most ranks hardly wait, and some long.
bool is_uneven(const Spread &waited) {
    return waited.ranks > 2 && waited.most > 4 * waited.median();
}

// What a send costs, a receive may gain. Where the whole job paid, a site is told of for its cost.
bool costs_most(const SiteSummary &site, Finding finding) {
    if (site.cost <= site.hidden) return false;
    if (finding == Finding::paid) return true;
    const bool may_gain = !has_messages(site) || !is_sent(fate_of_most(site));
    return may_gain && 2 * site.cost > site.all_waited();
}

Advice advice(const SiteName &name, const SiteSummary &site, Finding finding) {
    Advice advice{.site = name, .sum = site, .cause = Cause::unknown, .reason = {}, .fate = fate_of_most(site)};
    const std::uint64_t waited = site.all_waited(), half = waited / 2;
    if (!site.for_messages)
        advice.cause = Cause::of_library;
    else if (costs_most(site, finding))
        advice.cause = Cause::costs;
    else if (site.hidden > 4 * waited)
        advice.cause = Cause::hidden;
    else if (site.stopped > half) {
        advice.reason = longest(site.reasons);
        advice.cause = advice.reason.function.empty() ? Cause::touched : Cause::used;
    } else if (site.unmatched > half) {
        advice.cause = is_uneven(site.waited) ? Cause::uneven : Cause::late;
        advice.reason = longest(site.completions);
    } else if (site.in_completions > half) {
        advice.reason = longest(site.completions);
        advice.cause = Cause::completed;
    } else if (has_messages(site))
        advice.cause = Cause::became;
    return advice;
}

std::uint64_t matters(const SiteSummary &site, Finding finding) {
    if (finding == Finding::paid) return site.cost > site.hidden ? site.cost - site.hidden : 0;
    if (finding == Finding::librarys) return site.all_waited();
    if (!site.for_messages || finding == Finding::nothing) return 0;
    return site.all_waited() + site.cost + (finding == Finding::saved ? site.hidden : 0);
}

// Those that have a tenth of what the first has.
std::vector<Advice> sites_that_matter(const Summary &summary, Finding finding) {
    std::vector<std::pair<std::uint64_t, const std::pair<const SiteName, SiteSummary> *>> all;
    for (const auto &entry : summary.sites)
        if (const std::uint64_t time = matters(entry.second, finding); time && entry.first.function != others)
            all.emplace_back(time, &entry);
    std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<Advice> told;
    for (const auto &[time, entry] : all)
        if (told.size() < most_sites_told && 10 * time >= all.front().first)
            told.push_back(advice(entry->first, entry->second, finding));
    return told;
}

} // namespace

Verdict verdict(const Summary &summary, const Conditions &conditions) {
    const Totals all = totals(summary);
    const Finding what = finding(summary, all, conditions);
    Verdict verdict{.finding = what,
                    .time = all.waited,
                    .of = summary.ran,
                    .hidden = all.hidden,
                    .cost = all.cost,
                    .sites = sites_that_matter(summary, what)};
    if (what == Finding::paid) verdict.time = all.cost - all.hidden;
    if (what == Finding::nothing) verdict.time = all.waited + all.hidden;
    if (what == Finding::librarys) verdict.time = all.in_library;
    if (what == Finding::saved) {
        verdict.time = all.hidden - all.cost;
        verdict.of += verdict.time; // what it would have run
    }
    return verdict;
}

// --- in words -------------------------------------------------------------------------------------------------------

const char *name_of(Finding finding) {
    static constexpr const char *names[] = {"left",      "paid",    "saved", "librarys",     "nothing",
                                            "not_asked", "small",   "fast",  "read_at_once", "used_at_once",
                                            "late",      "in_time", "mixed"};
    static_assert(std::size(names) == static_cast<std::size_t>(Finding::number));
    return names[static_cast<std::size_t>(finding)];
}

const char *name_of(Cause cause) {
    static constexpr const char *names[] = {"hidden", "costs",     "touched", "used",     "uneven",
                                            "late",   "completed", "became",  "librarys", "unknown"};
    static_assert(std::size(names) == static_cast<std::size_t>(Cause::number));
    return names[static_cast<std::size_t>(cause)];
}

namespace {

std::string call_at(const std::string &function, const source::Place &place, const Where &where) {
    return function + " (" + where(place) + ")";
}

std::string first_site(const Verdict &verdict, const Where &where) {
    return verdict.sites.empty() ? "" : where(verdict.sites.front().site.place);
}

} // namespace

std::string sentence(const Verdict &verdict, const Conditions &conditions, const Where &where) {
    switch (verdict.finding) {
    case Finding::left:
        return "Left to the library: " + conditions.why_native;
    case Finding::paid:
        return "Paid more than it gained: " + time_text(verdict.cost) + " for " +
               (verdict.hidden ? time_text(verdict.hidden) : "nothing") + ", most at " + first_site(verdict, where);
    case Finding::saved:
        return "Saved up to " + time_text(verdict.time) + " of " + time_text(verdict.of);
    case Finding::librarys:
        return "Left to the library: " + percent_text(verdict.time, verdict.of) + " of the time is in its own calls";
    case Finding::nothing:
        return "Nothing was waited for: messages took " + percent_text(verdict.time, verdict.of) + " of the time";
    case Finding::not_asked:
        return "Nothing was hidden: receives return early with STRETTO=all or receive only";
    case Finding::small:
        return "Left to the library: no message is over " + bytes_text(static_cast<double>(conditions.threshold));
    case Finding::fast:
        return "Left to the library: its links are faster than what could be hidden";
    case Finding::read_at_once:
        return "Nothing to hide: what is received is read at once";
    case Finding::used_at_once:
        return "Nothing to hide: what is received is used by the next call";
    case Finding::late:
        return "Nothing to hide: the senders are late";
    case Finding::in_time:
        return "Nothing to hide: messages are there before they are received";
    case Finding::mixed:
    case Finding::number:
        break;
    }
    return "Nothing was hidden of " + time_text(verdict.time) + " that were waited for";
}

std::string seen(const Advice &advice, const Where &where) {
    const SiteSummary &sum = advice.sum;
    switch (advice.cause) {
    case Cause::touched:
        return "touched at " + where(advice.reason.place);
    case Cause::used:
        return "used by " + call_at(advice.reason.function, advice.reason.place, where);
    case Cause::uneven:
        return "rank " + std::to_string(sum.waited.rank_of_most) + " waits " + time_text(sum.waited.most) +
               ", half of the ranks " + time_text(sum.waited.median()) + " at most";
    case Cause::late:
        return "the sender is late" +
               (advice.reason.function.empty()
                    ? ""
                    : ": waited for in " + call_at(advice.reason.function, advice.reason.place, where));
    case Cause::completed:
        return "waited for in " + call_at(advice.reason.function, advice.reason.place, where);
    case Cause::became:
        return text_of(advice.fate);
    case Cause::hidden:
        return "hidden";
    case Cause::costs:
        return "it cost more than it hid";
    case Cause::of_library:
        return "a call that is the library's";
    case Cause::unknown:
    case Cause::number:
        break;
    }
    return "waited for";
}

std::string what_to_do(const Advice &advice, const Where &where) {
    switch (advice.cause) {
    case Cause::touched:
        return "Move work that needs nothing of the message in front of " + where(advice.reason.place);
    case Cause::used:
        return "Move " + call_at(advice.reason.function, advice.reason.place, where) +
               " behind work that needs nothing of the message, or leave it out";
    case Cause::uneven:
        return "Share the work more evenly: what few ranks wait for is no slow link";
    case Cause::late:
        return "Send earlier, or compute before " + (advice.reason.function.empty()
                                                         ? "this call"
                                                         : call_at(advice.reason.function, advice.reason.place, where));
    case Cause::completed:
        return "Begin it earlier, or compute before " + call_at(advice.reason.function, advice.reason.place, where);
    case Cause::became: {
        std::string text = advice_of(advice.fate);
        text[0] = static_cast<char>(text[0] - ('a' <= text[0] && text[0] <= 'z' ? 'a' - 'A' : 0));
        return text;
    }
    case Cause::hidden:
        return "Nothing: it was hidden";
    case Cause::costs:
        return std::string(is_sent(advice.fate) ? "Raise" : "Use the message later, raise") +
               " STRETTO_THRESHOLD, or leave its communicator alone (info key stretto)";
    case Cause::of_library:
        return "Begin it before work that needs nothing of it (MPI_I…), or share the work more evenly";
    case Cause::unknown:
    case Cause::number:
        break;
    }
    return "Call it later: what it waits for is not there yet";
}

} // namespace stretto::report
