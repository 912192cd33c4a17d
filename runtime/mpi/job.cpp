#include "mpi/job.h"

#include "mpi/channel.h"
#include "mpi/inbox.h"
#include "mpi/lifeline.h"
#include "mpi/requests.h"
#include "mpi/roster.h"
#include "mpi/waits.h"
#include "settings/settings.h"
#include "trace/failure.h"
#include "trigger/annotated.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <sched.h>
#include <sys/random.h>

namespace stretto::mpi {

constinit Job job;

namespace {

Link near_link, far_link;
int near_peers = 0, far_peers = 0;

// Below this a delta brings more work than it hides, but where it goes through memory; a first fragment must be eager anyway.
constexpr std::size_t usual_least_eager = 8000;
std::size_t least_eager, least_eager_near;

bool frames(bool near) {
    return near ? near_link.eager >= least_eager_near : far_link.eager >= least_eager;
}

bool frames_plain(bool near) {
    return frames(near) && (near ? near_link : far_link).rate < settings.fast_link;
}

// The ranks of the world that run Stretto, or none when that cannot be known.
std::vector<int> participants() {
    std::vector<int> ranks;
    const auto cards = roster::read_all(job.rank, job.size);
    for (int rank = 0; rank < job.size; rank++)
        if (cards[static_cast<std::size_t>(rank)] == card()) ranks.push_back(rank);
    return ranks;
}

void make_communicators(const std::vector<int> &ranks) {
    if (static_cast<int>(ranks.size()) == job.size)
        library.Comm_dup(MPI_COMM_WORLD, &job.deltas);
    else {
        MPI_Group world, group;
        library.Comm_group(MPI_COMM_WORLD, &world);
        library.Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
        library.Comm_create_group(MPI_COMM_WORLD, group, 0, &job.deltas);
        library.Group_free(&group);
        library.Group_free(&world);
    }
    library.Comm_dup(MPI_COMM_SELF, &job.self);
    library.Comm_set_errhandler(job.deltas, MPI_ERRORS_RETURN);
    library.Comm_set_errhandler(job.self, MPI_ERRORS_RETURN);
    int *most = nullptr, flag = 0;
    library.Comm_get_attr(job.deltas, MPI_TAG_UB, &most, &flag);
    if (flag) job.highest_tag = job.tag_bound = *most;
    // A few tags only, so that they run out and begin anew.
    if (settings.force) job.highest_tag = std::min(job.highest_tag, lowest_tag + 1024);
}

// Rank 0's: what every header begins with, and which collectives are ours and how they are done.
void tell_of_rank_0() {
    static struct {
        std::array<std::uint8_t, 16> nonce;
        char collectives[512];
    } its;
    if (getrandom(its.nonce.data(), its.nonce.size(), 0) < 0) its.nonce.fill(0x5a);
    // Tests forge headers, so they must know it.
    if (const char *text = settings.force ? std::getenv("STRETTO_NONCE") : nullptr)
        for (std::size_t k = 0; k < its.nonce.size(); k++) {
            unsigned byte = 0;
            if (std::sscanf(text + 2 * k, "%2x", &byte) != 1) break;
            its.nonce[k] = static_cast<std::uint8_t>(byte);
        }
    std::snprintf(its.collectives, sizeof its.collectives, "%s", settings.collectives);
    library.Bcast(&its, static_cast<int>(sizeof its), MPI_BYTE, 0, job.deltas);
    job.nonce = its.nonce;
    settings.collectives = its.collectives;
}

constexpr int enough_channels = 1024, most_communicators = 8; // of a library's 2048 or more

// Made before the first collective: later not all ranks would be there.
void make_communicators_of_collectives() {
    if (std::strcmp(settings.collectives, "off") == 0) return;
    const int each = Channel::most_on_one(job.tag_bound);
    const int needed = each > 0 ? std::min((enough_channels - 1) / each + 1, most_communicators) : 0;
    for (int k = 0; k < needed; k++) {
        library.Comm_dup(job.deltas, &job.collectives.emplace_back());
        library.Comm_set_errhandler(job.collectives.back(), MPI_ERRORS_RETURN);
    }
}

// MPICH 4.0 lets a second thread into UCX's progress now and then while a large message arrives, and UCX then aborts: the more often
// it is asked, the sooner. Seen with 4.0.2 at MPI_THREAD_MULTIPLE over TCP, and not with 5.0.
bool threads_may_poll() {
    int level = MPI_THREAD_SINGLE, length = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    library.Query_thread(&level);
    library.Get_library_version(version, &length);
    const char *number = std::strncmp(version, "MPICH", 5) == 0 ? std::strpbrk(version, "0123456789") : nullptr;
    return level != MPI_THREAD_MULTIPLE || !number || std::strncmp(number, "4.0", 3) != 0;
}

// What some rank wants, and so all have.
struct Wanted {
    bool no_polls;     // threads_may_poll() does not hold
    bool partitioned;  // messages
    bool every_link;   // also those where ordinary messages stay native
    double fast;       // bytes per second of a link of which nothing more need be known
    std::size_t delta; // bytes: the largest that a user has set
};

// All that ranks have to know alike, by one exchange.
Wanted agree() {
    // On fast links ordinary messages stay native: what they can matters to delta messages only. (Those of code that is loaded later then are native.)
    const bool has_partitioned = trigger::has_partitioned_calls();
    const bool any_link =
        settings.force || settings.info == Info::links || trigger::has_delta_calls() || has_partitioned;
    // Only where nobody passes messages on it matters whether the program has delta collectives: to see that takes a look at all it imports.
    const bool can_call = waits::can_call();
    enum {
        no_polls,
        every_link,
        delta,
        silent,
        delta_collectives,
        compiled,
        trials,
        no_debug,
        reports,
        no_report,
        partitioned,
        n
    };
    long mine[n], some[n];
    mine[no_polls] = !threads_may_poll();
    mine[every_link] = any_link;
    mine[delta] = settings.info == Info::links ? LONG_MAX : static_cast<long>(settings.delta);
    mine[silent] = !can_call;
    mine[delta_collectives] = !can_call && trigger::has_delta_collectives();
    mine[compiled] = trigger::has_compiled_collectives();
    mine[trials] = settings.trials; // in which all ranks take part
    mine[no_debug] = !settings.debug;
    mine[reports] = job.some_report;
    mine[no_report] = !job.all_report;
    mine[partitioned] = has_partitioned;
    library.Allreduce(mine, some, n, MPI_LONG, MPI_MAX, job.deltas);
    job.relays = !some[silent];
    job.delta_collectives = some[delta_collectives];
    job.compiled_collectives = some[compiled];
    job.compares = !some[no_debug];
    job.some_report = some[reports];
    job.all_report = !some[no_report];
    settings.trials = some[trials];
    return {some[no_polls] != 0, some[partitioned] != 0, some[every_link] != 0,
            some[every_link] ? std::numeric_limits<double>::infinity() : settings.fast_link,
            static_cast<std::size_t>(some[delta])};
}

// Bytes that may be under way to a rank from another one of its node, which it has not looked at. All of them together stay within the budget. Tests
// want it to be full.
std::size_t inbox_bytes(std::size_t ranks) {
    constexpr std::size_t least = 1 << 14, most = 1 << 21;
    return settings.force ? least : std::bit_floor(std::clamp(settings.budget / ranks, least, most));
}

// Where a rank lives.
struct Home {
    int leader; // the lowest rank of `deltas` there
    inbox::Card inbox;
};

// By rank of `deltas`.
std::vector<Home> homes(const Wanted &wanted) {
    MPI_Comm node;
    int rank = 0, size = 0, here = 0;
    library.Comm_rank(job.deltas, &rank);
    library.Comm_size(job.deltas, &size);
    library.Comm_split_type(job.deltas, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    Home home{rank, {.file = -1}};
    library.Bcast(&home.leader, 1, MPI_INT, 0, node);
    library.Comm_size(node, &here);
    library.Comm_free(&node);
    const auto ranks = static_cast<std::size_t>(here);
    if (ranks > 1 && wanted.every_link && settings.one_sided) home.inbox = inbox::make(ranks, inbox_bytes(ranks));
    std::vector<Home> all(static_cast<std::size_t>(size));
    library.Allgather(&home, sizeof home, MPI_BYTE, all.data(), sizeof home, MPI_BYTE, job.deltas);
    return all;
}

// Messages inside a node and between nodes are two classes, each measured.
void measure_peers(const std::vector<int> &ranks, const Wanted &wanted, std::size_t first_fragment) {
    const auto own = static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), job.rank) - ranks.begin());
    const std::vector<Home> all = homes(wanted);
    const int leader = all[own].leader;
    std::map<int, std::vector<int>> nodes; // by leader
    std::vector<std::size_t> places;       // of each rank in its node
    for (std::size_t k = 0; k < ranks.size(); k++) {
        std::vector<int> &node = nodes[all[k].leader];
        places.push_back(node.size());
        node.push_back(static_cast<int>(k));
    }
    std::vector<inbox::Card> inboxes;
    for (const int rank : nodes[leader]) inboxes.push_back(all[static_cast<std::size_t>(rank)].inbox);
    // All ranks of the job know alike whether all have one that need one.
    const bool all_have = std::all_of(all.begin(), all.end(), [&](const Home &home) {
        return home.inbox.file >= 0 || nodes[home.leader].size() == 1;
    });
    if (all_have) least_eager_near = std::min(least_eager_near, first_fragment);
    inbox::join(std::move(inboxes), places[own]);
    if (nodes.size() < ranks.size()) near_link = measure_links(nodes[leader], job.deltas, wanted.fast, wanted.delta);
    if (nodes.size() > 1) {
        // Ranks of the same place in their nodes: neighbours there are on different nodes.
        std::vector<int> far;
        for (std::size_t k = 0; k < ranks.size(); k++)
            if (places[k] == places[own]) far.push_back(static_cast<int>(k));
        far_link = measure_links(far, job.deltas, wanted.fast, wanted.delta);
    }

