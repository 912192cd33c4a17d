// What a communicator is told (MPI 4.1, 7.4.4), what its ranks tell each other, and its end (7.4.3 and 11.10.4; docs/protocol, rule 17).
#include "front/calls/communicator.h"

#include "front/collectives/collective.h"
#include "front/enter.h"
#include "front/handled.h"
#include "front/system/pages.h"
#include "message/probed.h"
#include "mpi/channel.h"
#include "mpi/communicator.h"
#include "trace/counters.h"

#include <optional>

namespace stretto::front {

namespace {

// Under the lock. The handle may come again for another communicator.
void forget(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return;
    message::probed::forget(*mpi::communicator(comm));
    mpi::forget(comm);
}

// What a peer waits for in this call was handed over.
void part(MPI_Comm *comm) {
    wait_for_matches();
    settle_everything(false);
    progress::Guard guard;
    enter();
    progress::hand_over();
    forget(*comm);
}

template <class What>
void take(What &hint, MPI_Info info, const char *key, auto *asked) {
    char value[MPI_MAX_INFO_VAL] = "";
    int found = 0;
    mpi::library.Info_get(info, key, sizeof value - 1, value, &found);
    if (!found) return;
    if (const auto known = asked(std::string("the info key ").append(key).c_str(), value)) hint = *known;
}

void set(mpi::Communicator &comm, MPI_Info info) {
    if (info == MPI_INFO_NULL) return;
    take(comm.use, info, "stretto", use_asked);
    take(comm.trigger, info, "stretto_trigger", trigger_asked);
}

} // namespace

void take_hints(MPI_Comm comm, MPI_Info info) {
    bool had_channel;
    {
        progress::Guard guard;
        mpi::Communicator &communicator = *mpi::communicator(comm);
        set(communicator, info);
        had_channel = communicator.channel != nullptr;
    }
    if (!had_channel) introduce(comm); // its collectives may have become ours
}

void take_hints(MPI_Comm, MPI_Info info, const MPI_Comm *made) {
    progress::Guard guard;
    set(*mpi::communicator(*made), info);
}

void take_hints(MPI_Comm comm, const MPI_Comm *made) {
    progress::Guard guard;
    const auto of = mpi::communicator(comm), to = mpi::communicator(*made);
    to->use = of->use;
    to->trigger = of->trigger;
}

void introduce(MPI_Comm made) {
    if (made == MPI_COMM_NULL) return;
    std::shared_ptr<mpi::Communicator> communicator;
    std::shared_ptr<mpi::Channel> channel;
    bool collectives, partitioned;
    {
        progress::Guard guard;
        communicator = mpi::communicator(made);
        const mpi::Job &job = mpi::job;
        const bool on_any_link = job.relays || job.delta_collectives || job.compiled_collectives || job.compares;
        collectives = may_be_ours(*communicator, on_any_link ? Form::delta : Form::non_blocking);
        partitioned = job.has_partitioned() && !communicator->between_groups && communicator->all_run_stretto() &&
                      !communicator->partitioned;
        if (!collectives && !partitioned) return;
        channel = mpi::make_channel(*communicator);
    }
    progress::until([&] { return channel->learn(); });
    progress::Guard guard;
    if (partitioned) communicator->partitioned = channel;
    if (!collectives) return;
    if (channel->serves())
        communicator->channel = std::move(channel);
    else
        count(Rule::channels_none);
}

void ends_within(MPI_Comm comm) {
    std::optional<progress::Guard> guard;
    if (!progress::Guard::mine) guard.emplace(); // the call that it is within may have it
    forget(comm);
}

int Comm_free(MPI_Comm *comm) {
    const progress::Blocked blocked;
    part(comm);
    const Alone alone;
    return mpi::library.Comm_free(comm);
}

int Comm_disconnect(MPI_Comm *comm) {
    // It waits for this communicator's messages, and the deltas of framed ones are elsewhere: those first.
    const mpi::Communicator *mine = *comm == MPI_COMM_NULL ? nullptr : mpi::communicator(*comm).get();
    if (mine) progress::until([&] { return !progress::unfinished(mine); });
    const progress::Blocked blocked;
    part(comm);
    const Alone alone;
    return mpi::library.Comm_disconnect(comm);
}

} // namespace stretto::front
