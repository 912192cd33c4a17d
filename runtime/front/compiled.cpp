// What a compiler calls (include/stretto/abi.h): a loop that fills a message, or reads one, says how far it is (Bao et al. 2012, II.B.2;
// Danalis et al. 2005, 4.2).
#include "front/compiled.h"

#include "front/delta.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/handled.h"
#include "front/pages.h"
#include "front/requests.h"
#include "pages/memory.h"
#include "trace/counters.h"
#include "trace/report.h"
#include "trace/source.h"
#include "trace/timeline.h"
#include "tune/settings.h"

#include <stretto/abi.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <span>
#include <utility>
#include <vector>

namespace stretto::front {

namespace {

// Bytes. Each call of need may find that the program has to wait, and where ranks share cores a wait costs more than a delta gains.
constexpr std::size_t least_strip = 16 << 10;

//! \brief An operation between its begin and its end: what a handle that is not 0 stands for.
class Fed {
public:
    virtual ~Fed() = default;

    //! These bytes are final, or needed.
    virtual void say(Range range, CallSite here) = 0;
    //! Nothing is known of it any more until its end.
    virtual void hold() = 0;
    virtual std::size_t strip() const = 0;

    //! All bytes below `high`, or from `low` on, of which those that were said already are left out. One thread says so.
    void say_below(std::int64_t high, CallSite here) {
        const std::size_t end = clamp(high);
        if (end <= below) return;
        const Range more{below, std::min(end, above)};
        below = end;
        if (!more.empty()) say(more, here);
    }
    void say_above(std::int64_t low, CallSite here) {
        const std::size_t begin = clamp(low);
        if (begin >= above) return;
        const Range more{std::max(begin, below), above};
        above = begin;
        if (!more.empty()) say(more, here);
    }
    void say(std::int64_t low, std::int64_t high, CallSite here) {
        const Range range{clamp(low), clamp(high)};
        if (range.begin < range.end) say(range, here);
    }

    Range addresses() const { return memory; }

protected:
    explicit Fed(std::span<const std::byte> memory)
        : memory(pages::addresses_of(memory.data(), memory.size())), above(memory.size()) {}

private:
    std::size_t clamp(std::int64_t offset) const {
        return offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), memory.bytes());
    }
    const Range memory;
    std::size_t below = 0, above; // what say_below() and say_above() have said
};

class FedSend final : public Fed {
public:
    FedSend(message::Send &send, MPI_Request request, std::span<const std::byte> memory)
        : Fed(memory), request(request), send(send), thread(pthread_self()) {}

    void say(Range range, CallSite here) override {
        if (is_held) return;
        if (!progress::Guard::multiple && !pthread_equal(thread, pthread_self())) {
            const std::lock_guard lock(elsewhere_lock);
            elsewhere.push_back(range);
            return;
        }
        const progress::Guard guard;
        send.ready(range, here);
        for (const Range said : take_elsewhere()) send.ready(said, here);
    }
    void hold() override { is_held = true; }
    std::size_t strip() const override { return is_held ? SIZE_MAX : std::max(send.delta_bytes(), least_strip); }

    MPI_Request request;

private:
    std::vector<Range> take_elsewhere() {
        const std::lock_guard lock(elsewhere_lock);
        return std::exchange(elsewhere, {});
    }

    message::Send &send;
    bool is_held = false;
    // What other threads say, where only the one that began the send may call MPI: it takes that along.
    const pthread_t thread;
    std::mutex elsewhere_lock;
    std::vector<Range> elsewhere;
};

class FedReceive final : public Fed {
public:
    FedReceive(const Matched &matched, int error)
        : Fed(error == MPI_SUCCESS && !matched.complete ? matched.incoming.receive->buffer().memory()
                                                        : std::span<const std::byte>()),
          matched(matched), error(error) {}

