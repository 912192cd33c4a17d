// MPI_Send, MPI_Isend and their modes (MPI 4.1, 3.4 and 3.7.2).
#include "front/calls/outgoing.h"
#include "front/calls/waiting.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/system/pages.h"
#include "mpi/committed.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/timeline.h"
#include "tune/which_framing.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace stretto::front {

using native::Mode;

namespace {

// Bytes of an ordinary message.
std::size_t least_framed() {
    return std::max(settings.threshold, message::least_total);
}

// Rule 2: a plain message that looks like a first fragment leaves framed, in whatever mode.
message::Send *escape(Mode mode, const mpi::TypedBuffer &data, const message::Envelope &to, mpi::Peer &peer) {
    if (!message::looks_framed(data)) return nullptr;
    if (mode == Mode::synchronous)
        return message::Send::begin(data, to, peer, message::Send::Kind::escaped_synchronous);
    if (mode != Mode::buffered) return message::Send::begin(data, to, peer, message::Send::Kind::escaped);
    // A buffered send returns at once, so it sends a copy.
    auto copy = std::make_unique<std::byte[]>(data.bytes());
    data.pack(0, data.bytes(), copy.get());
    const mpi::TypedBuffer copied(copy.get(), static_cast<MPI_Count>(data.bytes()), MPI_BYTE);
    message::Send *send = message::Send::begin(copied, to, peer, message::Send::Kind::escaped);
    if (send) send->keep(std::move(copy));
    return send;
}

} // namespace

bool may_frame(const mpi::Communicator &comm, int dest, MPI_Count count, MPI_Datatype type) {
    const mpi::Peer *peer = comm.framing_peer(dest);
    if (!peer || count <= 0 || type == MPI_DATATYPE_NULL) return false;
    const std::size_t bytes = static_cast<std::size_t>(count) * mpi::type_map(type).bytes();
    return message::has_fragment_length(bytes) || (peer->frames_plain && comm.use.frames && bytes >= least_framed());
}

namespace {

// It receives later than we send.
bool lags(const mpi::Peer &peer) {
    return peer.outstanding > mpi::job.window / 2;
}

struct Begun {
    message::Send *send = nullptr; // nothing: it is to go native
    bool given_up = false;         // as that is quicker
};

[[gnu::hot]] Begun begin_framed(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm) {
    const auto &c = mpi::communicator(comm);
    mpi::Peer *peer = c->framing_peer(dest);
    // Wrong arguments are the library's to complain about.
    if (!peer || count <= 0 || type == MPI_DATATYPE_NULL || tag < 0 || tag > mpi::job.tag_bound) return {};
    if (!buf && mpi::type_map(type).contiguous()) return {};
    if (delta_sends_open) check_place(dest, tag, comm);
    if (mpi::in_device_memory(buf, count, type)) [[unlikely]]
        return {};
    const std::size_t bytes = static_cast<std::size_t>(count) * mpi::type_map(type).bytes();
    if (message::has_fragment_length(bytes)) {
        // MPI_PACKED has no type map, but it is bytes.
        const mpi::TypedBuffer data(buf, count, type == MPI_PACKED ? MPI_BYTE : type);
        return {data.map().known() && mpi::is_committed(type) ? escape(mode, data, {c, dest, tag}, *peer) : nullptr};
    }
    const bool may_be = peer->frames_plain && c->use.frames && (mode == Mode::standard || mode == Mode::ready) &&
                        bytes >= least_framed() && bytes <= settings.largest && mpi::type_map(type).known() &&
                        mpi::is_committed(type);
    const bool framed = may_be && tune::leaves_framed(callers_own(), bytes, peer, lags(*peer), trace::now());
    Begun begun{.given_up = may_be && !framed};
    if (framed)
        begun.send = message::Send::begin({buf, count, type}, {c, dest, tag}, *peer, message::Send::Kind::ordinary);
    if (!begun.send) stretto::count(begun.given_up ? Rule::send_given_up : Rule::send_native);
    return begun;
}

report::Fate fate(const Begun &begun, Mode mode, std::size_t bytes, const mpi::Communicator &comm,
                  const mpi::Peer *peer, MPI_Datatype type) {
    using report::Fate;
    if (begun.send) return Fate::send_framed;
    if (begun.given_up) return Fate::send_given_up;
    if (!peer) return Fate::send_stranger;
    if (bytes < least_framed()) return Fate::send_small;
    if (!peer->frames_plain) return peer->is_near() ? Fate::send_near : Fate::send_fast;
    if (!comm.use.frames) return Fate::send_asked;
    if (mode != Mode::standard && mode != Mode::ready) return Fate::send_mode;
    if (bytes > settings.largest) return Fate::send_large;
    return mpi::type_map(type).known() ? Fate::send_no_tags : Fate::send_type;
}

void report_send(const Begun &begun, Mode mode, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm) {
    if (!report::enabled) [[likely]]
        return;
    if (!report::current || dest == MPI_PROC_NULL || count < 0 || type == MPI_DATATYPE_NULL) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * mpi::type_map(type).bytes();
    const mpi::Communicator &c = *mpi::communicator(comm);
    report::message(report::current, fate(begun, mode, bytes, c, c.framing_peer(dest), type), bytes);
}

} // namespace

