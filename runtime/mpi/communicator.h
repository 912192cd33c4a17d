#pragma once
#include "mpi/job.h"
#include "mpi/late_trial.h"
#include "mpi/library.h"
#include "settings/settings.h"
#include "tune/trial.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace stretto::mpi {

class Channel;
struct Neighbors;

//! \brief A communicator of the program, as far as messages on it may be framed. Known by its serial, not by its handle,
//! which the library uses again (rule 17); whoever needs it longer than a call keeps a shared pointer.
struct Communicator {
    MPI_Comm handle;
    std::uint64_t serial;
    int rank = MPI_PROC_NULL; //!< this process in it
    bool frames = false;      //!< framed messages may pass on it at all
    Use use = settings.use;   //!< what is done with ordinary messages; the program's own word (stretto) or STRETTO
    std::optional<Trigger> trigger; //!< the program's own word (stretto_trigger); else STRETTO_TRIGGER
    std::vector<Peer *> peers;      //!< by (remote) rank; nullptr: outside MPI_COMM_WORLD
    //! A peer by the longest way that messages take in it: between nodes, if it has ranks on several. Of both groups.
    //! Nobody, where some rank does not run Stretto, or there is no other. All ranks get a peer of the same class.
    const Peer *farthest = nullptr;
    bool between_groups = false;          //!< an inter-communicator
    std::shared_ptr<Channel> channel;     //!< of its collectives, where they may be ours
    std::shared_ptr<Channel> partitioned; //!< its ranks' numbers, where partitioned messages are ours
    std::map<std::tuple<bool, int, int>, std::uint32_t>
        partitioned_made;                       //!< how many: as the sender, rank of the other side, tag
    std::shared_ptr<const Neighbors> neighbors; //!< on a grid or graph, once they have been asked for

    std::unordered_map<std::string_view, tune::BySize<tune::Trial>>
        trials; //!< of its blocking collectives, by their names
    std::unordered_map<std::string_view, tune::BySize<LateTrial>> late_trials; //!< of the others

    bool all_run_stretto() const;

    int size() const { return static_cast<int>(peers.size()); }

    Trigger says_what_is_final() const { return trigger.value_or(settings.trigger); }

    //! The peer that a send to this rank goes to, when it frames; else nullptr.
    Peer *framing_peer(int rank) const {
        if (rank < 0 || static_cast<std::size_t>(rank) >= peers.size()) return nullptr;
        Peer *peer = peers[static_cast<std::size_t>(rank)];
        return peer && peer->frames ? peer : nullptr;
    }

    //! May a receive from this rank (MPI_ANY_SOURCE too) meet a framed message?
    bool may_meet_framed(int source) const {
        return frames && (source == MPI_ANY_SOURCE || framing_peer(source) != nullptr);
    }
};

//! The one asked for last: most programs use one or two.
struct Last {
    MPI_Comm handle{};
    const std::shared_ptr<Communicator> *communicator = nullptr;
};
extern Last last;

const std::shared_ptr<Communicator> &find_communicator(MPI_Comm handle);

//! The communicator behind a handle; never null (an invalid handle gives one that frames nothing).
inline const std::shared_ptr<Communicator> &communicator(MPI_Comm handle) {
    return last.communicator && handle == last.handle ? *last.communicator : find_communicator(handle);
}

//! A channel for a communicator whose ranks all run Stretto. Collective over it.
std::shared_ptr<Channel> make_channel(const Communicator &communicator);

//! Has its handle not been freed?
bool is_known(const Communicator &communicator);

//! Tags suffice for channels.
bool there_are_channels();

//! The program frees the handle: whatever comes next under it is another communicator.
void forget(MPI_Comm handle);

//! All of them: MPI ends.
void forget_all();

} // namespace stretto::mpi
