// Which collectives are ours, found by trying (docs/decisions/0018-one-trial-for-messages-and-collectives.md, 0031-collectives-that-do-not-block-are-tried.md).
#include "front/collectives/trials.h"

#include "front/collectives/collective.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/operation.h"
#include "front/system/pages.h"
#include "mpi/communicator.h"
#include "mpi/late_trial.h"
#include "settings/settings.h"
#include "trace/timeline.h"

#include <string_view>
#include <utility>

namespace stretto::front {

namespace {

using tune::Trial;

bool at_once(const Asked &asked, std::size_t bytes) {
    Trial *trial;
    bool due;
    {
        const progress::Guard guard;
        trial = &asked.communicator->trials[asked.collective].of(bytes);
        due = trial->begins(trace::now(), bytes);
    }
    if (due) {
        const mpi::Counted mine = mpi::counted(trial->measured());
        mpi::Counted all;
        hand_over();
        const progress::Blocked blocked;
        const Alone alone;
        mpi::library.Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM,
                               asked.communicator->handle);
        trial->decide(mpi::average(all, asked.communicator->size()));
    }
    return trial->way() == tune::Way::ours;
}

// Calls after which a sum counts. A rank that makes the last of them without knowing the sum waits for it. Nobody waits for that rank meanwhile, if one of
// these calls is complete there: so all ranks have begun the sum. Who has more of them under way at a time has so many at least.
constexpr unsigned late = 16;

// Who has completed it knows that all ranks have begun it.
bool tells_that_all_have_begun(const Asked &asked) {
    const std::string_view name = asked.collective;
    return asked.bytes && *asked.bytes > 0 && asked.communicator->size() > 1 &&
           (name == "alltoall" || name == "allgather" || name == "allreduce");
}

bool some_calls_late(const Asked &asked, std::size_t bytes) {
    mpi::LateTrial *late_trial;
    {
        const progress::Guard guard;
        late_trial = &asked.communicator->late_trials[asked.collective].of(bytes);
        Trial &trial = late_trial->trial;
        if (!late_trial->sum) {
            if (!trial.begins(trace::now(), bytes)) return trial.way() == tune::Way::ours;
            enter();
            late_trial->sum = mpi::SumOfRanks::begin(mpi::counted(trial.measured()), asked.communicator->handle);
            late_trial->calls_left = late;
            return trial.found_last() == tune::Way::ours;
        }
        if (--late_trial->calls_left > 0) return trial.found_last() == tune::Way::ours;
    }
    const auto sum = std::exchange(late_trial->sum, nullptr);
    progress::until([&] { return sum->complete(); });
    const progress::Guard guard;
    Trial &trial = late_trial->trial;
    trial.resumes(trace::now());
    trial.decide(mpi::average(sum->all(), asked.communicator->size()));
    return trial.way() == tune::Way::ours;
}

} // namespace

bool is_quicker(const Asked &asked) {
    using collective::policy, collective::Policy;
    if (settings.force || !settings.trials || policy.ours == Policy::Ours::all) return true;
    const std::size_t bytes = asked.bytes.value_or(0);
    // Groups that could not add up what they measured have the library's.
    if (asked.form == Form::blocking) return !asked.between_groups() && at_once(asked, bytes);
    if (asked.form == Form::non_blocking && !asked.between_groups() && tells_that_all_have_begun(asked))
        return some_calls_late(asked, bytes);
    return true;
}

} // namespace stretto::front