    void say(Range range, CallSite) override {
        if (is_here) return;
        message::Receive &receive = *matched.incoming.receive;
        {
            const progress::Guard guard;
            is_here = receive.is_complete();
            if (is_here || receive.arrived(range)) return;
        }
        const trace::Wait waiting;
        progress::until([&] { return receive.arrived(range); });
    }
    void hold() override {
        if (!addresses().empty()) say({0, addresses().bytes()}, nullptr);
    }
    std::size_t strip() const override {
        return addresses().empty() ? SIZE_MAX : std::max(matched.incoming.receive->delta_bytes(), least_strip);
    }

    int end(MPI_Status *status) {
        if (error != MPI_SUCCESS) return error;
        const trace::Wait waiting;
        return finish_receive(matched.incoming, status);
    }

private:
    Matched matched;
    int error;
    bool is_here = false; // all of it
};

Fed *fed(stretto_handle handle) {
    return reinterpret_cast<Fed *>(static_cast<std::intptr_t>(handle));
}

stretto_handle handle_of(Fed *operation) {
    return reinterpret_cast<std::intptr_t>(operation);
}

// Its first use: reports name what the compiler knows of it, also where the program has no debug information.
bool is_known(stretto_call *call, CallSite site) {
    if (call->known) [[likely]]
        return true;
    if (call->version > STRETTO_ABI_VERSION) return false; // a later Stretto's: plain MPI is always right
    const progress::Guard guard;
    if (call->file)
        source::known(site, {call->function ? call->function : "", call->file + (":" + std::to_string(call->line))});
    call->known = site;
    return true;
}

} // namespace

stretto_handle compiled_send_begin(stretto_call *call, const void *buf, MPI_Count count, MPI_Datatype type, int dest,
                                   int tag, MPI_Comm comm, CallSite site) {
    if (!active || !is_known(call, site)) return 0;
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, "MPI_Send", site);
    MPI_Request request = MPI_REQUEST_NULL;
    message::Send *send = begin_fed(buf, count, type, dest, tag, comm, &request, site);
    if (!send) return 0;
    stretto::count(Rule::compiled_send);
    if (call->flags & STRETTO_CALL_CHECKED) send->check();
    return handle_of(new FedSend(*send, request, mpi::TypedBuffer(buf, count, type).memory()));
}

int compiled_send_end(stretto_handle handle, MPI_Request *request, CallSite site) {
    const std::unique_ptr<FedSend> send(static_cast<FedSend *>(fed(handle)));
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, request ? "MPI_Isend" : "MPI_Send", site);
    const RequestsBegun begun(reported, request ? 1 : 0, request);
    const int error = send_end(-1, &send->request, site, "MPI_Send");
    if (request) *request = send->request;
    if (error != MPI_SUCCESS || request) return error;
    return Wait(&send->request, MPI_STATUS_IGNORE);
}

stretto_handle compiled_recv_begin(stretto_call *call, void *buf, MPI_Count count, MPI_Datatype type, int source,
                                   int tag, MPI_Comm comm, MPI_Status *status, CallSite site) {
    const Inside inside;
    const Within within(true);
    caller = site;
    const report::Call reported(depth == 1, "MPI_Recv", site);
    if (progress::tasks) settle_list(status, 1, true);
    Matched matched;
    int error;
    const bool in_parts =
        active && is_known(call, site) && comm != MPI_COMM_NULL && listens_to_annotations(trigger_on(comm));
    if (in_parts)
        error = match(buf, count, type, source, tag, comm, tune::Release::annotated, site, matched);
    else {
        if (progress::tasks) settle(buf, count, type, true);
        error = active ? Recv(buf, count, type, source, tag, comm, &matched.status)
                       : native::recv(buf, count, type, source, tag, comm, &matched.status);
    }
    if (error == MPI_SUCCESS && matched.complete) {
        give_status(matched.status, status);
        return 0;
    }
    if (error == MPI_SUCCESS) stretto::count(Rule::compiled_receive);
    return handle_of(new FedReceive(matched, error));
}

