// MPI_Init to MPI_Finalize: whether anything is framed (MPI 4.1, 11.2 and 11.6; docs/protocol, rules 1 and 18).
#include "collective/choice.h"
#include "front/calls/communicator.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/mdmp/region.h"
#include "front/operation.h"
#include "message/header.h"
#include "mpi/communicator.h"
#include "mpi/eager.h"
#include "mpi/job.h"
#include "mpi/report.h"
#include "mpi/roster.h"
#include "mpi/waits.h"
#include "pages/dispatch.h"
#include "pages/guard.h"
#include "progress/helper.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/source.h"
#include "trace/timeline.h"
#include "transport/two_sided.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <mutex>
#include <string>

namespace stretto::front {

namespace {

// What sockets hold at the least, both ends of a connection together.
constexpr double held_by_sockets = 128 << 10;
constexpr double least_period = 250e-6, most_period = 20e-3;

// The helper's look. The program's own threads come first: they call the library, or wait in it. And while the library may use a page of
// a buffer that has not come, only the program's one thread, which might touch that page, may call it.
progress::helper::Found look(double until_next) {
    using progress::helper::Found;
    const Inside inside;
    const progress::Apart apart;
    progress::Guard guard{std::try_to_lock};
    if (!guard.held() || progress::looking || progress::blocked || pages::Guard::may_lend()) return Found::still;
    if (!progress::tasks) return Found::nothing;
    const std::size_t moves = progress::moves;
    progress::until_next_look = until_next;
    progress::poll();
    progress::until_next_look = 0;
    progress::helper::look_within(progress::look_within());
    if (progress::moves == moves) return Found::still;
    stretto::count(Rule::helper_moved);
    return Found::moved;
}

void enable_helper() {
    double rate = 0;
    for (const mpi::LinkClass &links : mpi::link_classes())
        if (links.frames_plain) rate = std::max(rate, links.link.rate);
    if (rate <= 0) return;
    progress::Guard::pages = true;
    const double period =
        settings.helper > 0 ? settings.helper : std::clamp(held_by_sockets / rate, least_period, most_period);
    progress::helper::enable(look, period, settings.force ? 0 : static_cast<std::size_t>(held_by_sockets));
}

// Where messages take no time there is nothing to look after; and a library that threads may call is slower. Links inside a host are taken to
// be fast unless the user says otherwise.
bool may_need_helper() {
    return settings.helps() && (settings.helper > 0 || settings.force || settings.fast_link != Settings().fast_link ||
                                !mpi::is_on_one_host());
}

// The helper is a thread that calls the library. All such calls take one lock of ours first, which is all that Open MPI needs: told of threads, it
// would make each call pay for locks and atomic operations of its own (a small MPI_Allreduce takes half as long again).
#ifdef OPEN_MPI
constexpr int level_of_helper = MPI_THREAD_SINGLE;
#else
constexpr int level_of_helper = MPI_THREAD_SERIALIZED;
#endif

// The level that the program asked for, where the library has more.
int asked_level = MPI_THREAD_MULTIPLE;

// What MPI_Init means may be set from outside.
bool level_is_set() {
    return std::getenv("OMPI_MPI_THREAD_LEVEL") || std::getenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL");
}

int init(int *argc, char ***argv, int required, int *provided) {
    asked_level = required;
    const int raised = may_need_helper() ? std::max<int>(required, level_of_helper) : required;
    const int error = mpi::library.Init_thread(argc, argv, raised, provided);
    *provided = std::min(*provided, required);
    return error;
}

bool may_be_called_by_threads() {
    int level = MPI_THREAD_SINGLE;
    mpi::library.Query_thread(&level);
    return level >= level_of_helper;
}

void before_init() {
    read_settings();
    source::let_exceptions_pass();
    if (settings.off) return;
    // Large allocations have pages of their own, whatever the program has freed before: what is on them can be guarded.
    if (settings.unmatched) mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mpi::prepare_transport();
    static_assert(message::version == 1, "the card names the protocol");
    mpi::roster::publish(mpi::card());
}

void after_init() {
    straight_through = settings.off;
    if (settings.off) return;
    int level = MPI_THREAD_SINGLE;
    Query_thread(&level);
    progress::Guard::multiple = level == MPI_THREAD_MULTIPLE;
    progress::Guard::one_thread = level == MPI_THREAD_SINGLE;
    mpi::join(message::first_fragment);
    collective::policy = collective::Policy::read(settings.collectives);
    trace::start(mpi::job.rank);
    active = mpi::job.framing || mpi::job.has_partitioned();
    mpi::agree_on_report();
    straight_through = !active && !report::enabled;
    if (active) progress::looks_before_yield = mpi::waits::looks_before_yield(progress::most_looks_before_yield);
    if (active) introduce(MPI_COMM_WORLD);
    if (mpi::job.has_partitioned()) introduce(MPI_COMM_SELF);
    if (active && settings.helps() && may_be_called_by_threads()) enable_helper();
    if (settings.info != Info::none) {
        std::printf("stretto: info %s\n", mpi::describe_job().c_str());
        std::fflush(stdout);
    }
    if (mpi::job.rank == 0)
        for (const std::string &about : complaints()) std::fprintf(stderr, "stretto: %s\n", about.c_str());
}

// Wait for all participants.
template <class Meanwhile>
void meet(Meanwhile meanwhile) {
    MPI_Request barrier;
    {
        progress::Guard guard;
        mpi::library.Ibarrier(mpi::job.deltas, &barrier);
    }
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
    {
        progress::Guard guard;
        mpi::forget_all();
    }
    meet([] {});
    progress::until([] {
        transport::discard();
        return !progress::anything_leaving();
    });
    meet(transport::discard);
}

} // namespace

int Init(int *argc, char ***argv) {
    if (mdmp::take_over_mpi()) return MPI_SUCCESS;
    before_init();
    int provided;
    const int error = may_need_helper() && !level_is_set() ? init(argc, argv, MPI_THREAD_SINGLE, &provided)
                                                           : mpi::library.Init(argc, argv);
    if (error == MPI_SUCCESS) after_init();
    return error;
}

int Init_thread(int *argc, char ***argv, int required, int *provided) {
    if (mdmp::take_over_mpi()) return Query_thread(provided);
    before_init();
    const int error = init(argc, argv, required, provided);
    if (error == MPI_SUCCESS) after_init();
    return error;
}

int Query_thread(int *provided) {
    const int error = mpi::library.Query_thread(provided);
    *provided = std::min(*provided, asked_level);
    return error;
}

int Finalize() {
    check_all_ended();
    mdmp::end_all_regions();
    if (active) end_messages();
    progress::helper::stop();
    if (settings.counters && !settings.off) {
        stretto::count(Rule::system_call_seen, pages::dispatch::calls_seen);
        stretto::count(Rule::thread_unseen, pages::dispatch::threads_unseen);
        print_counters(mpi::job.rank);
        collective::print_uses(mpi::job.rank);
    }
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
