#pragma once
#include "mpi/eager.h"
#include "mpi/library.h"
#include "process/lasting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stretto::mpi {

//! \brief What this process knows of another one in MPI_COMM_WORLD.
struct Peer {
    int rank = MPI_PROC_NULL;    //!< in the private communicator; MPI_PROC_NULL: does not run Stretto
    bool frames = false;         //!< framed messages pass between it and us (protocol rule 1)
    bool frames_plain = false;   //!< ordinary sends to it are framed too, not only delta sends
    std::size_t eager = 0;       //!< bytes: the largest message that needs nothing more from its sender (rule 7)
    double rate = 0;             //!< bytes per second of a large message to it
    int seat = -1;               //!< its place among the ranks of our node (mpi/inbox.h); -1: it is on another one
    bool copies = false;         //!< deltas to it leave from copies, as the library holds on to what it sends
    std::size_t outstanding = 0; //!< memory_of() what was sent to it and is not known to be matched (rule 4)

    bool is_near() const { return seat >= 0; } //!< on our node
};

//! Bytes that a receiver's library takes for a message of so many that nobody asked for: libfabric 16 KiB at least, Open MPI up to a
//! quarter more than the message has.
constexpr std::size_t memory_of(std::size_t bytes) {
    return std::max(bytes + bytes / 4, std::size_t{1} << 14);
}

//! Of the tags of Job::deltas: below are messages of the runtime itself.
inline constexpr int lowest_tag = 16;

//! \brief This process's job: agreed once, in MPI_Init.
struct Job {
    int rank = 0, size = 1;   //!< in MPI_COMM_WORLD
    bool framing = false;     //!< some peer frames
    Lasting<std::string> why; //!< why none does
    MPI_Comm deltas{}; //!< the private communicator, once it is made: whoever runs Stretto, in the order of the world
    MPI_Comm self{};   //!< private too: dummies of matched probes (rule 9)
    MPI_Comm partitioned{};            //!< as `deltas`, for partitioned messages, if some rank's program has them
    std::vector<MPI_Comm> collectives; //!< as `deltas`, for messages of collectives (mpi/channel.h)
    bool delta_collectives = false;    //!< some rank's program has them; known where not `relays`
    bool compiled_collectives =
        false; //!< some rank's program feeds blocking ones, or uses them part by part (include/stretto/abi.h)
    bool compares = false; //!< of collectives ranks tell each other what they ask for: STRETTO_DEBUG=1 on all of them
    bool some_report = false, all_report = false; //!< were some ranks, or all, asked for a report (mpi/report.h)?
    bool relays = false; //!< ranks can pass messages of collectives on while the library waits in another call
    std::array<std::uint8_t, 16> nonce{}; //!< what every header begins with
    std::vector<Peer> peers;              //!< by rank in MPI_COMM_WORLD
    std::vector<int> world_rank;          //!< of a rank in `deltas`
    int highest_tag = 32767;              //!< of those that are used of `deltas`
    int tag_bound = 32767;                //!< MPI_TAG_UB
    std::size_t window = 0;               //!< bytes of memory that unmatched messages may take at one peer (rule 4)

    bool has_deltas() const { return deltas != MPI_Comm{}; }
    bool has_partitioned() const { return partitioned != MPI_Comm{}; }
};

extern Job job;

//! What a rank shows to the others before they can talk: those with the same card frame.
const char *card();

//! How a job ends that fails (on_failure()): MPI_Abort.
void abort_job();

//! Ranks of a job that frames agree on everything in Job. Collective over those that run Stretto, called at the end of MPI_Init.
//! first_fragment: bytes of what a framed message begins with, which an unready receiver must be able to take.
void join(std::size_t first_fragment);

//! Before MPI_Init, as far as the launcher says it: all ranks are on this host.
bool is_on_one_host();

//! Rule 18, the last part: all ranks that run Stretto are past their last message.
void leave();

//! \brief Peers that are alike: those on our node, or those on others.
struct LinkClass {
    const char *name; //!< "node", "remote"
    int peers;
    Link link;
    bool frames_plain; //!< as Peer's
    bool one_sided;    //!< deltas go through memory that both share
};

//! Those classes that have peers.
std::vector<LinkClass> link_classes();

//! One line of JSON: what was found and decided (STRETTO_INFO=1).
std::string describe_job();

} // namespace stretto::mpi
