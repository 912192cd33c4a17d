#pragma once
#include "trace/summary.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

//! \brief What a report says first: how much Stretto saved or cost, where, and what to do. A function of what was counted.
namespace stretto::report {

//! \brief What was decided before the program's first message.
struct Conditions {
    std::string why_native;    //!< nothing is framed; empty: messages may be
    bool releases = true;      //!< receives may return early
    std::size_t threshold = 0; //!< bytes of the smallest message that may be framed
};

//! \brief What a job's time says of Stretto. The first that holds.
enum class Finding {
    left,         //!< nothing is framed in this job
    paid,         //!< more was paid than hidden
    saved,        //!< some was hidden
    librarys,     //!< the time is in calls that are the library's
    nothing,      //!< messages take no time
    not_asked,    //!< receives may not return early
    small,        //!< no message is large enough
    fast,         //!< no link is slow enough
    read_at_once, //!< the program touches what it receives as soon as it is matched
    used_at_once, //!< a call of MPI needs it so
    late,         //!< senders are late
    in_time,      //!< messages are there before they are received
    mixed,        //!< none of these by itself
    number
};
const char *name_of(Finding finding);

//! \brief Why a call site's time is what it is.
enum class Cause {
    hidden,     //!< most of it was hidden
    costs,      //!< it cost more than it hid
    touched,    //!< the program touched what had not come
    used,       //!< a call of MPI used it
    uneven,     //!< few ranks wait, and those for late senders
    late,       //!< the senders are late
    completed,  //!< waited for in a call that completes its requests
    became,     //!< what became of its messages
    of_library, //!< it is a call of the library's
    unknown,
    number
};
const char *name_of(Cause cause);

//! \brief A call site that matters.
struct Advice {
    SiteName site;
    SiteSummary sum;
    Cause cause = Cause::unknown;
    Reason reason;                 //!< what touched, used or completed
    Fate fate = Fate::send_framed; //!< what became of most messages
};

struct Verdict {
    Finding finding = Finding::nothing;
    std::uint64_t time = 0; //!< nanoseconds that were saved, paid or waited
    std::uint64_t of = 0;   //!< of these, of all ranks together; of what was saved: with it
    std::uint64_t hidden = 0, cost = 0;
    std::vector<Advice> sites; //!< what matters most first; three at most
};

Verdict verdict(const Summary &summary, const Conditions &conditions);

//! How a place is written: "exchange() at halo.hpp:40".
using Where = std::function<std::string(const source::Place &)>;

//! "Saved up to 12 s of 80 s". One sentence, without its point.
std::string sentence(const Verdict &verdict, const Conditions &conditions, const Where &where);

//! What was seen at a site: "touched at solver.c:214"; and what to do there.
std::string seen(const Advice &advice, const Where &where);
std::string what_to_do(const Advice &advice, const Where &where);

} // namespace stretto::report
