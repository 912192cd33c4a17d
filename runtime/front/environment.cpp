// MPI_Init to MPI_Finalize: whether anything is framed (MPI 4.1, 11.2 and 11.6; docs/protocol, rules 1 and 18).
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/operation.h"
#include "mpi/eager.h"
#include "mpi/job.h"
#include "mpi/report.h"
#include "mpi/roster.h"
#include "trace/counters.h"
#include "trace/timeline.h"
#include "transport/two_sided.h"
#include "tune/settings.h"

#include <cstdio>
#include <malloc.h>
#include <string>

namespace stretto::front {

namespace {

void before_init() {
    read_settings();
    if (settings.off) return;
    // Large allocations have pages of their own, whatever the program has freed before: what is on them can be guarded.
    if (settings.unmatched) mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mpi::prepare_transport();
    mpi::roster::publish(mpi::card());
}

void after_init() {
    if (settings.off) return;
    int level = MPI_THREAD_SINGLE;
    mpi::library.Query_thread(&level);
    progress::Guard::multiple = level == MPI_THREAD_MULTIPLE;
    progress::Guard::one_thread = level == MPI_THREAD_SINGLE;
    mpi::join();
    trace::start(mpi::job.rank);
    active = mpi::job.framing;
    mpi::agree_on_report();
    if (settings.info) std::printf("stretto: info %s\n", mpi::describe_job().c_str());
    if (settings.info) std::fflush(stdout);
}

// Wait for all participants.
template <class Meanwhile>
void meet(Meanwhile meanwhile) {
    MPI_Request barrier;
    mpi::library.Ibarrier(mpi::job.deltas, &barrier);
    progress::until([&] {
        meanwhile();
        int done = 0;
        mpi::library.Test(&barrier, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

// Rule 18: what is ours ends first; then nobody needs our code any more. A send that the library has not completed, or an answer to one
// that has not left, would keep MPICH 4.0's MPI_Finalize for ever: once no program receives any more, we take in what is still coming.
void end_messages() {
    wait_for_matches();
    {
        progress::Guard guard;
        enter();
        progress::hand_over();
    }
    progress::until([] { return !progress::unfinished(); });
    meet([] {});
    progress::until([] {
        transport::discard();
        return !progress::anything_leaving();
    });
    meet(transport::discard);
}

} // namespace

int Init(int *argc, char ***argv) {
    before_init();
    const int error = mpi::library.Init(argc, argv);
    if (error == MPI_SUCCESS) after_init();
    return error;
}

int Init_thread(int *argc, char ***argv, int required, int *provided) {
    before_init();
    const int error = mpi::library.Init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS) after_init();
    return error;
}

int Query_thread(int *provided) {
    return mpi::library.Query_thread(provided);
}

int Finalize() {
    check_all_ended();
    if (active) end_messages();
    if (settings.counters && !settings.off) print_counters(mpi::job.rank);
    trace::write();
    mpi::write_report();
    if (!settings.off) mpi::leave();
    active = false;
    return mpi::library.Finalize();
}

void wait_for_matches() {
    if (!message::unmatched) return;
    trace::Wait waiting;
    stretto::count(Rule::send_held);
    progress::until([] { return message::unmatched == 0; });
}

void hand_over() {
    wait_for_matches();
    hand_over_at_once();
}

void hand_over_at_once() {
    progress::Guard guard;
    enter();
    if (progress::tasks) {
        progress::hand_over();
        progress::poll();
    }
}

} // namespace stretto::front
