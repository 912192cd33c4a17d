#include "program.h"

#include <stretto/stretto.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <list>

namespace simulation {

namespace {

constexpr int comms = 2, of_shifts = comms; // communicators of messages; and one on which no wildcard receives
constexpr std::array send_names = {
    "send",      "isend",      "isend_freed",         "ssend",      "issend", "send_init",
    "send_half", "delta_send", "delta_send_variable", "partitioned"};
constexpr std::array receive_names = {"recv",         "irecv",          "recv_init",  "recv_half",         "probe_recv",
                                      "mprobe_mrecv", "improbe_imrecv", "delta_recv", "delta_recv_needed", "precv"};
constexpr std::array collective_names = {"none",      "barrier",  "bcast",  "gather",          "scatter",
                                         "allgather", "alltoall", "reduce", "allreduce",       "reduce_scatter_block",
                                         "scan",      "exscan",   "shift",  "shift_on_a_twin", "cancel"};
constexpr std::array form_names = {"blocking", "later", "delta"};

// What the protocol's own messages are like (message/header.h), with the random numbers that are used for a nonce here (library.cpp).
constexpr std::size_t header_bytes = 96, first_fragment = header_bytes + 3936;
struct Header {
    std::array<std::uint8_t, 16> nonce;
    std::uint8_t version = 1, flags = 0;
    std::uint16_t reserved = 0;
    std::uint32_t sender = 0;
    std::uint64_t total = 100'000;
    std::uint32_t first_bytes = 0, delta_bytes = 8192, tag = 500, tags = 20;
    std::uint64_t serial = 1;
    std::uint32_t early = 0;
    std::array<std::uint8_t, 36> room{};
};
static_assert(sizeof(Header) == header_bytes);

constexpr std::size_t least_kept = 8000; // bytes that every library keeps of a message that nobody has asked for

// Around what the protocol treats in another way: a header, a first fragment, the library's eager limit.
std::size_t random_bytes(Random &random) {
    constexpr std::array<std::size_t, 9> edges = {0, 96, 3936, 4032, 4096, 8192, 16384, 24576, 65536};
    switch (random.below(6)) {
    case 0:
        return random.below(64);
    case 1:
        return edges[random.below(edges.size())] + random.below(3);
    case 2:
        return random.below(40000);
    case 3:
        return random.below(5) ? random.below(20000) : random.below(100000);
    default:
        return random.below(6000);
    }
}

std::byte content(const Program::Message &m, std::size_t k) {
    if (m.forged && k < header_bytes) {
        Header header;
        header.nonce.fill(0x5a);
        if (m.forged == Program::Forged::of_another_job) header.nonce.back() ^= 1;
        header.sender = static_cast<std::uint32_t>(m.from);
        header.first_bytes = static_cast<std::uint32_t>(m.bytes - header_bytes);
        return reinterpret_cast<const std::byte *>(&header)[k];
    }
    const std::uint32_t x = static_cast<std::uint32_t>(m.id) * 2654435761u + static_cast<std::uint32_t>(k) * 40503u;
    return static_cast<std::byte>((x ^ (x >> 13)) >> 7);
}

} // namespace

Program::Program(std::uint64_t seed, int ranks, bool keeps) : ranks(ranks) {
    Random random(seed ^ 0x5eed);
    const auto n = 1 + static_cast<int>(random.below(random.chance(0.2) ? 24 : 8));
    const auto pairs = random.chance(0.5); // between two ranks only: many messages under way from one to the other
    const auto tags = 1 + random.below(3);
    for (int k = 0; k < n; k++) {
        Message its{};
        its.id = k + 1;
        its.from = static_cast<int>(pairs ? random.below(2) : random.below(static_cast<std::uint64_t>(ranks)));
        do its.to = static_cast<int>(pairs ? random.below(2) : random.below(static_cast<std::uint64_t>(ranks)));
        while (its.to == its.from);
        its.tag = static_cast<int>(random.below(tags));
        its.comm = static_cast<int>(random.below(comms));
        its.bytes = random_bytes(random);
        its.capacity = its.bytes + (random.chance(0.3) ? random.below(5000) : 0);
        its.send = static_cast<Send>(random.below(partitioned));
        its.receive = static_cast<Receive>(random.below(precv));
        if (its.bytes > 0 && random.chance(0.05)) its.capacity = random.below(its.bytes);
        if (its.receive >= delta_recv && its.capacity < its.bytes) its.receive = recv;
        if (random.chance(0.08) && its.send != delta_send_variable) {
            its.forged = random.chance(0.5) ? Forged::of_this_job : Forged::of_another_job;
            its.bytes = random.chance(0.5) ? header_bytes : first_fragment;
            its.capacity = its.bytes + random.below(2) * 100;
        }
        // Ints with as many bytes between them: nothing else is said of the bytes of a message.
        its.send_strided = random.chance(0.15) && its.send < delta_send && its.bytes % 4 == 0;
        its.receive_strided =
            random.chance(0.15) && its.receive < delta_recv && its.bytes % 4 == 0 && its.capacity >= its.bytes;
        if (its.receive_strided) its.capacity = its.bytes;
        its.any_source = random.chance(0.3), its.any_tag = random.chance(0.3);
        its.send_waits = static_cast<int>(random.below(6)), its.receive_waits = static_cast<int>(random.below(6));
        its.together = random.chance(0.5);
        its.before_send = random.chance(0.4) ? 300e-6 * random.real() : 0;
        its.before_receive = random.chance(0.4) ? 300e-6 * random.real() : 0;
        its.pieces = 1 + static_cast<unsigned>(random.below(6));
        its.backwards = random.chance(0.3);
        if (random.chance(0.1)) {
            its.send = partitioned, its.receive = precv;
            its.any_source = its.any_tag = its.send_strided = its.receive_strided = false, its.forged = no;
            its.asked = 1 + static_cast<unsigned>(random.below(4));
            const std::size_t unit = its.pieces * its.asked;
            its.bytes -= its.bytes % unit;
            its.capacity = its.bytes + (random.chance(0.2) ? unit * random.below(100) : 0);
        }
        if (random.chance(0.25)) {
            its.collective = static_cast<Collective>(1 + random.below(collective_names.size() - 1));
            its.form =
                its.collective >= shift ? blocking : static_cast<Form>(random.below(its.collective == barrier ? 2 : 3));
            its.root = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
            its.bytes = (random.chance(0.7) ? random.below(2000) : random.below(30000)) / 4 * 4;
        }
        messages.push_back(its);
    }
    // A wildcard receives from whoever comes first: only where that is one rank, or one tag's sender.
    for (Message &its : messages) {
        auto other = [&](auto differs) {
            return std::any_of(messages.begin(), messages.end(), [&](const Message &one) {
                return !one.collective && one.send != partitioned && one.to == its.to && one.comm == its.comm &&
                       one.from != its.from && differs(one);
            });
        };
        if (its.any_source && other([&](const Message &one) { return its.any_tag || one.tag == its.tag; }))
            its.any_source = false;
    }
    // As a plain library does, one keeps a short message until it is asked for: only where no other receive could take it meanwhile.
    for (std::size_t k = 0; keeps && k < messages.size(); k++) {
        Message &its = messages[k];
        if (its.collective || its.bytes > least_kept || its.send == ssend || its.send == issend ||
            its.send == partitioned || random.chance(0.6))
            continue;
        const std::size_t end = std::min(k + 1 + random.below(5), messages.size());
        its.late = static_cast<int>(end - k - 1);
        for (std::size_t other = k + 1; other < end; other++) {
            const Message &one = messages[other];
            if (!one.collective && one.to == its.to && one.comm == its.comm) its.late = 0;
        }
    }
}

std::string Program::text() const {
    std::string all;
    for (const Message &m : messages) {
        if (m.gone) continue;
        char line[300];
        if (m.collective)
            std::snprintf(
                line, sizeof line, "  %2d: %s, %s, comm %d, root %d, %zu bytes, %u pieces%s, before %.0f us\n", m.id,
                collective_names[static_cast<std::size_t>(m.collective)], form_names[static_cast<std::size_t>(m.form)],
                m.comm, m.root, m.bytes, m.pieces, m.backwards ? " backwards" : "", m.before_send * 1e6);
        else
            std::snprintf(line, sizeof line,
                          "  %2d: %d -> %d, tag %d, comm %d, %zu bytes into %zu%s, %s%s%s, %s%s%s%s%s, %u pieces%s, "
                          "%u asked, before %.0f and %.0f us, late by %d\n",
                          m.id, m.from, m.to, m.tag, m.comm, m.bytes, m.capacity, m.forged ? " forged" : "",
                          send_names[static_cast<std::size_t>(m.send)], m.send_strided ? " strided" : "",
                          m.together ? " (all)" : "", receive_names[static_cast<std::size_t>(m.receive)],
                          m.receive_strided ? " strided" : "", m.any_source ? " any source" : "",
                          m.any_tag ? " any tag" : "", m.together ? " (all)" : "", m.pieces,
                          m.backwards ? " backwards" : "", m.asked, m.before_send * 1e6, m.before_receive * 1e6,
                          m.late);
        all += line;
    }
    return all;
}

// clang-format off
#define FUNCTIONS(X) \
    X(MPI_Init) X(MPI_Finalize) X(MPI_Comm_dup) X(MPI_Barrier) X(MPI_Send) X(MPI_Isend) X(MPI_Ssend) \
    X(MPI_Issend) X(MPI_Send_init) X(MPI_Recv) X(MPI_Irecv) X(MPI_Recv_init) X(MPI_Start) X(MPI_Request_free) \
    X(MPI_Probe) X(MPI_Mprobe) X(MPI_Mrecv) X(MPI_Improbe) X(MPI_Imrecv) X(MPI_Wait) X(MPI_Waitall) X(MPI_Test) \
    X(MPI_Psend_init) X(MPI_Precv_init) X(MPI_Pready) X(MPI_Parrived) X(MPI_Get_count) X(MPI_Comm_set_errhandler) X(MPI_Sendrecv) X(MPI_Sendrecv_replace) X(MPI_Comm_free) X(MPI_Cancel) X(MPI_Test_cancelled) X(MPI_Type_vector) X(MPI_Type_commit) \
    X(MPI_Type_free) X(MPI_Bcast) X(MPI_Gather) X(MPI_Scatter) X(MPI_Allgather) X(MPI_Alltoall) X(MPI_Reduce) \
    X(MPI_Allreduce) X(MPI_Reduce_scatter_block) X(MPI_Scan) X(MPI_Exscan) X(MPI_Ibarrier) X(MPI_Ibcast) \
    X(MPI_Igather) X(MPI_Iscatter) X(MPI_Iallgather) X(MPI_Ialltoall) X(MPI_Ireduce) X(MPI_Iallreduce) \
    X(MPI_Ireduce_scatter_block) X(MPI_Iscan) X(MPI_Iexscan) X(MPIX_Delta_bcast_begin) \
    X(MPIX_Delta_gather_begin) X(MPIX_Delta_scatter_begin) X(MPIX_Delta_allgather_begin) \
    X(MPIX_Delta_alltoall_begin) X(MPIX_Delta_reduce_begin) X(MPIX_Delta_allreduce_begin) \
    X(MPIX_Delta_reduce_scatter_block_begin) X(MPIX_Delta_scan_begin) X(MPIX_Delta_exscan_begin) \
    X(MPIX_Delta_collective_end) X(MPIX_Delta_send_begin) X(MPIX_Delta_send_end) X(MPIX_Delta_send_end_count) \
    X(MPIX_Delta_recv) X(MPIX_Delta_recv_end) X(stretto_send_data) X(stretto_wait_data)
// clang-format on

struct Functions {
#define X(name) decltype(&::name) name;
    FUNCTIONS(X)
#undef X
    MPI_Comm comm[comms + 1];
};

Functions *load(void *handle) {
    auto *mpi = new Functions{};
    auto find = [&](auto &function, const char *name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (!function) std::fprintf(stderr, "simulation: no %s\n", name), std::exit(2);
    };
#define X(name) find(mpi->name, #name);
    FUNCTIONS(X)
#undef X
    return mpi;
}

// Stretto serves partitioned messages of programs that import their functions.
extern "C" const void *const it_has_partitioned_messages;
const void *const it_has_partitioned_messages = reinterpret_cast<const void *>(&MPI_Psend_init);

void initialize(Functions &mpi) {
    mpi.MPI_Init(nullptr, nullptr);
    mpi.comm[0] = MPI_COMM_WORLD;
    mpi.MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int k = 1; k <= comms; k++) mpi.MPI_Comm_dup(MPI_COMM_WORLD, &mpi.comm[k]);
    if (world->current == 0)
        for (MPI_Comm comm : mpi.comm) world->contexts.push_back(world->communicator(comm).context);
}

