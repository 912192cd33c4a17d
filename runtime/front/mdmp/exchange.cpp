#include "front/mdmp/exchange.h"

#include "front/mdmp/region.h"
#include <deque>
#include <utility>

namespace stretto::front::mdmp {

namespace {

// Of this thread.
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

} // namespace stretto::front::mdmp
