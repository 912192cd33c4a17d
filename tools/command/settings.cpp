#include "settings.h"
#include "tune/settings.h"

#include <cstdio>

namespace stretto::command {

static std::string number(auto value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", static_cast<double>(value));
    return text;
}

const std::vector<Setting> &settings() {
    static const stretto::Settings usual;
    static const std::vector<Setting> all = {
        {"STRETTO", "all under stretto run, else chunk",
         "off: the plain library; chunk: large messages leave in deltas; receive, send, all: calls return early"},
        {"STRETTO_RELEASE", "matched", "receives return early: matched, or unmatched, before that"},
        {"STRETTO_TRIALS", "on",
         "off: what can be Stretto's is, whether it gains or not; on: the library's way and Stretto's take turns, the "
         "quicker one stays"},
        {"STRETTO_HELPER", "auto",
         "a thread that looks after long messages: off, or microseconds between its looks; auto: where calls return "
         "early"},
        {"STRETTO_DELTA", "by size", "bytes of a delta of a delta send; by size also where it is more than is eager"},
        {"STRETTO_TRIGGER", "auto",
         "who says what is final and what is needed: annotations, pages, plain (nobody); auto chooses"},
        {"STRETTO_TRACKER", "the best", "how pages tell what is written: userfault, mprotect, none"},
        {"STRETTO_GUARD", "the best", "how pages tell what is touched: userfault, mprotect, block"},
        {"STRETTO_SYSCALLS", "dispatch",
         "how system calls on watched memory are seen: dispatch (all of them, or nothing is watched), wrappers (those "
         "by way of libc's usual functions)"},
        {"STRETTO_THRESHOLD", number(usual.threshold), "bytes: the smallest ordinary message that is framed"},
        {"STRETTO_LARGEST", number(usual.largest), "bytes: the largest one"},
        {"STRETTO_BUDGET", number(usual.budget),
         "bytes of memory for what waits unmatched at a receiver, over all senders"},
        {"STRETTO_FAST_LINK", number(usual.fast_link), "bytes per second from which ordinary messages stay native"},
        {"STRETTO_COLLECTIVES", "auto",
         "which non-blocking collectives are Stretto's: auto, all, off, reorder, lane=8K, bcast=chain and the like"},
        {"STRETTO_REORDER", "0",
         "1: reductions too, whose result depends on the order in which elements are added up, as the word reorder"},
        {"STRETTO_LIBRARY", "found", "the MPI library, where it is loaded late; `stretto run` sets it"},
        {"STRETTO_REPORT", "", "a file: the job's report, one page; `stretto run --report` sets it"},
        {"STRETTO_TRACE", "", "a folder: each rank writes its timeline to rank-R.json there"},
        {"STRETTO_COUNTERS", "0", "1: each rank prints at its end how often each rule of the protocol was used"},
        {"STRETTO_DEBUG", "0", "1: compare at a send's end what was declared final with what is there"},
        {"STRETTO_FORCE", "0", "1: for tests, frame everything and use the smallest deltas"},
        {"STRETTO_INFO", "0",
         "1: each rank prints at its start what was decided; links: and measures links that it does not need, "
         "as `stretto info --mpi` does"},
    };
    return all;
}

} // namespace stretto::command