void finalize(Functions &mpi) {
    mpi.MPI_Finalize();
}

namespace {

class Performer {
public:
    Performer(const Program &program, int rank, Functions &mpi, std::string &wrong)
        : program(program), rank(rank), mpi(mpi), wrong(wrong) {}

    static void begin(const Program &program) { receives_begun().assign(program.messages.size() + 1, false); }

    void perform(bool is_last) {
        const auto n = static_cast<int>(program.messages.size());
        for (int k = 0; k < n + most_late; k++) {
            if (k < n) begin(program.messages[static_cast<std::size_t>(k)]);
            for (int late = 1; late <= most_late; late++) // the first ones first
                if (const int first = k - (most_late + 1 - late); first >= 0 && first < n)
                    if (const Program::Message &m = program.messages[static_cast<std::size_t>(first)];
                        m.late == k - first && m.to == rank)
                        step(m);
        }
        wait_for_due(true);
        const auto is_freed = [](const Program::Message &m) { return !m.collective && m.send == Program::isend_freed; };
        if (!is_last && std::any_of(program.messages.begin(), program.messages.end(), is_freed))
            world->me().doing = "the last barrier", mpi.MPI_Barrier(MPI_COMM_WORLD); // whose sends nobody waits for
    }

private:
    static constexpr int most_late = 4;

