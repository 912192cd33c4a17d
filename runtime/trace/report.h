#pragma once
#include "pages/fault.h"
#include "trace/failure.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

//! \brief What each call of the program waited for, what was hidden there, and what stopped more (STRETTO_REPORT; docs/report.md).
//!
//! Counted per call site, in atomics of a table that never grows: by any thread, in fault handlers too. summary.h merges the ranks' tables,
//! page.h writes them down.
namespace stretto::report {

//! All ranks that run Stretto were asked for a report, and it can be written. Set once, in MPI_Init.
inline bool enabled = false;

//! Nanoseconds, or how often.
using Count = std::atomic<std::uint64_t>;

//! \brief What became of a message.
enum class Fate {
#define FATE(name, text, advice) name,
#include "trace/fates.def"
#undef FATE
    number
};
inline constexpr auto fates = static_cast<std::size_t>(Fate::number);

//! What the report says of a fate, what to do about it, and its name.
const char *text_of(Fate fate);
const char *advice_of(Fate fate);
const char *name_of(Fate fate);

//! \brief Time that the program ran on while messages came in: from when the first call returned until the last message is whole, without
//! what the program waited meanwhile. Under the one lock.
struct Span {
    unsigned messages = 0;
    std::int64_t begun = 0; // on the program's clock
};

//! What stopped a program that ran on: a place that touched what had not come, or the call of MPI that used it.
struct Stopper {
    std::atomic<const void *> what{nullptr}; //!< an instruction, or a Site
    Count times{0}, nanoseconds{0};
};

//! \brief A call site.
struct Site {
    std::atomic<CallSite> call{nullptr};
    std::atomic<const char *> function{nullptr};
    std::atomic<bool> of_the_library{false}; //!< no message of Stretto's is waited for
    Count calls{0};
    Count in_calls{0};       //!< without what messages of other sites were waited for
    Count in_completions{0}; //!< in calls of other sites, that complete what began here
    Count unmatched{0};      //!< of both: until the messages were matched
    Count stopped{0}, stops{0};
    Count hidden{0};
    Count cost{0}; //!< of framing, of copies, of pages that are protected and filled
    struct Messages {
        Count number{0}, bytes{0};
    };
    std::array<Messages, fates> messages;
    std::array<Stopper, 8> stoppers;
    std::array<Stopper, 8> completions; //!< sites
    Span span;
};

//! What was counted, when the job ends. Sites beyond the table's room are one, without a call.
inline constexpr std::size_t most_sites = 1024;
inline std::array<Site, most_sites + 1> sites;
inline Count hidden{0}; //!< of all sites together: no moment counts twice

//! The call that this thread is in.
inline constinit thread_local Site *current = nullptr;

void start();

//! \brief A call that the program makes. The time that it takes is waited for.
class Call {
public:
    //! for_messages: not one that is the library's own, a collective, say.
    Call(bool outermost, const char *function, CallSite call, bool for_messages = true) {
        if (enabled && outermost) [[unlikely]]
            begin(function, call, for_messages);
    }
    ~Call() {
        if (site) [[unlikely]]
            end();
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    //! Null: it is not reported.
    Site *where() const { return site; }

private:
    void begin(const char *function, CallSite call, bool for_messages);
    void end();
    Site *site = nullptr;
};

//! \brief A thread waits for what has not come: at the access that touches it, or in a call that uses it.
class Stop {
public:
    explicit Stop(const pages::fault::Access *touch) {
        if (enabled) [[unlikely]]
            begin(touch);
    }
    ~Stop() {
        if (begun) [[unlikely]]
            end();
    }
    Stop(const Stop &) = delete;
    Stop &operator=(const Stop &) = delete;

    //! It is a message of this site.
    static void meets(Site *site);

private:
    void begin(const pages::fault::Access *touch);
    void end();
    const void *what = nullptr;
    Site *site = nullptr;
    Stop *outer = nullptr; // that a handler of the program's has interrupted
    std::int64_t begun = 0, since_here = 0;
};

//! This thread has left calls by a jump: they do not count.
void leave();

//! \brief What is done here would not have been done without Stretto. What is within another cost, or within the library, counts there.
class Cost {
public:
    explicit Cost(Site *site) : site(site) {
        if (site) [[unlikely]]
            begin();
    }
    ~Cost() {
        if (site) [[unlikely]]
            end();
    }
    Cost(const Cost &) = delete;
    Cost &operator=(const Cost &) = delete;

private:
    friend class InLibrary;
    friend void leave();
    void begin();
    void end();
    void stop(std::int64_t now);
    static inline constinit thread_local Cost *current = nullptr;
    Site *site;
    Cost *outer = nullptr;
    std::int64_t since = 0;
};

//! \brief The MPI library does its own work, or what it would do without Stretto: no cost.
class InLibrary {
public:
    InLibrary() : cost(Cost::current) {
        if (cost) [[unlikely]]
            begin();
    }
    ~InLibrary() {
        if (cost) [[unlikely]]
            end();
    }
    InLibrary(const InLibrary &) = delete;
    InLibrary &operator=(const InLibrary &) = delete;

private:
    void begin();
    void end();
    Cost *cost;
};

//! A message of this site, which may be null.
inline void message(Site *site, Fate fate, std::size_t bytes) {
    if (!site) [[likely]]
        return;
    Site::Messages &messages = site->messages[static_cast<std::size_t>(fate)];
    messages.number++;
    messages.bytes += bytes;
}

//! The call that this thread is in is a collective that Stretto carries out.
inline void is_ours() {
    if (current) [[unlikely]]
        current->of_the_library = false;
}

//! The call that this thread is in waits from now on for what began there: null, for nothing that is known.
void waits_for(Site *begun);

//! What it has waited for since then began there, as turns out.
void waited_for(Site &begun);

//! A message of this site is matched: until now the call that this thread is in has waited for that, if it waits for this site.
void matched(Site *site);

//! A message's call returns before it has come; it has come whole.
void runs_on(Site *site);
void is_whole(Site *site);

} // namespace stretto::report
