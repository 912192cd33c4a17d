// A collective that a compiler's code feeds, and whose result it reads by strips: the schedule that the blocking call would be (decision 22;
// Danalis et al. 2005, 4).
#include "front/compiled/collective.h"

#include "front/delta/delta.h"
#include "front/delta/fed.h"
#include "front/enter.h"
#include "range/range_set.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/timeline.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stretto::front {

namespace {

//! \brief One between its begin and its close.
//!
//!     begun ──open()──> open ──close()──> over
//!
//! Before it is open it hears what of the contribution is final, afterwards what of the result is needed. Without a schedule it is the
//! library's, as all ranks have decided, or over.
class FedCollective final : public Fed, private schedule::Listener {
public:
    FedCollective(const char *name, CallSite site, std::unique_ptr<Scheduled> what, bool checked)
        : Fed(what ? what->what().input.span().value_or(Range{}) : Range{}), name(name), site(site),
          scheduled(std::move(what)), checked(checked) {
        all.push_back(this);
    }
    //! Over: this is what its call returns.
    FedCollective(const char *name, CallSite site, int error)
        : Fed(Range{}), name(name), site(site), is_open(true), error(error) {}
    ~FedCollective() override { std::erase(all, this); }

    void say(Range range, CallSite here) override {
        if (is_open)
            need(range);
        else
            ready(range, here);
    }

    void hold() override {
        if (is_open)
            wait();
        else
            is_held = true;
    }

    std::size_t strip() const override {
        if (!scheduled || (is_held && !is_open)) return SIZE_MAX;
        return strip_of(scheduled->what().arguments.lane);
    }

    // Results may come before it is open, and its messages read the contribution until it is over.
    bool other_meets(Range memory) const override {
        if (!scheduled) return false;
        const Side &other = is_open ? scheduled->what().input : scheduled->what().output;
        return other.addresses().intersects(memory);
    }

    void open(const std::function<int()> &native) {
        is_open = true;
        if (!scheduled) {
            error = by_library(native);
            return;
        }
        scheduled->what().input.settle(false);
        compare();
        {
            const progress::Guard guard;
            if (!started) start();
            scheduled->under_way().all_ready();
        }
        // What the call promises: something of each other rank has come. More is waited for where nobody could tell when.
        const Side &output = scheduled->what().output;
        const bool by_ranges = output.bytes() > 0 && output.span();
        const auto may_go_on = [&] {
            if (scheduled->complete() || output.bytes() == 0) return true;
            const collective::Arguments &call = scheduled->what().arguments;
            return by_ranges && output.has_some_of_each_other(scheduled->under_way().missing(), call.rank, call.ranks);
        };
        const trace::Wait waiting;
        progress::until(may_go_on);
        if (output.bytes() > 0) turn_to(by_ranges ? *output.span() : Range{});
        if (by_ranges) stretto::count(Rule::compiled_result);
    }

    int close() {
        if (scheduled) wait();
        return error;
    }

    //! Once it is open: nothing is left to wait for, and no error to give. Under the lock.
    bool is_over() const { return error == MPI_SUCCESS && (!scheduled || scheduled->complete()); }

    const char *const name;

    static int by_library(const std::function<int()> &native) {
        const progress::Blocked blocked;
        if (active) hand_over();
        if (progress::tasks) settle_everything(true);
        const Alone alone;
        return native();
    }

    static void check_all_ended() {
        if (!all.empty())
            fail("MPI_Finalize", std::string(all.front()->name) + " has not been ended by the code that began it",
                 all.front()->site);
    }

protected:
    std::int64_t begins_at(const void *buf) const override {
        return static_cast<std::int64_t>(addresses().begin - reinterpret_cast<std::uintptr_t>(buf));
    }

private:
    void ready(Range range, CallSite here) {
        if (is_held || !scheduled || elsewhere.keeps(range)) return;
        const progress::Guard guard;
        if (!started) start();
        leaves(range, here);
        for (const Range said : elsewhere.take()) leaves(said, here);
    }

    void leaves(Range range, CallSite here) {
        if (checked) remember(range);
        if (const auto twice = scheduled->under_way().ready(range))
            fail(name,
                 "bytes " + std::to_string(twice->begin) + " to " + std::to_string(twice->end) +
                     " of the contribution were said to be final twice",
                 here);
    }

    void need(Range range) {
        if (!scheduled) return;
        const bool has_result = scheduled->what().output.bytes() > 0;
        const auto arrived = [&] { return !has_result || !scheduled->under_way().missing().intersects(range); };
        {
            const progress::Guard guard;
            scheduled->under_way().poll();
            if (arrived()) return;
        }
        const trace::Wait waiting;
        progress::until(arrived);
    }