    // What comes to this rank's place in the order; a receive that is late comes later.
    void begin(const Program::Message &m) {
        if (m.collective || m.from == rank || (m.to == rank && m.late == 0)) step(m);
    }

    void step(const Program::Message &m) {
        if (m.gone) return;
        wait_for_due(false);
        world->me().doing = "message " + std::to_string(m.id);
        if (m.collective)
            together(m);
        else if (m.from == rank)
            send(m);
        else
            receive(m);
    }

    struct Pending {
        const Program::Message *message;
        std::vector<std::byte> memory;
        std::vector<int> contribution, result; // of a collective
        MPI_Request request = MPI_REQUEST_NULL;
        int steps = 0; // until its wait
    };

    void say(const Program::Message &m, const char *what, long got = 0, long wanted = 0) {
        char text[200];
        std::snprintf(text, sizeof text, "rank %d, message %d: %s (%ld, not %ld)\n", rank, m.id, what, got, wanted);
        wrong += text;
    }

    void check_code(const Program::Message &m, const char *what, int code) {
        if (code != MPI_SUCCESS) say(m, what, code, MPI_SUCCESS);
    }

    // By message: its receive has begun.
    static std::vector<char> &receives_begun() {
        static std::vector<char> begun;
        return begun;
    }

    void check_met(const Program::Message &m) {
        if ((m.send == Program::ssend || m.send == Program::issend) &&
            !receives_begun().at(static_cast<std::size_t>(m.id)))
            say(m, "a synchronous send is complete before its receive has begun");
    }

