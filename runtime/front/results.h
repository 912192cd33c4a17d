// The result of a collective, used while it comes (docs/collectives.md).
#pragma once
#include "front/collectives/collective.h"
#include "pages/guard.h"
#include "schedule/run.h"
#include "trace/report.h"
#include "trigger/registry.h"
#include "tune/which_release.h"

#include <cstddef>
#include <optional>

namespace stretto::front {

//! \brief What a schedule writes for the program, from when the program may look for it. Under the lock.
class Results final : public schedule::Listener, private trigger::Receiver {
public:
    explicit Results(Scheduled &of) : of(of) {}
    ~Results() { end_use(); }

    //! Could pages hold the program back from what has not come? Else it waits for all of it.
    static bool can_be_guarded(const Scheduled &collective);

    //! Of one that was set apart: what has come goes to the program's memory, whose other pages are closed, if they can be.
    void close_pages();

    //! Is everything there, but what closed pages hold the program back from?
    bool usable() const { return guarded ? guarded->edges_arrived() : all_there; }

    bool guards() const { return guarded; }

    //! The program goes on, and may wait for them: where pages are touched, or by annotations.
    void begin_use();
    //! The collective is complete. Says what it brought to go on, if that began.
    std::optional<tune::RunOn> end_use();

private:
    const Side &used() const;
    void result(Range range) override;
    bool arrived(Range range) override;
    void waits(bool begins) override;
    void bring(Range range);
    void open_pages();

    Scheduled &of;
    pages::Guard *guarded = nullptr;
    bool all_there = false, is_used = false;
    std::size_t since_look = 0; // bytes that the program used
    tune::RunOn run;
    report::Site *reported = report::current;
};

} // namespace stretto::front