    void wait() {
        const trace::Wait waiting;
        progress::until([&] { return scheduled->complete(); });
    }

    // Fed in any case: so no lane waits for those before it, this rank's own block among them.
    void start() {
        started = true;
        scheduled->start(this, true);
    }

    void remember(Range range) {
        const std::byte *contribution = scheduled->what().input.memory();
        remembered.resize(addresses().bytes());
        std::memcpy(remembered.data() + range.begin, contribution + range.begin, range.bytes());
        remembered_ranges.insert(range);
    }

    void compare() const {
        const std::byte *contribution = scheduled->what().input.memory();
        for (const Range &range : remembered_ranges.ranges()) {
            const std::byte *then = remembered.data() + range.begin;
            const auto at = static_cast<std::size_t>(
                std::mismatch(then, then + range.bytes(), contribution + range.begin).first - then);
            if (at < range.bytes())
                fail(name,
                     "byte " + std::to_string(range.begin + at) + " of the contribution was written after it had left",
                     site);
        }
    }

    void result(Range) override {}

    static std::vector<const FedCollective *> all; // that have not ended

    const CallSite site;
    std::unique_ptr<Scheduled> scheduled;
    bool is_open = false, is_held = false, started = false;
    int error = MPI_SUCCESS;
    Elsewhere elsewhere;
    bool checked = false;
    std::vector<std::byte> remembered; // if checked: what has left, as it was
    RangeSet remembered_ranges;
};

constinit std::vector<const FedCollective *> FedCollective::all;

// What is over, without an error to give, has no handle.
stretto_handle handle_of_opened(std::unique_ptr<FedCollective> collective) {
    const progress::Guard guard;
    return collective->is_over() ? 0 : handle_of(collective.release());
}

} // namespace

stretto_handle compiled_collective_begin(CompiledCall &&call) {
    // Its begin may wait for the other ranks, and they for a send that has not been ended.
    if (!active || delta_sends_open || !is_known(call.call, call.site)) return 0;
    const Inside inside;
    const Within within(true);
    caller = call.site;
    const report::Call reported(depth == 1, call.name, call.site);
    if (call.comm == MPI_COMM_NULL || !listens_to_annotations(trigger_on(call.comm))) return 0;
    Compiled compiled{.feeds = true};
    call.offer({call.name, Form::blocking, nullptr, &compiled});
    if (!compiled.scheduled && !compiled.decided) return 0;
    const progress::Guard guard;
    if (compiled.scheduled) stretto::count(Rule::compiled_collective);
    const bool checked = call.call->flags & STRETTO_CALL_CHECKED;
    return handle_of(new FedCollective(call.name, call.site, std::move(compiled.scheduled), checked));
}

stretto_handle compiled_collective_open(stretto_handle handle, CompiledCall &&call) {
    const Inside inside;
    const Within within(true);
    caller = call.site;
    const report::Call reported(depth == 1, call.name, call.site, false);
    std::unique_ptr<FedCollective> collective(static_cast<FedCollective *>(fed(handle)));
    if (collective) {
        collective->open(call.native);
        return handle_of_opened(std::move(collective));
    }
    const bool by_strips = active && is_known(call.call, call.site) && call.comm != MPI_COMM_NULL &&
                           listens_to_annotations(trigger_on(call.comm));
    Compiled compiled;
    std::optional<int> error;
    if (active) error = call.offer({call.name, Form::blocking, nullptr, by_strips ? &compiled : nullptr});
    if (!error) error = FedCollective::by_library(call.native);
    if (*error != MPI_SUCCESS) {
        const progress::Guard guard;
        return handle_of(new FedCollective(call.name, call.site, *error));
    }
    if (!compiled.scheduled) return 0;
    {
        const progress::Guard guard;
        collective = std::make_unique<FedCollective>(call.name, call.site, std::move(compiled.scheduled), false);
    }
    collective->open(call.native);
    return handle_of_opened(std::move(collective));
}

int compiled_collective_close(stretto_handle handle, CallSite site) {
    if (!handle) return MPI_SUCCESS;
    const Inside inside;
    const Within within(true);
    std::unique_ptr<FedCollective> collective(static_cast<FedCollective *>(fed(handle)));
    const report::Call reported(depth == 1, collective->name, site, false);
    const int error = collective->close();
    const progress::Guard guard;
    collective.reset();
    return error;
}

void check_all_compiled_collectives_ended() {
    FedCollective::check_all_ended();
}

} // namespace stretto::front
