#pragma once
#include "mpi/library.h"
#include "progress/progress.h"
#include "tune/trial.h"

#include <array>
#include <cstdint>
#include <memory>

namespace stretto::mpi {

//! \brief What all ranks measured in a trial (tune/trial.h), added up. Counted in nanoseconds, so that all get the same sum.
using Counted = std::array<std::int64_t, 5>;
Counted counted(const tune::Trial::Measured &mine);
tune::Trial::Measured average(const Counted &all, int ranks);

//! \brief They are added up beside the program: by the library's own collective, on the program's communicator, whose ranks all begin it between the
//! same two of theirs. It outlives a trial that nobody asks any more. Under the lock.
class SumOfRanks final : public progress::Task {
public:
    //! nullptr: the library does not take it.
    static std::shared_ptr<SumOfRanks> begin(const Counted &mine, MPI_Comm comm);

    bool complete() const { return !self; }
    const Counted &all() const { return all_; }

    bool poll() override;
    bool needs_us() const override { return true; }

private:
    Counted mine{}, all_{};
    MPI_Request request = MPI_REQUEST_NULL;
    std::shared_ptr<SumOfRanks> self; // while it is under way
};

//! \brief A trial of calls that wait for nobody: the sum counts some calls late. Who makes such calls has something to hide, so the first ones are ours.
struct LateTrial {
    tune::Trial trial{tune::Way::ours};
    std::shared_ptr<SumOfRanks> sum{}; //!< under way
    unsigned calls_left = 0;           //!< until it counts

    LateTrial inherited() const { return {trial.inherited()}; }
};

} // namespace stretto::mpi