    void send(const Program::Message &m) {
        if (m.before_send > 0) world->spend(m.before_send);
        Pending &its = pending.emplace_back();
        its.message = &m;
        its.memory.resize(2 * m.bytes + 1);
        for (std::size_t k = 0; k < m.bytes; k++) its.memory[place(k, m.send_strided)] = content(m, k);
        void *data = its.memory.data();
        const Laid laid(mpi, m.bytes, m.send_strided);
        const int n = laid.n;
        const MPI_Datatype type = laid.type;
        const MPI_Comm comm = mpi.comm[m.comm];
        its.steps = m.send_waits;
        int code = MPI_SUCCESS;
        switch (m.send) {
        case Program::send:
            code = mpi.MPI_Send(data, n, type, m.to, m.tag, comm);
            break;
        case Program::ssend:
            code = mpi.MPI_Ssend(data, n, type, m.to, m.tag, comm);
            break;
        case Program::issend:
            code = mpi.MPI_Issend(data, n, type, m.to, m.tag, comm, &its.request);
            break;
        case Program::isend:
        case Program::isend_freed:
            code = mpi.MPI_Isend(data, n, type, m.to, m.tag, comm, &its.request);
            break;
        case Program::send_init:
            mpi.MPI_Send_init(data, n, type, m.to, m.tag, comm, &its.request);
            code = mpi.MPI_Start(&its.request);
            break;
        case Program::send_half:
            code = mpi.MPI_Sendrecv(data, n, type, m.to, m.tag, nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm,
                                    MPI_STATUS_IGNORE);
            break;
        case Program::delta_send:
        case Program::delta_send_variable:
            code = delta_send(m, its);
            break;
        case Program::partitioned:
            code = partitioned_send(m, its);
            break;
        }
        check_code(m, "its send gives an error", code);
        if (m.send == Program::isend_freed) {
            mpi.MPI_Request_free(&its.request);
            static std::list<Pending> kept; // nobody says for how long
            kept.splice(kept.end(), pending, std::prev(pending.end()));
            return;
        }
        if (its.request == MPI_REQUEST_NULL) {
            check_met(m);
            std::fill(its.memory.begin(), its.memory.end(), std::byte{0xee}); // it is the program's again
            pending.pop_back();
        }
    }

    int delta_send(const Program::Message &m, Pending &its) {
        const bool variable = m.send == Program::delta_send_variable;
        if (variable) { // at most twice as long
            std::fill(its.memory.begin() + static_cast<std::ptrdiff_t>(m.bytes), its.memory.end(), std::byte{0xdd});
        }
        std::byte *data = its.memory.data();
        const MPI_Comm comm = mpi.comm[m.comm];
        const int most = static_cast<int>(variable ? std::min(2 * m.bytes, std::max(m.capacity, m.bytes)) : m.bytes);
        if (const int code = mpi.MPIX_Delta_send_begin(data, most, MPI_BYTE, m.to, m.tag, comm, &its.request))
            return code;
        for (unsigned k = 0; k < m.pieces; k++) {
            const unsigned piece = m.backwards ? m.pieces - 1 - k : k;
            const std::size_t begin = m.bytes * piece / m.pieces, end = m.bytes * (piece + 1) / m.pieces;
            if (piece % 3 != 2 && end > begin) mpi.stretto_send_data(data + begin, end - begin);
            if (m.before_send > 0) world->spend(m.before_send / m.pieces);
        }
        return variable ? mpi.MPIX_Delta_send_end_count(static_cast<int>(m.bytes), &its.request)
                        : mpi.MPIX_Delta_send_end(&its.request);
    }

    int partitioned_send(const Program::Message &m, Pending &its) {
        const auto parts = static_cast<int>(m.pieces);
        mpi.MPI_Psend_init(its.memory.data(), parts, static_cast<MPI_Count>(m.bytes / m.pieces), MPI_BYTE, m.to, m.tag,
                           mpi.comm[m.comm], MPI_INFO_NULL, &its.request);
        int code = mpi.MPI_Start(&its.request);
        for (int k = 0; k < parts; k++) {
            if (m.before_send > 0) world->spend(m.before_send / m.pieces);
            if (!code) code = mpi.MPI_Pready(m.backwards ? parts - 1 - k : k, its.request);
        }
        return code;
    }

