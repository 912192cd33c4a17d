// Delta collectives: a contribution leaves part by part while it is computed, a result is used part by part while the rest comes
// (SC05, section 4; SC07; docs/collectives.md).
#include "front/delta/collective.h"

#include "front/collectives/agreement.h"
#include "front/collectives/collective.h"
#include "front/delta/delta.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/operation.h"
#include "front/results.h"
#include "front/system/pages.h"
#include "pages/memory.h"
#include "range/range_set.h"
#include "settings/settings.h"
#include "trace/timeline.h"
#include "trigger/registry.h"
#include "tune/which_trigger.h"

#include <stretto/stretto.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace stretto::front {

namespace {

//! \brief One between its begin and its end.
class Open : public Collective {
public:
    Open(const DeltaBegins &begins, bool listens) : call(begins.call), site(begins.site), listens(listens) {
        delta_sends_open++;
        if (listens) stretto_sends_open = stretto_sends_open + 1;
    }

    //! Not under the lock. False: it is over, and its request stands for nothing any more.
    virtual bool end() = 0;

    const char *const call;
    const CallSite site;
    int error = MPI_SUCCESS;

protected:
    void has_ended() {
        delta_sends_open--;
        if (listens) stretto_sends_open = stretto_sends_open - 1;
    }
    const bool listens; // to annotations
};

//! \brief The library's own, at its end. Any annotation may be of its memory.
class Later final : public Open, private trigger::Sender {
public:
    Later(DeltaBegins &begins, bool listens)
        : Open(begins, listens), native(std::move(begins.native)), agreement(take_agreement()) {
        trigger::enter(nullptr, SIZE_MAX, *this);
    }

    bool complete() override { return false; }

    bool end() override {
        {
            const progress::Guard guard;
            trigger::leave(*this);
            has_ended();
        }
        if (agreement) progress::until([&] { return agreement->complete(); });
        const progress::Blocked blocked;
        if (active) hand_over();
        settle_everything(true);
        const Alone alone;
        error = native();
        return false;
    }

private:
    void ready(Range, CallSite) override {}
    std::function<int()> native;
    const std::unique_ptr<Agreement> agreement;
};

//! \brief A schedule that is fed.
class Fed final : public Open, private trigger::Sender {
public:
    Fed(const DeltaBegins &begins, std::unique_ptr<Scheduled> what, bool listens, tune::Release release,
        trigger::Watch watch)
        : Open(begins, listens), scheduled(std::move(what)), results(*scheduled), release(release),
          begun(trace::now()) {
        const Asked &asked = scheduled->what();
        // What lies in the output, or in an image, is taken from there when it is all there.
        is_held = asked.input.bytes() > 0 ? !asked.input.span() : asked.arguments.in_place;
        guards = release == tune::Release::guarded && Results::can_be_guarded(*scheduled);
        if (guards) scheduled->set_apart();
        if (!is_held) scheduled->start(&results, asked.input.bytes() > 0);
        const Side &contribution = is_held && asked.input.bytes() == 0 ? asked.output : asked.input;
        const Range memory = contribution.span().value_or(contribution.addresses());
        trigger::enter(pages::pointer(memory.begin), memory.bytes(), *this, watch, asked.arguments.lane, site);
    }

    ~Fed() override { leave(); }

    bool end() override {
        scheduled->what().input.settle(false);
        {
            const progress::Guard guard;
            stop_listening();
            if (is_held)
                scheduled->start(&results);
            else
                scheduled->under_way().all_ready();
            if (complete()) return true;
            if (guards) results.close_pages();
            results.begin_use();
            hears_needs = release == tune::Release::annotated;
            if (hears_needs) stretto_receives_open = stretto_receives_open + 1;
        }
        progress::until([&] { return may_run_on(); });
        return true;
    }

    bool complete() override {
        if (!scheduled->complete()) return false;
        leave();
        return true;
    }

private:
    // Without annotations and pages nobody could say what is needed.
    bool may_run_on() { return hears_needs || complete() || results.usable(); }

    // Of the sender.
    void ready(Range range, CallSite where) override {
        const auto twice = is_held ? declared.insert(range) : scheduled->under_way().ready(range);
        if (twice)
            fail("MPIX_Delta_send_data",
                 bytes(twice->begin, twice->end) + " of the contribution were declared ready twice", where);
    }

    void stop_listening() {
        const trigger::Heard heard = trigger::leave(static_cast<trigger::Sender &>(*this));
        has_ended();
        const std::size_t total = scheduled->what().input.bytes();
        if (heard.misuse && !heard.watch.is_rehearsal())
            fail(call,
                 "byte " + std::to_string(heard.misuse->offset) +
                     " of the contribution was written again after it had left: see docs/pages.md, or set "
                     "STRETTO_TRIGGER=plain",
                 site);
        if (total) tune::learn_sender(site, heard, total, trace::now() - begun);
    }

    void leave() {
        results.end_use();
        if (hears_needs) stretto_receives_open = stretto_receives_open - 1;
        hears_needs = false;
    }

    std::unique_ptr<Scheduled> scheduled;
    Results results;
    const tune::Release release;
    const double begun;
    bool is_held = false, guards = false, hears_needs = false;
    RangeSet declared; // of what is held
};

constinit std::vector<std::pair<MPI_Request, Open *>> open;

} // namespace

int delta_begin(DeltaBegins begins, MPI_Request *request) {
    caller = begins.site;
    std::unique_ptr<Scheduled> scheduled;
    if (active) begins.offer({begins.call, Form::delta, &scheduled});
    const Trigger said = trigger_on(begins.comm);
    tune::Release release;
    trigger::Watch watch;
    {
        const progress::Guard guard;
        release = tune::release(said, begins.site);
        if (scheduled) watch = scheduled->watch(said, begins.site);
    }
    if (scheduled && (watch || release == tune::Release::guarded)) start_pages();
    const bool listens = listens_to_annotations(said);
    const progress::Guard guard;
    if (active) enter();
    std::unique_ptr<Open> collective;
    if (scheduled)
        collective = std::make_unique<Fed>(begins, std::move(scheduled), listens, release, watch);
    else
        collective = std::make_unique<Later>(begins, listens);
    Operation &operation = new_operation();
    operation.waits_for_end = true;
    *request = operation.handle;
    open.emplace_back(*request, collective.get());
    operation.collective = std::move(collective);
    return MPI_SUCCESS;
}

int delta_end(MPI_Request *request, CallSite site) {
    Open *collective;
    {
        const progress::Guard guard;
        const auto at = std::find_if(open.begin(), open.end(), [&](const auto &one) { return one.first == *request; });
        if (at == open.end())
            fail("MPIX_Delta_collective_end",
                 "this request is no open delta collective: it was not begun, or has ended already", site);
        collective = at->second;
        open.erase(at);
        if (active) enter();
        operations.find(*request)->waits_for_end = false;
    }
    if (collective->end()) return MPI_SUCCESS;
    const progress::Guard guard;
    const int error = collective->error;
    Operation *operation = operations.find(*request);
    operations.erase(*request);
    mpi::give_back(*request);
    delete operation;
    *request = MPI_REQUEST_NULL;
    return error;
}

void check_all_collectives_ended() {
    if (open.empty()) return;
    fail("MPI_Finalize", std::string(open.front().second->call) + " is open: MPIX_Delta_collective_end is missing",
         open.front().second->site);
}

} // namespace stretto::front
