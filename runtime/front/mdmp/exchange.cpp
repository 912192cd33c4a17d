#include "front/mdmp/exchange.h"

#include "front/mdmp/region.h"
#include "settings/settings.h"

#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stretto::front::mdmp {

namespace {

//! \brief The members of one exchange, as far as they are known: nothing is received into what is sent, or twice into the same place, since the
//! order would count.
class Together {
public:
    void add(const Member &member, bool is_send) {
        if (std::exchange(is_over, false)) {
            receives.clear();
            sends.clear();
        }
        check_apart(member, receives);
        if (!is_send) check_apart(member, sends);
        (is_send ? sends : receives).push_back(&member);
    }
    //! What comes next is another exchange's.
    void end() { is_over = true; }

private:
    static void check_apart(const Member &member, const std::vector<const Member *> &others) {
        for (const Member *other : others) member.must_be_apart_from(*other);
    }
    std::vector<const Member *> receives, sends;
    bool is_over = false;
};

// Of this thread, which begins and ends what the compiler took apart there.
thread_local Together together;
thread_local std::deque<Member> receives, sends;
thread_local const stretto_directive *opened = nullptr; // nothing that is alone ends the exchange

void run_exchange() {
    for (Member &one : receives) one.post();
    for (Member &one : sends) one.start();
    for (Member &one : receives) one.wait_for_first();
    for (Member &one : receives) one.wait();
    for (Member &one : sends) one.wait();
}

void end_if_alone(const Directive &directive) {
    if ((directive.given.flags & STRETTO_DIRECTIVE_ALONE) && !opened) exchange(directive);
}

} // namespace

void add_send(const Directive &directive, const Arguments &arguments) {
    Member one(directive, arguments);
    if (one.has_partner()) {
        sends.push_back(std::move(one));
        together.add(sends.back(), true);
        sends.back().make_ready();
    }
    end_if_alone(directive);
}

void add_receive(const Directive &directive, const Arguments &arguments) {
    Member one(directive, arguments);
    if (one.has_partner()) {
        one.must_be_apart_in_itself();
        receives.push_back(std::move(one));
        together.add(receives.back(), false);
    }
    end_if_alone(directive);
}

void open_exchange(const Directive &directive) {
    check_nothing_pends(directive);
    communicator_of(directive, nullptr);
    opened = &directive.given;
}

void exchange(const Directive &) {
    opened = nullptr;
    together.end();
    run_exchange();
    receives.clear();
    sends.clear();
}

void check_nothing_pends(const Directive &directive) {
    const stretto_directive *its = opened;
    for (const std::deque<Member> *members : {&receives, &sends})
        if (!its && !members->empty()) its = &members->front().which().given;
    if (its) fail(directive, "stands in an exchange that has not ended: it began at " + line_of(its->file, its->line));
}

// --- taken apart -------------------------------------------------------------------------------------------------------------------

namespace {

// Of this thread.
thread_local std::unordered_map<stretto_handle, std::unique_ptr<Member>> begun;

std::int64_t request_of(std::unique_ptr<Member> member) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(member.release()));
}

Member &member_of(std::int64_t request) {
    return *reinterpret_cast<Member *>(static_cast<std::intptr_t>(request));
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

// What it says of itself follows once it has begun: it comes by another communicator.
stretto_handle begin_send(const Directive &directive, const Arguments &arguments, stretto_call *call, CallSite site) {
    if (!settings.mdmp_ranges) return 0;
    auto one = std::make_unique<Member>(directive, arguments);
    if (!one->is_one_long_message()) return 0;
    const Member::Rest rest = one->rest();
    const stretto_handle handle =
        compiled_send_begin(call, rest.from, rest.bytes, MPI_BYTE, rest.partner, rest.tag, rest.comm, site);
    if (!handle) return 0;
    one->make_ready();
    one->start_first();
    begun[handle] = std::move(one);
    return handle;
}

std::int64_t end_begun_send(stretto_handle handle, CallSite site) {
    std::unique_ptr<Member> one = std::move(begun[handle]);
    begun.erase(handle);
    together.add(*one, true);
    check(one->which(), compiled_send_end(handle, &one->request_of_rest(), site));
    return request_of(std::move(one));
}

stretto_handle begin_wait(const void *first, int count, const std::int64_t requests[], stretto_call *call,
                          CallSite site) {
    if (!settings.mdmp_ranges) return 0;
    for (int k = 0; k < count; k++) {
        if (!requests[k]) continue;
        Member &member = member_of(requests[k]);
        if (!member.receives_into(first) || !member.is_one_long_message()) continue;
        member.wait_for_first();
        return compiled_wait_begin(call, first, 1, &member.request_of_rest(), site, Sender::has_begun);
    }
    return 0;
}

} // namespace stretto::front::mdmp
