#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stretto {

//! \brief Who says which bytes of a message are final, and which are needed (docs/pages.md).
enum class Trigger {
    automatic,   //!< chosen per call site (tune/which_trigger.h)
    annotations, //!< the program's calls
    pages,       //!< the operating system's pages
    plain,       //!< nobody: all leaves at the end, and a receive waits for everything
};

//! \brief What is done with the program's ordinary messages (docs/release.md).
struct Use {
    bool frames = true;    //!< large ones leave in parts
    bool receives = false; //!< receives return before all has come
    bool sends = false;    //!< sends leave from copies

    static inline bool receives_somewhere = false; //!< on some communicator
};

//! \brief What the user set (docs/settings.md), read once from the environment.
struct Settings {
    bool off = false;               //!< STRETTO=off: exactly the plain library
    Use use;                        //!< STRETTO=chunk, receive, send or all
    bool unmatched = false;         //!< STRETTO_RELEASE=unmatched: receives return before they are matched, even
    bool trials = true;             //!< STRETTO_TRIALS=off: what can be ours is, whether it gains or not
    bool force = false;             //!< STRETTO_FORCE=1: everything happens that can, as small as it can
    bool counters = false;          //!< STRETTO_COUNTERS=1
    bool debug = false;             //!< STRETTO_DEBUG=1: compare what left with what is there at the end
    bool info = false;              //!< STRETTO_INFO=1: print what was decided in MPI_Init
    bool all_links = false;         //!< STRETTO_INFO=links: measure also what this job does not need of its links
    double helper = -1;             //!< STRETTO_HELPER: seconds between its looks, 0: none, below: by itself
    std::size_t delta = 0;          //!< STRETTO_DELTA: bytes of a delta of a delta send, 0: by size and eager limit
    std::size_t threshold = 16384;  //!< STRETTO_THRESHOLD: smallest ordinary message that is framed, bytes
    std::size_t largest = 64 << 20; //!< STRETTO_LARGEST: largest ordinary message that is framed, bytes
    std::size_t budget = 64 << 20;  //!< STRETTO_BUDGET: bytes that may wait unmatched at a receiver, over all senders
    double fast_link = 1.25e9;      //!< STRETTO_FAST_LINK: bytes per second from which ordinary messages stay native
    Trigger trigger = Trigger::automatic; //!< STRETTO_TRIGGER: auto, annotations, pages or plain
    const char *tracker = nullptr;      //!< STRETTO_TRACKER: userfault, mprotect or none; nullptr: the best that works
    const char *guard = nullptr;        //!< STRETTO_GUARD: userfault, mprotect or block
    const char *system_calls = nullptr; //!< STRETTO_SYSCALLS: dispatch or wrappers; nullptr: dispatch
    const char *trace = nullptr;        //!< STRETTO_TRACE: a folder for the ranks' timelines
    const char *report = nullptr;       //!< STRETTO_REPORT: the file of the job's report
    std::string collectives;            //!< STRETTO_COLLECTIVES and STRETTO_REORDER, of rank 0 (collective/choice.h)

    //! May a thread of ours call the library?
    bool helps() const { return !off && (helper > 0 || (helper < 0 && (use.receives || use.sends))); }
};

extern Settings settings;

void read_settings();

//! A number of bytes with an optional K, M or G (powers of 1024): 8192 or 8K. Nothing: it is none.
std::optional<double> bytes_asked(const char *text);

//! What a user set to "off", "chunk", "receive", "send" or "all". Nothing for any other word, which is reported.
std::optional<Use> use_asked(const char *name, const char *word);

//! What a user set to "auto", "annotations", "pages" or "plain". Nothing for any other word, which is reported.
std::optional<Trigger> trigger_asked(const char *name, const char *word);

} // namespace stretto
