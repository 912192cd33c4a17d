#include "mpi/late_trial.h"

#include <utility>

namespace stretto::mpi {

Counted counted(const tune::Trial::Measured &mine) {
    const auto nanoseconds = [](double seconds) { return static_cast<std::int64_t>(seconds * 1e9); };
    return {nanoseconds(mine.native), nanoseconds(mine.ours), nanoseconds(mine.least), nanoseconds(mine.so_far),
            nanoseconds(mine.uneven)};
}

tune::Trial::Measured average(const Counted &all, int ranks) {
    const auto mean = [&](std::int64_t sum) { return 1e-9 * static_cast<double>(sum) / ranks; };
    return {mean(all[0]), mean(all[1]), mean(all[2]), mean(all[3]), mean(all[4])};
}

std::shared_ptr<SumOfRanks> SumOfRanks::begin(const Counted &mine, MPI_Comm comm) {
    auto sum = std::make_shared<SumOfRanks>();
    sum->mine = mine;
    if (library.Iallreduce(sum->mine.data(), sum->all_.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM,
                           comm, &sum->request) != MPI_SUCCESS)
        return nullptr;
    sum->self = sum;
    progress::add(*sum);
    return sum;
}

bool SumOfRanks::poll() {
    int done = 0;
    if (library.Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) return false;
    progress::remove(*this);
    const auto last = std::move(self); // which may be the last that knows of this
    return false;
}

} // namespace stretto::mpi
