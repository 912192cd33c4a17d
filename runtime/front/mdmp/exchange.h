// Sends and receives with nothing between them: all are under way at once, so that their order does not matter.
#pragma once
#include "front/mdmp/member.h"

#include <utility>
#include <vector>

namespace stretto::front::mdmp {

//! \brief The members of one exchange, as far as they are known: nothing is received into what is sent, or twice into the same place, since the
//! order would count.
class Together {
public:
    //! It lives until the end.
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

//! Join the exchange of this thread, or be one where nothing else says where it ends (STRETTO_DIRECTIVE_ALONE).
void add_send(const Directive &directive, const Arguments &arguments);
void add_receive(const Directive &directive, const Arguments &arguments);

//! From here on what is alone joins.
void open_exchange(const Directive &directive);
//! Returns when all of it has come, and what was sent may be written again.
void exchange(const Directive &directive);

//! This thread has no exchange whose end is missing.
void check_nothing_pends(const Directive &directive);

} // namespace stretto::front::mdmp
