// Which collectives are ours, found by trying (docs/decisions/0018-one-trial-for-messages-and-collectives.md, 0031-collectives-that-do-not-block-are-tried.md).
#include "front/collectives/trials.h"

#include "front/collectives/collective.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/operation.h"
#include "front/system/pages.h"
#include "trace/timeline.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace stretto {

namespace {

using tune::Trial;

// Counted in nanoseconds, so that all ranks get the same sum.
using Counted = std::array<std::int64_t, 5>;

Counted counted(const Trial::Measured &mine) {
    const auto nanoseconds = [](double seconds) { return static_cast<std::int64_t>(seconds * 1e9); };
    return {nanoseconds(mine.native), nanoseconds(mine.ours), nanoseconds(mine.least), nanoseconds(mine.so_far),
            nanoseconds(mine.uneven)};
}

Trial::Measured average(const Counted &all, int ranks) {
    const auto mean = [&](std::int64_t sum) { return 1e-9 * static_cast<double>(sum) / ranks; };
    return {mean(all[0]), mean(all[1]), mean(all[2]), mean(all[3]), mean(all[4])};
}

} // namespace

namespace mpi {

//! The library's own collective, on the program's communicator, whose ranks all begin it between the same two of theirs. It outlives a trial
//! that nobody asks any more.
class SumOfRanks final : public progress::Task {
public:
    static std::shared_ptr<SumOfRanks> begin(const Counted &mine, MPI_Comm comm) {
        auto sum = std::make_shared<SumOfRanks>();
        sum->mine = mine;
        if (library.Iallreduce(sum->mine.data(), sum->all_.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM,
                               comm, &sum->request) != MPI_SUCCESS)
            return nullptr;
        sum->self = sum;
        progress::add(*sum);
        return sum;
    }

    bool complete() const { return !self; }
    const Counted &all() const { return all_; }

    bool poll() override {
        int done = 0;
        if (library.Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) return false;
        progress::remove(*this);
        const auto last = std::move(self); // which may be the last that knows of this
        return false;
    }
    bool needs_us() const override { return true; }

private:
    Counted mine{}, all_{};
    MPI_Request request = MPI_REQUEST_NULL;
    std::shared_ptr<SumOfRanks> self; // while it is under way
};

} // namespace mpi

namespace front {

namespace {

bool at_once(const Asked &asked, std::size_t bytes) {
    Trial *trial;
    bool due;
    {
        const progress::Guard guard;
        trial = &asked.communicator->trials[asked.collective].of(bytes);
        due = trial->begins(trace::now(), bytes);
    }
    if (due) {
        const Counted mine = counted(trial->measured());
        Counted all;
        hand_over();
        const progress::Blocked blocked;
        const Alone alone;
        mpi::library.Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM,
                               asked.communicator->handle);
        trial->decide(average(all, asked.communicator->size()));
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
            late_trial->sum = mpi::SumOfRanks::begin(counted(trial.measured()), asked.communicator->handle);
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
    trial.decide(average(sum->all(), asked.communicator->size()));
    return trial.way() == tune::Way::ours;
}

} // namespace

bool is_quicker(const Asked &asked) {
    using collective::policy, collective::Policy;
    if (settings.force || !settings.trials || policy.ours == Policy::Ours::all) return true;
    const std::size_t bytes = asked.bytes.value_or(0);
    switch (asked.form) {
    case Form::blocking:
        // Groups that could not add up what they measured have the library's.
        return !asked.between_groups() && at_once(asked, bytes);
    case Form::non_blocking:
        return asked.between_groups() || !tells_that_all_have_begun(asked) || some_calls_late(asked, bytes);
    case Form::persistent:
    case Form::delta:
        return true;
    }
    return true;
}

} // namespace front

} // namespace stretto