    for (std::size_t k = 0; k < ranks.size(); k++) {
        Peer &peer = job.peers[static_cast<std::size_t>(ranks[k])];
        peer.rank = static_cast<int>(k);
        if (ranks[k] == job.rank) continue;
        const bool near = all[k].leader == leader;
        (near ? near_peers : far_peers)++;
        if (near) peer.seat = static_cast<int>(places[k]);
        const Link &link = near ? near_link : far_link;
        peer.eager = link.eager;
        peer.copies = !link.completes;
        peer.rate = link.rate;
        peer.frames = frames(near);
        peer.frames_plain = frames_plain(near);
        job.framing = job.framing || peer.frames;
    }
    // Both ends must agree on who frames: a link's class and figures are the same for all.
    const std::size_t eager = std::max(near_link.eager, far_link.eager);
    job.window = std::max(memory_of(eager), settings.budget / std::max<std::size_t>(ranks.size() - 1, 1));
    if (!job.framing && std::max(near_link.rate, far_link.rate) >= settings.fast_link)
        *job.why = "no link is slower than STRETTO_FAST_LINK, and no code of the program makes delta calls";
    else if (!job.framing)
        *job.why = "the library sends at most " + std::to_string(eager) + " bytes to an unready receiver, " +
                   std::to_string(least_eager) + " are needed";
}

