#include "front/mdmp/apart.h"

#include "front/delta/fed.h"
#include "front/mdmp/exchange.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/timeline.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <pthread.h>
#include <utility>
#include <vector>

namespace stretto::front::mdmp {

namespace {

//! Bytes, at least, of a strip of a loop that fills or reads a short message: what the calls cost is little beside them.
constexpr std::size_t least_strip = 1024;

Range memory_of(const Member &member) {
    return pages::addresses_of(member.memory().first(), member.memory().bytes());
}

//! \brief A send that is begun and not ended.
struct Begun {
    std::unique_ptr<Member> member;
    stretto_handle handle; //!< of its message
    bool is_final = false, has_left = false;
};

//! \brief Of one thread, in the order of its directives, in which their first messages leave: who receives one knows it by its place there.
//! Behind one that was not begun the compiler begins none to the same partner.
class InOrder {
public:
    Begun &add(std::unique_ptr<Member> member, stretto_handle handle) {
        return *all.emplace_back(std::make_unique<Begun>(Begun{std::move(member), handle}));
    }
    //! Its first message may leave, where those before it have.
    void is_final(Begun &begun) {
        begun.is_final = true;
        for (auto one = all.begin(); one != all.end(); ++one) {
            const bool waits = std::any_of(all.begin(), one, [&](const auto &before) {
                return !before->has_left && (*one)->member->is_matched_in_order_with(*before->member);
            });
            if ((*one)->is_final && !(*one)->has_left && !waits) leave(**one);
        }
    }
    //! Its directive's place is reached, and so was that of those before it. Returns whether its first message had left.
    std::pair<std::unique_ptr<Member>, bool> end(stretto_handle handle) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto &one) { return one->handle == handle; });
        Begun &begun = **found;
        const bool had_left = begun.has_left;
        if (!had_left) leave(begun);
        std::pair<std::unique_ptr<Member>, bool> its{std::move(begun.member), had_left};
        all.erase(found);
        return its;
    }

private:
    static void leave(Begun &begun) {
        begun.member->make_ready();
        begun.member->start_first();
        begun.has_left = true;
    }
    std::vector<std::unique_ptr<Begun>> all;
};

// Of this thread, which begins and ends what the compiler took apart there.
thread_local InOrder in_order;
thread_local Together together;

//! \brief A short send that a loop fills: one message, which leaves once all of it is final. Its own thread calls MPI; what another one says last
//! is left to the end.
class ShortSend final : public Fed {
public:
    ShortSend(const Member &member, bool checked)
        : Fed(memory_of(member)), checked(checked), missing(member.memory().bytes()) {}

    void say(Range range, CallSite) override {
        if (is_held || (missing -= range.bytes()) > 0) return;
        if (pthread_equal(thread, pthread_self())) in_order.is_final(*begun);
    }
    void hold() override { is_held = true; }
    std::size_t strip() const override { return is_held ? SIZE_MAX : std::max(missing.load(), least_strip); }

    const bool checked; //!< -fstretto-check
    Begun *begun = nullptr;

private:
    const pthread_t thread = pthread_self();
    std::atomic<std::size_t> missing; // bytes
    bool is_held = false;
};

//! \brief A short receive that a loop reads: it is waited for where the first byte of it is needed.
class ShortReceive final : public Fed {
public:
    explicit ShortReceive(std::unique_ptr<Member> member) : Fed(memory_of(*member)), member(std::move(member)) {}

    void say(Range, CallSite) override { wait(); }
    void hold() override { wait(); }
    std::size_t strip() const override { return is_here ? SIZE_MAX : least_strip; }

    void wait() {
        if (std::exchange(is_here, true)) return;
        const trace::Wait waiting;
        member->wait();
    }

private:
    const std::unique_ptr<Member> member;
    bool is_here = false;
};

// Of this thread.
thread_local std::vector<ShortReceive *> short_receives;

std::int64_t request_of(std::unique_ptr<Member> member) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(member.release()));
}

Member &member_of(std::int64_t request) {
    return *reinterpret_cast<Member *>(static_cast<std::intptr_t>(request));
}

