#include "front/mdmp/apart.h"

#include "front/delta/fed.h"
#include "front/mdmp/exchange.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/timeline.h"
#include "tune/trial.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stretto::front::mdmp {

namespace {

//! Bytes, at least, of a strip of a loop that fills or reads a short message: what the calls cost is little beside them.
constexpr std::size_t least_strip = 1024;

//! Of a short section that leaves in parts.
constexpr std::size_t least_part = 512;
constexpr std::uint32_t most_parts = 4;

Range memory_of(const Member &member) {
    return pages::addresses_of(member.memory().first(), member.memory().bytes());
}

//! \brief A send that is begun and not ended.
struct Begun {
    std::unique_ptr<Member> member;
    stretto_handle handle; //!< of its message
    header::Parts parts;
    std::uint32_t final_parts = 0, left_parts = 0;

    bool has_left() const { return left_parts > 0; }
};

//! \brief Of one thread, in the order of its directives, in which their first messages leave: who receives one knows it by its place there.
//! Behind one that was not begun the compiler begins none to the same partner.
class InOrder {
public:
    Begun &add(std::unique_ptr<Member> member, stretto_handle handle, header::Parts parts) {
        return *all.emplace_back(std::make_unique<Begun>(Begun{std::move(member), handle, parts}));
    }
    //! So many of its parts may leave, the first one where those of the sends before it have.
    void are_final(Begun &begun, std::uint32_t parts) {
        begun.final_parts = parts;
        for (auto one = all.begin(); one != all.end(); ++one) {
            const bool waits = std::any_of(all.begin(), one, [&](const auto &before) {
                return !before->has_left() && (*one)->member->is_matched_in_order_with(*before->member);
            });
            if (!waits) leave(**one);
        }
    }
    //! Its directive's place is reached, and so was that of those before it. Returns whether its first message had left.
    std::pair<std::unique_ptr<Member>, bool> end(stretto_handle handle) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto &one) { return one->handle == handle; });
        Begun &begun = **found;
        const bool had_left = begun.has_left();
        if (!had_left) begun.parts = {};
        begun.final_parts = begun.parts.number;
        leave(begun);
        std::pair<std::unique_ptr<Member>, bool> its{std::move(begun.member), had_left};
        all.erase(found);
        return its;
    }

private:
    static void leave(Begun &begun) {
        for (; begun.left_parts < begun.final_parts; begun.left_parts++) {
            if (begun.has_left()) {
                begun.member->start_part(begun.left_parts);
                continue;
            }
            begun.member->make_ready(begun.parts);
            begun.member->start_first();
        }
    }
    std::vector<std::unique_ptr<Begun>> all;
};

// Of this thread, which begins and ends what the compiler took apart there.
thread_local InOrder in_order;
thread_local Together together;

//! \brief In how many parts a short section of one directive leaves: in some, if that makes the program's turns shorter than one whole.
class Parting {
public:
    header::Parts begins(std::size_t bytes) {
        const auto number = std::min<std::uint32_t>(static_cast<std::uint32_t>(bytes / least_part), most_parts);
        if (number < 2) return {};
        if (settings.trials) {
            if (trial.begins(trace::now(), bytes)) trial.decide(trial.measured());
            if (trial.way() == tune::Way::native) return {};
        }
        static std::atomic<std::uint32_t> sequences = 0;
        return {number, ++sequences};
    }

private:
    tune::Trial trial;
};

//! \brief A short send that a loop fills: each part leaves once all of it is final. Its own thread calls MPI; what another one says last is
//! left to the end.
class ShortSend final : public Fed {
public:
    ShortSend(const Member &member, header::Parts parts, bool checked)
        : Fed(memory_of(member)), checked(checked), bytes(member.memory().bytes()), part(parts.bytes(bytes)),
          missing(bytes) {}

    void say(Range range, CallSite) override {
        if (is_held) return;
        const bool is_all = (missing -= range.bytes()) == 0;
        if (!pthread_equal(thread, pthread_self())) return;
        if (range.begin == below) below = range.end;
        if (is_all)
            in_order.are_final(*begun, begun->parts.number);
        else if (below >= (begun->final_parts + 1) * part)
            in_order.are_final(*begun, static_cast<std::uint32_t>(below / part));
    }
    void hold() override { is_held = true; }
    bool calls_as_the_program() const override { return true; }
    std::size_t strip() const override {
        return is_held ? SIZE_MAX : part < bytes ? part : std::max(bytes, least_strip);
    }

    const bool checked; //!< -fstretto-check
    Begun *begun = nullptr;

private:
    const std::size_t bytes, part;
    const pthread_t thread = pthread_self();
    std::atomic<std::size_t> missing; // bytes
    std::size_t below = 0;            // all bytes below it are final
    bool is_held = false;
};