int compiled_recv_end(stretto_handle handle, MPI_Status *status, CallSite site) {
    if (!handle) return MPI_SUCCESS;
    const std::unique_ptr<FedReceive> receive(static_cast<FedReceive *>(fed(handle)));
    const Inside inside;
    const Within within(true);
    const report::Call reported(depth == 1, "MPI_Recv", site);
    if (progress::tasks) settle_list(status, 1, true);
    return receive->end(status);
}

} // namespace stretto::front

using namespace stretto;

#define SITE __builtin_return_address(0)

extern "C" {

STRETTO_PUBLIC stretto_handle stretto_send_begin(stretto_call *call, const void *buf, int count, MPI_Datatype type,
                                                 int dest, int tag, MPI_Comm comm) {
    return front::compiled_send_begin(call, buf, count, type, dest, tag, comm, SITE);
}

// Of handle 0 a call in tail position: MPI's own, as if the program had made it.
STRETTO_PUBLIC int stretto_send_end(stretto_handle handle, stretto_call *, const void *buf, int count,
                                    MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    if (!handle) return MPI_Send(buf, count, type, dest, tag, comm);
    return front::compiled_send_end(handle, nullptr, SITE);
}

STRETTO_PUBLIC int stretto_isend_end(stretto_handle handle, stretto_call *, const void *buf, int count,
                                     MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
    if (!handle) return MPI_Isend(buf, count, type, dest, tag, comm, request);
    return front::compiled_send_end(handle, request, SITE);
}

STRETTO_PUBLIC stretto_handle stretto_recv_begin(stretto_call *call, void *buf, int count, MPI_Datatype type,
                                                 int source, int tag, MPI_Comm comm, MPI_Status *status) {
    front::require_library();
    return front::compiled_recv_begin(call, buf, count, type, source, tag, comm, status, SITE);
}

STRETTO_PUBLIC int stretto_recv_end(stretto_handle handle, MPI_Status *status) {
    return front::compiled_recv_end(handle, status, SITE);
}

STRETTO_PUBLIC void stretto_ready(stretto_handle handle, const void *, int64_t low, int64_t high) {
    if (!handle) return;
    const front::Inside inside;
    const front::Within within(true);
    front::fed(handle)->say(low, high, SITE);
}

STRETTO_PUBLIC void stretto_ready_below(stretto_handle handle, const void *, int64_t high) {
    if (!handle) return;
    const front::Inside inside;
    const front::Within within(true);
    front::fed(handle)->say_below(high, SITE);
}

STRETTO_PUBLIC void stretto_ready_above(stretto_handle handle, const void *, int64_t low) {
    if (!handle) return;
    const front::Inside inside;
    const front::Within within(true);
    front::fed(handle)->say_above(low, SITE);
}

STRETTO_PUBLIC void stretto_need(stretto_handle handle, void *buf, int64_t low, int64_t high)
    __attribute__((alias("stretto_ready")));
STRETTO_PUBLIC void stretto_need_below(stretto_handle handle, void *buf, int64_t high)
    __attribute__((alias("stretto_ready_below")));
STRETTO_PUBLIC void stretto_need_above(stretto_handle handle, void *buf, int64_t low)
    __attribute__((alias("stretto_ready_above")));

STRETTO_PUBLIC int64_t stretto_strip(stretto_handle handle) {
    const std::size_t bytes = handle ? front::fed(handle)->strip() : SIZE_MAX;
    return bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes);
}

STRETTO_PUBLIC void stretto_hold_unless(stretto_handle handle, void *, int32_t ok) {
    if (!handle || ok) return;
    const front::Inside inside;
    const front::Within within(true);
    front::fed(handle)->hold();
}

STRETTO_PUBLIC void stretto_hold_if_overlap(stretto_handle handle, void *buf, const void *low, const void *high) {
    if (!handle) return;
    const auto bytes = static_cast<std::size_t>(static_cast<const char *>(high) - static_cast<const char *>(low));
    if (high > low && front::fed(handle)->addresses().intersects(pages::addresses_of(low, bytes)))
        stretto_hold_unless(handle, buf, 0);
}
}