bool in_parts(stretto_call *call, CallSite site) {
    return settings.mdmp_ranges && !settings.off && is_known(call, site);
}

// What it says of itself follows once it has begun: it comes by another communicator.
stretto_handle begin_long(const Member &member, stretto_call *call, CallSite site) {
    const Member::Rest rest = member.rest();
    return compiled_send_begin(call, rest.from, rest.bytes, MPI_BYTE, rest.partner, rest.tag, rest.comm, site);
}

} // namespace

std::int64_t start_send(const Directive &directive, const Arguments &arguments) {
    auto one = std::make_unique<Member>(directive, arguments);
    if (!one->has_partner()) return 0;
    together.add(*one, true);
    one->make_ready();
    one->start();
    return request_of(std::move(one));
}

std::int64_t start_receive(const Directive &directive, const Arguments &arguments) {
    auto one = std::make_unique<Member>(directive, arguments);
    if (!one->has_partner()) return 0;
    together.add(*one, false);
    one->post();
    return request_of(std::move(one));
}

void wait_for_all(int count, std::int64_t requests[]) {
    together.end();
    for (int k = 0; k < count; k++)
        if (requests[k]) member_of(requests[k]).wait_for_first();
    for (int k = 0; k < count; k++) {
        if (!requests[k]) continue;
        const std::unique_ptr<Member> member(&member_of(std::exchange(requests[k], 0)));
        member->wait();
    }
}

stretto_handle begin_send(const Directive &directive, const Arguments &arguments, stretto_call *call, CallSite site) {
    if (!in_parts(call, site)) return 0;
    auto one = std::make_unique<Member>(directive, arguments);
    if (!one->has_partner()) return 0;
    if (one->is_one_short_message()) {
        auto *const its = new ShortSend(*one, call->flags & STRETTO_CALL_CHECKED);
        its->begun = &in_order.add(std::move(one), handle_of(its));
        return handle_of(its);
    }
    const stretto_handle handle = one->is_one_long_message() ? begin_long(*one, call, site) : 0;
    if (handle) in_order.is_final(in_order.add(std::move(one), handle)); // what it says of itself is
    return handle;
}

std::int64_t end_begun_send(stretto_handle handle, CallSite site) {
    auto [one, had_left] = in_order.end(handle);
    together.add(*one, true);
    if (one->is_one_short_message()) {
        const std::unique_ptr<ShortSend> its(static_cast<ShortSend *>(fed(handle)));
        if (had_left) stretto::count(Rule::short_range_send);
        if (had_left && its->checked && one->was_written_since())
            fail(one->which(), "was written after it had left");
    } else
        check(one->which(), compiled_send_end(handle, &one->request_of_rest(), site));
    return request_of(std::move(one));
}

stretto_handle begin_wait(const void *first, int count, std::int64_t requests[], stretto_call *call, CallSite site) {
    if (!in_parts(call, site)) return 0;
    for (int k = 0; k < count; k++) {
        if (!requests[k] || !member_of(requests[k]).receives_into(first)) continue;
        Member &member = member_of(requests[k]);
        if (member.is_one_short_message()) {
            stretto::count(Rule::short_range_receive);
            requests[k] = 0;
            return handle_of(short_receives.emplace_back(new ShortReceive(std::unique_ptr<Member>(&member))));
        }
        if (!member.is_one_long_message()) continue;
        member.wait_for_first();
        return compiled_wait_begin(call, first, 1, &member.request_of_rest(), site, Sender::has_begun);
    }
    return 0;
}

void end_wait(stretto_handle handle, CallSite site) {
    const auto found = std::find_if(short_receives.begin(), short_receives.end(),
                                    [&](ShortReceive *one) { return handle_of(one) == handle; });
    if (found == short_receives.end()) {
        compiled_recv_end(handle, MPI_STATUS_IGNORE, site);
        return;
    }
    const std::unique_ptr<ShortReceive> one(*found);
    short_receives.erase(found);
    one->wait();
}

} // namespace stretto::front::mdmp