bool is_spawned() {
    MPI_Comm parent = MPI_COMM_NULL;
    library.Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

} // namespace

const char *card() {
    return "stretto-1";
}

void abort_job() {
    library.Abort(MPI_COMM_WORLD, 1);
}

void join(std::size_t first_fragment) {
    job = {};
    least_eager = least_eager_near = settings.force ? first_fragment : usual_least_eager;
    near_peers = far_peers = 0;
    near_link = far_link = {};
    library.Comm_rank(MPI_COMM_WORLD, &job.rank);
    library.Comm_size(MPI_COMM_WORLD, &job.size);
    on_failure(job.rank, abort_job);
    job.some_report = job.all_report = settings.report && !is_spawned();
    job.peers.resize(static_cast<std::size_t>(job.size));
    if (job.size == 1) {
        *job.why = "there is one rank";
        return;
    }
    const std::vector<int> ranks = participants();
    job.world_rank = ranks;
    if (ranks.size() < 2) {
        *job.why = ranks.empty() ? std::string("it is not known who else runs Stretto: ") + roster::why_not() +
                                       " (set STRETTO_PEERS=all if all ranks run it)"
                                 : "no other rank runs Stretto";
        return;
    }
    make_communicators(ranks);
    const Wanted wanted = agree();
    if (wanted.no_polls) {
        *job.why = "MPICH 4.0 is not safe at MPI_THREAD_MULTIPLE when it is polled as often as framed messages need";
        return;
    }
    measure_peers(ranks, wanted, first_fragment);
    if (wanted.partitioned) {
        library.Comm_dup(job.deltas, &job.partitioned);
        library.Comm_set_errhandler(job.partitioned, MPI_ERRORS_RETURN);
    }
    if (!frames(true) && !frames(false) && !job.has_partitioned()) return; // which all know alike
    tell_of_rank_0();
    make_communicators_of_collectives();
    lifeline::open();
}