//! \brief A short receive that a loop reads: each part is waited for where the first byte of it is needed.
class ShortReceive final : public Fed {
public:
    explicit ShortReceive(std::unique_ptr<Member> member) : Fed(memory_of(*member)), member(std::move(member)) {}

    void say(Range range, CallSite) override { wait_below(range.end); }
    void hold() override { wait(); }
    bool calls_as_the_program() const override { return true; }
    std::size_t strip() const override { return least_strip; }

    void wait() { wait_below(member->memory().bytes()); }

private:
    void wait_below(std::size_t end) {
        if (member->has_landed_below(end)) return;
        const trace::Wait waiting;
        member->wait_below(end);
    }
    const std::unique_ptr<Member> member;
};

// Of this thread, by the number of a directive.
thread_local std::unordered_map<std::uint32_t, Parting> partings;

std::int64_t request_of(std::unique_ptr<Member> member) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(member.release()));
}

Member &member_of(std::int64_t request) {
    return *reinterpret_cast<Member *>(static_cast<std::intptr_t>(request));
}

// Of all threads.
std::mutex mutex_of_parts;
std::deque<std::unique_ptr<Member>> leaving;

void leave_by_themselves(std::unique_ptr<Member> member) {
    const std::lock_guard lock(mutex_of_parts);
    leaving.push_back(std::move(member));
    while (!leaving.empty() && leaving.front()->has_left()) leaving.pop_front();
}

bool goes_apart(stretto_call *call, CallSite site) {
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
        std::unique_ptr<Member> member(&member_of(std::exchange(requests[k], 0)));
        if (member->is_in_parts())
            leave_by_themselves(std::move(member));
        else
            member->wait();
    }
}

void wait_for_parts() {
    std::deque<std::unique_ptr<Member>> all;
    {
        const std::lock_guard lock(mutex_of_parts);
        std::swap(all, leaving);
    }
    for (const auto &member : all) member->wait();
}

stretto_handle begin_send(const Directive &directive, const Arguments &arguments, stretto_call *call, CallSite site) {
    if (!goes_apart(call, site)) return 0;
    auto one = std::make_unique<Member>(directive, arguments);
    if (!one->has_partner()) return 0;
    if (one->is_short_range()) {
        const bool checked = call->flags & STRETTO_CALL_CHECKED; // what left is compared: all of it was copied
        const header::Parts parts =
            checked ? header::Parts() : partings[directive.number()].begins(one->memory().bytes());
        auto *const its = new ShortSend(*one, parts, checked);
        its->begun = &in_order.add(std::move(one), handle_of(its), parts);
        return handle_of(its);
    }
    const stretto_handle handle = one->is_one_long_message() ? begin_long(*one, call, site) : 0;
    if (handle) in_order.are_final(in_order.add(std::move(one), handle, {}), 1); // what it says of itself is
    return handle;
}

std::int64_t end_begun_send(stretto_handle handle, CallSite site) {
    auto [one, had_left] = in_order.end(handle);
    together.add(*one, true);
    if (one->is_short_range()) {
        const std::unique_ptr<ShortSend> its(static_cast<ShortSend *>(fed(handle)));
        if (had_left) stretto::count(Rule::short_range_send);
        if (had_left && its->checked && one->was_written_since()) fail(one->which(), "was written after it had left");
    } else
        check(one->which(), compiled_send_end(handle, &one->request_of_rest(), site));
    return request_of(std::move(one));
}

stretto_handle begin_wait(const void *first, int count, std::int64_t requests[], stretto_call *call, CallSite site) {
    if (!goes_apart(call, site)) return 0;
    for (int k = 0; k < count; k++) {
        if (!requests[k] || !member_of(requests[k]).receives_into(first)) continue;
        Member &member = member_of(requests[k]);
        if (member.is_short_range()) {
            stretto::count(Rule::short_range_receive);
            requests[k] = 0;
            return handle_of(new ShortReceive(std::unique_ptr<Member>(&member)));
        }
        if (!member.is_one_long_message()) continue;
        member.wait_for_first();
        return compiled_wait_begin(call, first, 1, &member.request_of_rest(), site, Sender::has_begun);
    }
    return 0;
}

void end_wait(stretto_handle handle, CallSite site) {
    if (!fed(handle)->calls_as_the_program()) {
        compiled_recv_end(handle, MPI_STATUS_IGNORE, site);
        return;
    }
    const std::unique_ptr<ShortReceive> one(static_cast<ShortReceive *>(fed(handle)));
    one->wait();
}

} // namespace stretto::front::mdmp