    void receive(const Program::Message &m) {
        if (m.before_receive > 0) world->spend(m.before_receive);
        receives_begun().at(static_cast<std::size_t>(m.id)) = true;
        Pending &its = pending.emplace_back();
        its.message = &m;
        its.memory.assign((m.receive_strided ? 2 : 1) * m.capacity + 16, std::byte{0xa5});
        void *to = its.memory.data();
        const Laid laid(mpi, m.capacity, m.receive_strided);
        const int n = laid.n, source = m.any_source ? MPI_ANY_SOURCE : m.from;
        const MPI_Datatype type = laid.type;
        const int tag = m.any_tag ? MPI_ANY_TAG : m.tag;
        const MPI_Comm comm = mpi.comm[m.comm];
        MPI_Status status{};
        MPI_Message message;
        int code = MPI_SUCCESS, flag = 0;
        its.steps = m.receive_waits;
        switch (m.receive) {
        case Program::recv:
            code = mpi.MPI_Recv(to, n, type, source, tag, comm, &status);
            break;
        case Program::irecv:
            code = mpi.MPI_Irecv(to, n, type, source, tag, comm, &its.request);
            break;
        case Program::recv_init:
            mpi.MPI_Recv_init(to, n, type, source, tag, comm, &its.request);
            code = mpi.MPI_Start(&its.request);
            break;
        case Program::recv_half:
            code = mpi.MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, to, n, type, source, tag, comm, &status);
            break;
        case Program::probe_recv:
            mpi.MPI_Probe(source, tag, comm, &status);
            tell_probed(m, status);
            code = mpi.MPI_Recv(to, n, type, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
            break;
        case Program::mprobe_mrecv:
            mpi.MPI_Mprobe(source, tag, comm, &message, &status);
            tell_probed(m, status);
            code = mpi.MPI_Mrecv(to, n, type, &message, &status);
            break;
        case Program::improbe_imrecv:
            while (!flag) mpi.MPI_Improbe(source, tag, comm, &flag, &message, &status), world->spend(1e-6);
            tell_probed(m, status);
            code = mpi.MPI_Imrecv(to, n, type, &message, &its.request);
            break;
        case Program::delta_recv:
        case Program::delta_recv_needed:
            code = delta_receive(m, its, source, tag, status);
            break;
        case Program::precv:
            code = partitioned_receive(m, its);
            break;
        }
        if (its.request != MPI_REQUEST_NULL) {
            check_code(m, "its receive gives an error", code);
            return;
        }
        tell_received(m, its, code, status);
        pending.pop_back();
    }

    // Of a message without gaps.
    void check_bytes(const Program::Message &m, const Pending &its, std::size_t begin, std::size_t end,
                     const char *what) {
        for (std::size_t byte = begin; byte < end; byte++)
            if (its.memory[byte] != content(m, byte)) {
                say(m, what, static_cast<long>(byte), 0);
                return;
            }
    }

    int partitioned_receive(const Program::Message &m, Pending &its) {
        const std::size_t each = m.capacity / m.asked;
        mpi.MPI_Precv_init(its.memory.data(), static_cast<int>(m.asked), static_cast<MPI_Count>(each), MPI_BYTE, m.from,
                           m.tag, mpi.comm[m.comm], MPI_INFO_NULL, &its.request);
        const int code = mpi.MPI_Start(&its.request);
        for (unsigned k = 0; k < m.asked && m.asked > 1 && !code; k++) {
            const unsigned part = m.backwards ? m.asked - 1 - k : k;
            for (int here = 0; !here; world->spend(1e-6)) mpi.MPI_Parrived(its.request, static_cast<int>(part), &here);
            check_bytes(m, its, part * each, std::min((part + 1) * each, m.bytes),
                        "a partition that has arrived is not there");
        }
        return code;
    }

    int delta_receive(const Program::Message &m, Pending &its, int source, int tag, MPI_Status &status) {
        std::byte *to = its.memory.data();
        const int n = static_cast<int>(m.capacity);
        if (const int code = mpi.MPIX_Delta_recv(to, n, MPI_BYTE, source, tag, mpi.comm[m.comm], &status)) return code;
        for (unsigned k = 0; m.receive == Program::delta_recv_needed && k < m.pieces; k++) {
            const unsigned piece = m.backwards ? m.pieces - 1 - k : k;
            const std::size_t begin = m.bytes * piece / m.pieces, end = m.bytes * (piece + 1) / m.pieces;
            if (end == begin) continue;
            mpi.stretto_wait_data(to + begin, end - begin);
            check_bytes(m, its, begin, end, "a byte that was needed is not there");
        }
        return mpi.MPIX_Delta_recv_end(to, &status);
    }

    void tell_probed(const Program::Message &m, const MPI_Status &status) {
        if (status.MPI_SOURCE != m.from) say(m, "probed from another rank", status.MPI_SOURCE, m.from);
        if (status.MPI_TAG != m.tag) say(m, "probed with another tag", status.MPI_TAG, m.tag);
        if (m.send != Program::delta_send_variable) {
            int count = 0;
            mpi.MPI_Get_count(&status, MPI_BYTE, &count);
            if (count != static_cast<int>(m.bytes))
                say(m, "probed with another size", count, static_cast<long>(m.bytes));
        }
    }

