// A program by many ranks in this process: simulated-run -n RANKS [--latency S] [--rate BYTES/S] [--call S] [--eager BYTES] PROGRAM.so ARGUMENTS...
//
// PROGRAM.so is a program that was linked with libstretto's objects as a shared object (bench/simulated.cmake): each rank has its own copy. Rank
// 0's output is the job's. Time is the world's: what a rank computes takes none of it, unless it sleeps.
#include "copies.h"
#include "world.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace simulation;

namespace {

[[noreturn]] void usage(const std::string &why) {
    std::fprintf(
        stderr,
        "%s\nusage: simulated-run -n RANKS [--latency SECONDS] [--rate BYTES/SECOND] [--call SECONDS] [--eager BYTES] "
        "PROGRAM.so ARGUMENTS...\n",
        why.c_str());
    std::exit(2);
}

using Main = int (*)(int, char **);

} // namespace

int main(int argc, char **argv) {
    Model model;
    int ranks = 0, at = 1;
    for (; at < argc && argv[at][0] == '-'; at += 2) {
        const std::string word = argv[at];
        if (at + 1 >= argc) usage(word + " needs a value");
        const double value = std::atof(argv[at + 1]);
        if (!(value > 0)) usage(word + ": more than 0, not " + argv[at + 1]);
        if (word == "-n")
            ranks = static_cast<int>(value);
        else if (word == "--latency")
            model.latency = value;
        else if (word == "--rate")
            model.rate = value;
        else if (word == "--call")
            model.call = value;
        else if (word == "--eager")
            model.eager = static_cast<std::size_t>(value);
        else
            usage("unknown: " + word);
    }
    if (ranks < 1) usage("how many ranks?");
    if (at >= argc) usage("which program?");
    begin_anew(argv, ranks);
    set_environment();
    World world(ranks, model);
    std::vector<Main> mains;
    for (void *handle : load_copies(argv[at], ranks)) mains.push_back(reinterpret_cast<Main>(dlsym(handle, "main")));
    if (!mains.front()) usage(std::string(argv[at]) + " has no main");
    std::vector<int> status(mains.size());
    const bool ended = world.run(
        [&](int rank) {
            std::vector<std::string> own(argv + at, argv + argc); // a program may write into its arguments
            std::vector<char *> words;
            for (std::string &word : own) words.push_back(word.data());
            words.push_back(nullptr);
            const auto index = static_cast<std::size_t>(rank);
            status[index] = mains[index](static_cast<int>(own.size()), words.data());
        },
        1);
    std::fflush(stdout);
    if (!ended) std::fprintf(stderr, "simulation: nothing moves any more\n%s", world.leftover().c_str());
    for (const int one : status)
        if (one) _exit(one);
    _exit(ended ? 0 : 1); // and no destructors of so many libraries
}
