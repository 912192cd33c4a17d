#include "trace/report.h"

#include "trace/source.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace stretto::report {

namespace {

std::int64_t nanoseconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

Count waited{0}; // by all threads, in calls and at stops
constinit thread_local std::int64_t waiting_since = 0, matched_at = 0;
constinit thread_local std::int64_t for_others = 0; // of the call: what messages of other sites were waited for
constinit thread_local Site *awaited = nullptr;     // where what the call waits for began, if that is another
constinit thread_local std::int64_t awaited_since = 0, others_before = 0;
constinit thread_local Stop *stop = nullptr;
Span all;

// Stands still while the program waits.
std::int64_t programs_clock() {
    const std::int64_t now = nanoseconds();
    return now - static_cast<std::int64_t>(waited.load()) - (waiting_since ? now - waiting_since : 0);
}

void add(Count &count, std::int64_t time) {
    count += static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
}

Site &site_of(const char *function, CallSite call) {
    const auto hash = reinterpret_cast<std::uintptr_t>(call) * 0x9e3779b97f4a7c15u >> 32;
    for (std::size_t k = 0; k < most_sites; k++) {
        Site &site = sites[(hash + k) % most_sites];
        CallSite nobody = nullptr;
        if (site.call != call && !site.call.compare_exchange_strong(nobody, call) && nobody != call) continue;
        site.function = function;
        return site;
    }
    sites[most_sites].function = "others";
    return sites[most_sites];
}

// The most frequent ones find room, as they come early and often.
void count_stop(std::array<Stopper, 8> &stoppers, const void *what, std::int64_t time) {
    for (Stopper &stopper : stoppers) {
        const void *nothing = nullptr;
        if (stopper.what != what && !stopper.what.compare_exchange_strong(nothing, what) && nothing != what) continue;
        stopper.times++;
        add(stopper.nanoseconds, time);
        return;
    }
}

// What the call has waited for until now is that site's. What stopped it meanwhile is counted there already.
void settle_awaited(std::int64_t now) {
    if (!awaited) return;
    const std::int64_t time = std::max<std::int64_t>(now - awaited_since - (for_others - others_before), 0);
    add(awaited->in_completions, time);
    count_stop(awaited->completions, current, time);
    for_others += time;
}

void begin(Span &span) {
    if (span.messages++ == 0) span.begun = programs_clock();
}

void end(Span &span, Count &total) {
    if (--span.messages == 0) add(total, programs_clock() - span.begun);
}

} // namespace

const char *text_of(Fate fate) {
    static constexpr const char *texts[] = {
#define FATE(name, text, advice) text,
#include "trace/fates.def"
#undef FATE
    };
    return texts[static_cast<std::size_t>(fate)];
}

const char *advice_of(Fate fate) {
    static constexpr const char *advices[] = {
#define FATE(name, text, advice) advice,
#include "trace/fates.def"
#undef FATE
    };
    return advices[static_cast<std::size_t>(fate)];
}

const char *name_of(Fate fate) {
    static constexpr const char *names[] = {
#define FATE(name, text, advice) #name,
#include "trace/fates.def"
#undef FATE
    };
    return names[static_cast<std::size_t>(fate)];
}

void start() {
    source::start();
    enabled = true;
}

void Call::begin(const char *function, CallSite call, bool for_messages) {
    site = current = &site_of(function, source::of_the_program(call));
    site->of_the_library = !for_messages;
    for_others = others_before = 0;
    awaited = nullptr;
    waiting_since = matched_at = awaited_since = nanoseconds();
}

void Call::end() {
    const std::int64_t now = nanoseconds(), time = now - waiting_since;
    settle_awaited(now);
    awaited = nullptr;
    waiting_since = 0;
    current = nullptr;
    site->calls++;
    add(site->in_calls, time - for_others);
    add(waited, time);
}

void leave() {
    stop = nullptr;
    current = nullptr;
    waiting_since = 0;
    awaited = nullptr;
    Cost::current = nullptr;
}

void Stop::begin(const pages::fault::Access *touch) {
    outer = std::exchange(stop, this);
    if (touch)
        what = source::of_the_program(*touch);
    else
        what = current ? static_cast<const void *>(current) : source::of_the_program();
    begun = nanoseconds();
    if (!waiting_since) since_here = waiting_since = begun;
}

void Stop::end() {
    const std::int64_t time = nanoseconds() - begun;
    stop = outer;
    if (since_here) {
        waiting_since = 0;
        add(waited, time);
    }
    if (!site) return;
    if (current) {
        for_others += time;
        matched_at += time;
    }
    site->stops++;
    add(site->stopped, time);
    count_stop(site->stoppers, what, time);
}

void Stop::meets(Site *site) {
    if (stop && !stop->site) stop->site = site;
}

void Cost::begin() {
    outer = std::exchange(current, this);
    since = nanoseconds();
    if (outer) outer->stop(since);
}

void Cost::end() {
    const std::int64_t now = nanoseconds();
    stop(now);
    current = outer;
    if (outer) outer->since = now;
}

void Cost::stop(std::int64_t now) {
    add(site->cost, now - since);
}

void InLibrary::begin() {
    cost->stop(nanoseconds());
    Cost::current = nullptr;
}

void InLibrary::end() {
    cost->since = nanoseconds();
    Cost::current = cost;
}

void waits_for(Site *begun) {
    if (!current) return;
    const std::int64_t now = nanoseconds();
    settle_awaited(now);
    awaited = begun == current ? nullptr : begun;
    awaited_since = matched_at = now;
    others_before = for_others;
}

void waited_for(Site &begun) {
    if (current && &begun != current) awaited = &begun;
}

void matched(Site *site) {
    if (!current || site != (awaited ? awaited : current)) return;
    const std::int64_t now = nanoseconds();
    add(site->unmatched, now - matched_at);
    matched_at = now;
}

void runs_on(Site *site) {
    if (!site) return;
    begin(site->span);
    begin(all);
}

void is_whole(Site *site) {
    if (!site) return;
    end(site->span, site->hidden);
    end(all, hidden);
}

} // namespace stretto::report