    void tell_received(const Program::Message &m, const Pending &its, int code, const MPI_Status &status) {
        const bool truncated = m.capacity < m.bytes;
        if (truncated ? code != MPI_ERR_TRUNCATE : code != MPI_SUCCESS)
            say(m, "its receive gives another error", code, truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        if (status.MPI_SOURCE != m.from) say(m, "came from another rank", status.MPI_SOURCE, m.from);
        if (status.MPI_TAG != m.tag) say(m, "came with another tag", status.MPI_TAG, m.tag);
        int count = 0;
        mpi.MPI_Get_count(&status, MPI_BYTE, &count);
        if (!truncated && count != static_cast<int>(m.bytes))
            say(m, "has another size", count, static_cast<long>(m.bytes));
        const std::size_t bytes = truncated ? 0 : m.bytes;
        for (std::size_t k = 0; k < bytes; k++)
            if (its.memory[place(k, m.receive_strided)] != content(m, k)) {
                say(m, "has another byte", static_cast<long>(k), 0);
                break;
            }
        for (std::size_t k = m.receive_strided ? 2 * m.capacity : m.capacity; k < its.memory.size(); k++)
            if (its.memory[k] != std::byte{0xa5}) {
                say(m, "was written behind the buffer", static_cast<long>(k), 0);
                break;
            }
    }

    // Elements of 4 bytes, and gaps of as many.
    static std::size_t place(std::size_t k, bool strided) { return strided ? k / 4 * 8 + k % 4 : k; }

    struct Laid {
        Laid(Functions &mpi, std::size_t bytes, bool strided) : mpi(mpi), n(static_cast<int>(bytes)), type(MPI_BYTE) {
            if (!strided) return;
            mpi.MPI_Type_vector(n / 4, 1, 2, MPI_INT, &type);
            mpi.MPI_Type_commit(&type);
            n = 1;
        }
        ~Laid() {
            if (type != MPI_BYTE) mpi.MPI_Type_free(&type);
        }
        Functions &mpi;
        int n;
        MPI_Datatype type;
    };

    // --- collectives

    int value(const Program::Message &m, int from, int to, std::size_t k) const {
        return (m.id * 7919 + from * 613 + to * 97 + static_cast<int>(k % 4096) * 3) % 100003;
    }

    void together(const Program::Message &m) {
        if (m.before_send > 0) world->spend(m.before_send);
        Pending &its = pending.emplace_back();
        its.message = &m;
        its.steps = m.send_waits;
        if (m.collective >= Program::shift) {
            pending.pop_back();
            m.collective == Program::cancel ? cancel(m) : shift(m);
            return;
        }
        const auto ranks = static_cast<std::size_t>(program.ranks);
        const std::size_t n = m.bytes / sizeof(int);
        const bool is_root = rank == m.root;
        using enum Program::Collective;
        const bool blocks_in =
            m.collective == alltoall || m.collective == reduce_scatter_block || (m.collective == scatter && is_root);
        const bool blocks_out =
            m.collective == alltoall || m.collective == allgather || (m.collective == gather && is_root);
        its.result.assign((blocks_out ? ranks : 1) * n, -1);
        if (m.collective == bcast) {
            if (is_root)
                for (std::size_t k = 0; k < n; k++) its.result[k] = value(m, rank, 0, k);
        } else if (m.collective != scatter || is_root) {
            its.contribution.resize((blocks_in ? ranks : 1) * n);
            for (std::size_t k = 0; k < its.contribution.size(); k++)
                its.contribution[k] = value(m, rank, blocks_in ? static_cast<int>(k / n) : 0, blocks_in ? k % n : k);
        }
        int code = MPI_SUCCESS;
        if (m.form == Program::blocking)
            code = call(m, its, n);
        else if (m.form == Program::later)
            code = call_later(m, its, n);
        else
            code = by_deltas(m, its, n);
        check_code(m, "the collective gives an error", code);
        if (its.request == MPI_REQUEST_NULL) {
            tell_result(m, its);
            pending.pop_back();
        }
    }

    // In place, to the next rank.
    void shift(const Program::Message &m) {
        MPI_Comm comm = mpi.comm[of_shifts];
        const bool on_a_twin = m.collective == Program::shift_on_a_twin;
        if (on_a_twin) mpi.MPI_Comm_dup(mpi.comm[of_shifts], &comm);
        std::vector<int> all(m.bytes / sizeof(int));
        const int n = static_cast<int>(all.size()), left = (rank + program.ranks - 1) % program.ranks;
        for (std::size_t k = 0; k < all.size(); k++) all[k] = value(m, rank, 0, k);
        MPI_Status status{};
        check_code(
            m, "the shift gives an error",
            mpi.MPI_Sendrecv_replace(all.data(), n, MPI_INT, (rank + 1) % program.ranks, 0, left, 0, comm, &status));
        for (std::size_t k = 0; k < all.size(); k++)
            if (all[k] != value(m, left, 0, k)) {
                say(m, "another value came", all[k], value(m, left, 0, k));
                break;
            }
        if (on_a_twin) mpi.MPI_Comm_free(&comm);
    }

    // Of a receive that nobody sends to.
    void cancel(const Program::Message &m) {
        char room[5000];
        MPI_Request request;
        MPI_Status status{};
        int is_cancelled = 0;
        constexpr int nobodys_tag = 7000;
        mpi.MPI_Irecv(room, static_cast<int>(std::min(m.bytes, sizeof room)), MPI_BYTE,
                      m.root == rank ? MPI_ANY_SOURCE : m.root, nobodys_tag, mpi.comm[m.comm], &request);
        mpi.MPI_Cancel(&request);
        mpi.MPI_Wait(&request, &status);
        mpi.MPI_Test_cancelled(&status, &is_cancelled);
        if (!is_cancelled) say(m, "a receive that nobody sends to is not cancelled");
    }

    int call(const Program::Message &m, Pending &its, std::size_t count) {
        const MPI_Comm comm = mpi.comm[m.comm];
        const int n = static_cast<int>(count);
        const int *in = its.contribution.data();
        int *out = its.result.data();
        switch (m.collective) {
        case Program::barrier:
            return mpi.MPI_Barrier(comm);
        case Program::bcast:
            return mpi.MPI_Bcast(out, n, MPI_INT, m.root, comm);
        case Program::gather:
            return mpi.MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, m.root, comm);
        case Program::scatter:
            return mpi.MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, m.root, comm);
        case Program::allgather:
            return mpi.MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm);
        case Program::alltoall:
            return mpi.MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
        case Program::reduce:
            return mpi.MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, m.root, comm);
        case Program::allreduce:
            return mpi.MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
        case Program::reduce_scatter_block:
            return mpi.MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm);
        case Program::scan:
            return mpi.MPI_Scan(in, out, n, MPI_INT, MPI_SUM, comm);
        case Program::exscan:
            return mpi.MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, comm);
        default:
            break;
        }
        return MPI_ERR_INTERN;
    }

    int call_later(const Program::Message &m, Pending &its, std::size_t count) {
        const MPI_Comm comm = mpi.comm[m.comm];
        const int n = static_cast<int>(count);
        const int *in = its.contribution.data();
        int *out = its.result.data();
        MPI_Request *request = &its.request;
        switch (m.collective) {
        case Program::barrier:
            return mpi.MPI_Ibarrier(comm, request);
        case Program::bcast:
            return mpi.MPI_Ibcast(out, n, MPI_INT, m.root, comm, request);
        case Program::gather:
            return mpi.MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, m.root, comm, request);
        case Program::scatter:
            return mpi.MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, m.root, comm, request);
        case Program::allgather:
            return mpi.MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, comm, request);
        case Program::alltoall:
            return mpi.MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, comm, request);
        case Program::reduce:
            return mpi.MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, m.root, comm, request);
        case Program::allreduce:
            return mpi.MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, comm, request);
        case Program::reduce_scatter_block:
            return mpi.MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm, request);
        case Program::scan:
            return mpi.MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, comm, request);
        case Program::exscan:
            return mpi.MPI_Iexscan(in, out, n, MPI_INT, MPI_SUM, comm, request);
        default:
            break;
        }
        return MPI_ERR_INTERN;
    }

    int by_deltas(const Program::Message &m, Pending &its, std::size_t count) {
        const MPI_Comm comm = mpi.comm[m.comm];
        const int n = static_cast<int>(count);
        const int *in = its.contribution.data();
        int *out = its.result.data(), code = MPI_ERR_INTERN;
        MPI_Request *request = &its.request;
        switch (m.collective) {
        case Program::bcast:
            code = mpi.MPIX_Delta_bcast_begin(out, n, MPI_INT, m.root, comm, request);
            break;
        case Program::gather:
            code = mpi.MPIX_Delta_gather_begin(in, n, MPI_INT, out, n, MPI_INT, m.root, comm, request);
            break;
        case Program::scatter:
            code = mpi.MPIX_Delta_scatter_begin(in, n, MPI_INT, out, n, MPI_INT, m.root, comm, request);
            break;
        case Program::allgather:
            code = mpi.MPIX_Delta_allgather_begin(in, n, MPI_INT, out, n, MPI_INT, comm, request);
            break;
        case Program::alltoall:
            code = mpi.MPIX_Delta_alltoall_begin(in, n, MPI_INT, out, n, MPI_INT, comm, request);
            break;
        case Program::reduce:
            code = mpi.MPIX_Delta_reduce_begin(in, out, n, MPI_INT, MPI_SUM, m.root, comm, request);
            break;
        case Program::allreduce:
            code = mpi.MPIX_Delta_allreduce_begin(in, out, n, MPI_INT, MPI_SUM, comm, request);
            break;
        case Program::reduce_scatter_block:
            code = mpi.MPIX_Delta_reduce_scatter_block_begin(in, out, n, MPI_INT, MPI_SUM, comm, request);
            break;
        case Program::scan:
            code = mpi.MPIX_Delta_scan_begin(in, out, n, MPI_INT, MPI_SUM, comm, request);
            break;
        case Program::exscan:
            code = mpi.MPIX_Delta_exscan_begin(in, out, n, MPI_INT, MPI_SUM, comm, request);
            break;
        default:
            break;
        }
        if (code) return code;
        const bool from_result = m.collective == Program::bcast && rank == m.root;
        const std::vector<int> &fed = from_result ? its.result : its.contribution;
        each_piece(m, fed, [&](const int *piece, std::size_t bytes, unsigned number) {
            if (number % 3 != 2) mpi.stretto_send_data(piece, bytes);
            if (m.before_send > 0) world->spend(m.before_send / m.pieces);
        });
        code = mpi.MPIX_Delta_collective_end(request);
        if (m.id % 2 && !from_result)
            each_piece(m, its.result,
                       [&](const int *piece, std::size_t bytes, unsigned) { mpi.stretto_wait_data(piece, bytes); });
        return code;
    }

    template <class Each>
    void each_piece(const Program::Message &m, const std::vector<int> &all, Each each) {
        for (unsigned k = 0; k < m.pieces; k++) {
            const unsigned piece = m.backwards ? m.pieces - 1 - k : k;
            const std::size_t begin = all.size() * piece / m.pieces, end = all.size() * (piece + 1) / m.pieces;
            if (end > begin) each(all.data() + begin, (end - begin) * sizeof(int), piece);
        }
    }

    void tell_result(const Program::Message &m, const Pending &its) {
        using enum Program::Collective;
        const std::size_t n = m.bytes / sizeof(int);
        if (m.collective == barrier || n == 0) return;
        if ((m.collective == gather || m.collective == reduce) && rank != m.root) return;
        if (m.collective == exscan && rank == 0) return; // undefined
        for (std::size_t k = 0; k < its.result.size(); k++) {
            const auto block = static_cast<int>(k / n);
            int wanted = 0;
            auto sum = [&](int ranks, int to, std::size_t at) {
                for (int from = 0; from < ranks; from++) wanted += value(m, from, to, at);
            };
            switch (m.collective) {
            case bcast:
                wanted = value(m, m.root, 0, k);
                break;
            case scatter:
                wanted = value(m, m.root, rank, k);
                break;
            case gather:
            case allgather:
                wanted = value(m, block, 0, k % n);
                break;
            case alltoall:
                wanted = value(m, block, rank, k % n);
                break;
            case reduce:
            case allreduce:
                sum(program.ranks, 0, k);
                break;
            case reduce_scatter_block:
                sum(program.ranks, rank, k);
                break;
            case scan:
                sum(rank + 1, 0, k);
                break;
            case exscan:
                sum(rank, 0, k);
                break;
            default:
                break;
            }
            if (its.result[k] != wanted) {
                say(m, "another result", its.result[k], wanted);
                return;
            }
        }
    }

    void done(Pending &its, int code, const MPI_Status &status) {
        const Program::Message &m = *its.message;
        if (m.collective) {
            check_code(m, "the wait for the collective gives an error", code);
            tell_result(m, its);
        } else if (m.to == rank)
            tell_received(m, its, code, status);
        else {
            check_code(m, "its wait gives an error", code);
            check_met(m);
        }
        if (its.request != MPI_REQUEST_NULL) {
            if (m.collective ||
                (m.send != Program::send_init && m.receive != Program::recv_init && m.send != Program::partitioned))
                say(m, "its request is not null after its end");
            mpi.MPI_Request_free(&its.request);
        }
    }

    // Some by themselves, the others by one MPI_Waitall.
    void wait_for_due(bool all) {
        std::vector<std::list<Pending>::iterator> together;
        for (auto at = pending.begin(); at != pending.end();) {
            const auto its = at++;
            if (!all && its->steps-- > 0) continue;
            if (its->message->together) {
                together.push_back(its);
                continue;
            }
            MPI_Status status{};
            int code = MPI_SUCCESS, flag = 0;
            world->me().doing = "the wait for message " + std::to_string(its->message->id);
            if (its->message->id % 3)
                code = mpi.MPI_Wait(&its->request, &status);
            else
                while (!flag && !code) code = mpi.MPI_Test(&its->request, &flag, &status), world->spend(1e-6);
            done(*its, code, status);
            pending.erase(its);
        }
        if (together.empty()) return;
        std::vector<MPI_Request> requests;
        std::vector<MPI_Status> statuses(together.size());
        world->me().doing = "MPI_Waitall for messages";
        for (const auto &its : together) {
            requests.push_back(its->request);
            world->me().doing += " " + std::to_string(its->message->id);
        }
        const int code = mpi.MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
        for (std::size_t k = 0; k < together.size(); k++) {
            together[k]->request = requests[k];
            done(*together[k], code ? statuses[k].MPI_ERROR : MPI_SUCCESS, statuses[k]);
            pending.erase(together[k]);
        }
    }

    const Program &program;
    int rank;
    Functions &mpi;
    std::string &wrong;
    std::list<Pending> pending;
};

} // namespace

void begin(const Program &program) {
    Performer::begin(program);
}

void perform(const Program &program, int rank, Functions &mpi, std::string &wrong, bool is_last) {
    Performer(program, rank, mpi, wrong).perform(is_last);
}

} // namespace simulation
