#include "front/results.h"

#include "pages/memory.h"
#include "progress/progress.h"
#include "trace/counters.h"
#include "trace/timeline.h"

#include <cstring>

namespace stretto::front {

namespace {

constexpr std::size_t between_looks = 4096; // bytes that the program uses: as few as a lane may have

} // namespace

bool Results::can_be_guarded(const Scheduled &collective) {
    const Asked &asked = collective.what();
    // In place its memory has the contribution, so that all of it is what the program shall see.
    return !asked.calls_program && asked.output.gapless() &&
           (asked.arguments.in_place || collective.results() == asked.output.bytes());
}

// Who gets nothing may use what it gave: that passes on what others wait for, too.
const Side &Results::used() const {
    const Asked &asked = of.what();
    return asked.output.bytes() > 0 ? asked.output : asked.input;
}

void Results::close_pages() {
    const Side &output = of.what().output;
    const Range memory = *output.span();
    if (progress::anything_reads(memory)) return; // to get into what is being sent is wrong, but no library minds
    const report::Cost cost(reported);
    const RangeSet &missing = of.under_way().missing();
    const std::size_t here = missing.empty() ? memory.bytes() : missing.ranges().front().begin;
    auto *const program = static_cast<std::byte *>(const_cast<void *>(pages::pointer(memory.begin)));
    std::memcpy(program, output.memory(), here);
    if (here < memory.bytes()) {
        guarded = pages::Guard::begin(program, memory.bytes(), {.here = here, .shares = progress::Guard::one_thread});
        if (guarded->how() == pages::Guarding::block) {
            open_pages();
            return;
        }
        count(Rule::collective_guarded);
        missing.for_each_gap({here, memory.bytes()}, [&](Range range) { bring(range); });
    }
    all_there = !guarded;
    of.is_delivered();
}

void Results::begin_use() {
    all_there = all_there || of.what().output.bytes() == 0;
    const Range memory = used().span().value_or(used().addresses());
    trigger::enter(pages::pointer(memory.begin), memory.bytes(), static_cast<trigger::Receiver &>(*this));
    is_used = true;
    run.bytes = of.what().output.bytes();
    run.begins(trace::now());
    report::runs_on(reported);
}

std::optional<tune::RunOn> Results::end_use() {
    if (guarded) open_pages();
    if (!is_used) return {};
    is_used = false;
    trigger::leave(static_cast<trigger::Receiver &>(*this));
    run.ends(trace::now());
    report::is_whole(reported);
    return run;
}

bool Results::arrived(Range range) {
    schedule::Run &schedule = of.under_way();
    const Side &output = of.what().output;
    const auto is_here = [&] {
        if (output.bytes() == 0) return true;
        // Else memory does not say which bytes: all of them.
        return output.span() ? !schedule.missing().intersects(range) : of.complete();
    };
    since_look += range.bytes();
    if (since_look >= between_looks || !is_here()) {
        since_look = 0;
        schedule.poll();
    }
    return is_here();
}

void Results::waits(bool begins) {
    if (begins) report::Stop::meets(reported);
    run.waits(begins, trace::now());
}

void Results::result(Range range) {
    if (!guarded) return;
    bring(range);
    if (guarded->missing() > 0) return;
    open_pages();
    all_there = true;
}

void Results::bring(Range range) {
    const report::Cost cost(reported);
    if (!guarded->arrive(range.begin, of.what().output.memory() + range.begin, range.bytes()))
        of.fail("its result cannot come in: its buffer is gone, unmapped before it had come");
}

void Results::open_pages() {
    const report::Cost cost(reported);
    guarded->end();
    guarded = nullptr;
}

} // namespace stretto::front
