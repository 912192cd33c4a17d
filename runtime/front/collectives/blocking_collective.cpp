// Blocking collectives that are ours (MPI 4.1, 6.4 to 6.11): a call returns once what it gives lies in a copy, and what it gets is there or
// behind closed pages (Ke et al. 2005; docs/collectives.md).
#include "front/collectives/blocking_collective.h"

#include "front/collectives/collective.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/operation.h"
#include "front/results.h"
#include "front/system/pages.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/timeline.h"
#include "tune/which_release.h"

#include <utility>

namespace stretto::front {

namespace {

using report::Fate;

//! \brief One under way, in its call and, where that returns early, until it is complete; then it goes by itself. Under the lock.
class Blocking final : public progress::Task {
public:
    Blocking(std::unique_ptr<Scheduled> what, bool can_be_detached)
        : collective(std::move(what)), results(*collective), detached(can_be_detached) {
        report::is_ours();
        if (detached && gets() > 0 &&
            !tune::lets_run_on(collective->begun_at(), gets(), link_rate(), tune::Comes::in_deltas)) {
            detached = false;
            fate = tune::is_worth_it(gets(), link_rate()) ? Fate::receive_given_up : Fate::receive_little;
        }
        if (detached) {
            const report::Cost cost(reported);
            collective->detach();
            fate = gets() > 0 ? Fate::receive_here : Fate::send_framed;
        }
        collective->start(detached && gets() > 0 ? &results : nullptr);
    }

    bool may_return() {
        if (collective->complete()) return true;
        if (!detached || !collective->under_way().may_begin()) return false;
        if (gets() == 0 || results.usable()) return true;
        const RangeSet &missing = collective->under_way().missing();
        // With nothing missing that delivers.
        if (!missing.empty() && (tried || !may_close_pages(missing))) return false;
        const bool is_new = !std::exchange(tried, true);
        results.close_pages();
        if (results.guards()) {
            fate = Fate::receive_released;
        } else if (is_new && !results.usable()) {
            fate = Fate::receive_unguardable;
            tune::learn(collective->begun_at(), {.bytes = gets()});
        }
        return results.usable();
    }

    //! Its call returns.
    void leave() {
        if (collective->complete()) {
            end();
            return;
        }
        count(Rule::collective_released);
        collective->under_way().ends_job_on_error();
        if (results.guards()) results.begin_use();
        progress::add(*this);
    }

    Failure failure() const { return collective->failure(); }

    bool poll() override {
        if (!collective->complete()) return false;
        end();
        return false;
    }
    bool needs_us() const override { return true; }
    bool goes_on_in_native_calls() const override { return true; }
    const void *communicator() const override { return collective->what().communicator.get(); }

private:
    std::size_t gets() const { return collective->what().output.bytes(); }
    double link_rate() const { return collective->what().communicator->farthest->rate; }

    // What the call promises, that all whose data it gives have made theirs, holds once something of each has come.
    bool may_close_pages(const RangeSet &missing) const {
        return collective->what().output.has_some_of_each_block(missing) &&
               tune::is_worth_it(missing.bytes(), link_rate());
    }

    void end() {
        progress::remove(*this);
        if (const auto run = results.end_use()) tune::learn(collective->begun_at(), *run);
        report::message(reported, fate, gets() > 0 ? gets() : collective->what().input.bytes());
        delete this;
    }

    std::unique_ptr<Scheduled> collective;
    Results results;
    bool detached, tried = false;
    Fate fate = Fate::receive_waits;
    report::Site *reported = report::current;
};

} // namespace

int carry_out(std::unique_ptr<Scheduled> collective) {
    const trace::Wait wait;
    bool can_be_detached;
    {
        const progress::Guard guard;
        can_be_detached = collective->can_be_detached();
    }
    if (can_be_detached) start_pages();
    Blocking *blocking;
    {
        const progress::Guard guard;
        blocking = new Blocking(std::move(collective), can_be_detached);
    }
    progress::until([&] { return blocking->may_return(); });
    const progress::Guard guard;
    const Failure failure = blocking->failure();
    blocking->leave();
    return failure.error == MPI_SUCCESS ? MPI_SUCCESS : raise(*failure.communicator, failure.error);
}

} // namespace stretto::front