void report_native(Mode mode, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm) {
    report_send({}, mode, count, type, dest, comm);
}

[[gnu::hot]] message::Send *frame(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                  MPI_Comm comm) {
    const report::Cost cost(report::current);
    const Begun begun = begin_framed(mode, buf, count, type, dest, tag, comm);
    report_send(begun, mode, count, type, dest, comm);
    return begun.send;
}

namespace {

[[gnu::hot]] int blocking(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                          MPI_Comm comm) {
    message::Send *framed;
    {
        progress::Guard guard;
        enter();
        framed = frame(mode, buf, count, type, dest, tag, comm);
    }
    if (!framed) wait_for_matches();
    trace::Wait wait;
    if (framed) {
        progress::until([&] { return mode == Mode::buffered || framed->complete(); });
        progress::Guard guard;
        return end(*framed);
    }
    if (progress::may_block()) return native::send(mode, buf, count, type, dest, tag, comm);
    if (mode == Mode::buffered) { // does not wait
        const Alone alone;
        return native::send(mode, buf, count, type, dest, tag, comm);
    }
    MPI_Request request =
        MPI_REQUEST_NULL; // stays so where MPICH 5 says MPI_SUCCESS, as a handler of the program's was told
    int error;
    {
        const Alone alone;
        error = native::isend(mode, buf, count, type, dest, tag, comm, &request);
    }
    return error == MPI_SUCCESS ? NativeRequest(request).wait() : error;
}

int nonblocking(Mode mode, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                MPI_Request *request) {
    std::optional<progress::Guard> guard(std::in_place);
    enter();
    message::Send *framed = frame(mode, buf, count, type, dest, tag, comm);
    if (!framed) {
        if (message::unmatched) {
            guard.reset();
            wait_for_matches();
            guard.emplace();
        }
        return native::isend(mode, buf, count, type, dest, tag, comm, request);
    }
    Operation &operation = new_operation();
    *request = operation.handle;
    if (mode == Mode::buffered)
        framed->release(); // its copy is: complete at once
    else
        operation.send = framed;
    return MPI_SUCCESS;
}

} // namespace

[[gnu::hot]] int Send(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking(Mode::standard, buf, count, type, dest, tag, comm);
}
int Bsend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking(Mode::buffered, buf, count, type, dest, tag, comm);
}
int Ssend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking(Mode::synchronous, buf, count, type, dest, tag, comm);
}
int Rsend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking(Mode::ready, buf, count, type, dest, tag, comm);
}

int Isend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
    return nonblocking(Mode::standard, buf, count, type, dest, tag, comm, request);
}
int Ibsend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request *request) {
    return nonblocking(Mode::buffered, buf, count, type, dest, tag, comm, request);
}
int Issend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request *request) {
    return nonblocking(Mode::synchronous, buf, count, type, dest, tag, comm, request);
}
int Irsend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request *request) {
    return nonblocking(Mode::ready, buf, count, type, dest, tag, comm, request);
}

} // namespace stretto::front