void leave() {
    if (!job.has_deltas()) return;
    lifeline::close();
    free_tickets();
    library.Comm_free(&job.self);
    // `deltas` goes with MPI_Finalize: tags given back that nobody asked for may still be on their way to us (rule 18), which MPICH
    // takes for an error when a communicator is freed. And `collectives` with it: freed here, MPICH 5.0 fails in MPI_Finalize at a cancelled
    // send of the program's that nobody has received.
}

bool is_on_one_host() {
    const auto number = [](const char *name) {
        const char *text = std::getenv(name);
        return text ? std::atoi(text) : 0;
    };
    for (const auto &[all, here] :
         {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"), std::pair("PMI_SIZE", "MPI_LOCALNRANKS")})
        if (number(all) > 0 && number(all) == number(here)) return true;
    return number("SLURM_STEP_NUM_NODES") == 1;
}

std::vector<LinkClass> link_classes() {
    std::vector<LinkClass> classes;
    if (near_peers)
        classes.push_back({"node", near_peers, near_link, frames_plain(true), inbox::from(0).memory != nullptr});
    if (far_peers) classes.push_back({"remote", far_peers, far_link, frames_plain(false), false});
    return classes;
}

std::string describe_job() {
    char text[1024];
    std::string classes;
    for (const LinkClass &c : link_classes()) {
        char part[200];
        std::snprintf(part, sizeof part,
                      "%s{\"class\":\"%s\",\"peers\":%d,\"transport\":\"%s\",\"eager_bytes\":%zu,\"completes\":%s,"
                      "\"bytes_per_second\":%.3g}",
                      classes.empty() ? "" : ",", c.name, c.peers, c.one_sided ? "one-sided" : "two-sided",
                      c.link.eager, c.link.completes ? "true" : "false", c.link.rate);
        classes += part;
    }
    std::snprintf(text, sizeof text,
                  "{\"rank\":%d,\"world\":%d,\"participants\":%zu,\"roster\":\"%s\",\"framing\":%s,\"why\":\"%s\","
                  "\"window_bytes\":%zu,\"threshold_bytes\":%zu,\"highest_tag\":%d,\"classes\":[%s]}",
                  job.rank, job.size, job.world_rank.size(), roster::how(), job.framing ? "true" : "false",
                  job.why->c_str(), job.window, settings.threshold, job.highest_tag, classes.c_str());
    return text;
}

} // namespace stretto::mpi
