#include "run.h"
#include "failure.h"
#include "late.h"
#include "mpi.h"
#include "process.h"
#include "program.h"

#include <cstdlib>
#include <iostream>

namespace fs = std::filesystem;

namespace stretto::command {

// Why a program runs without Stretto: an MPI job's result is worth more than its overlap.
struct Plainly : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Choice {
    std::string mpi;  // its name in `stretto info`
    fs::path library; // its own
    bool late;        // the program may load another one, or none
};

static Choice chosen_by_name(const Installation &installation, const Program &program, const std::string &mpi) {
    const fs::path chosen = known_mpi(installation, mpi).library;
    std::error_code none;
    if (!program.mpi_library.empty() && !fs::equivalent(chosen, program.mpi_library, none))
        throw Failure(program.path.string() + ": loads " + program.mpi_library.string() + ", but --mpi " + mpi +
                      " means " + chosen.string());
    return {mpi, chosen, program.mpi_library.empty()};
}

static Choice chosen_by_library(const Installation &installation, const fs::path &library, bool late) {
    const std::string name = name_of(installation, library);
    if (!name.empty()) return {name, library, late};
    const std::string version = library_version(library);
    throw Plainly(library.string() + ": no MPI library that Stretto knows" +
                  (version.empty() ? "" : " (" + version.substr(0, version.find('\n')) + ")"));
}

// Which MPI the program will have: it says so itself, or the user does, or its mpi4py, or the launcher.
static Choice choose(const Installation &installation, const Program &program, const std::string &mpi) {
    if (!program.closed.empty()) throw Plainly(program.path.string() + ": " + program.closed);
    if (!mpi.empty()) return chosen_by_name(installation, program, mpi);
    if (!program.mpi_library.empty()) return chosen_by_library(installation, program.mpi_library, false);
    if (const char *named = std::getenv("STRETTO_LIBRARY"); named && *named) {
        if (!fs::exists(named)) throw Failure(std::string("STRETTO_LIBRARY: ") + named + " does not exist");
        return chosen_by_library(installation, named, true);
    }
    if (const fs::path library = mpi_library_of_mpi4py(program); !library.empty())
        return chosen_by_library(installation, library, true);
    if (const auto launching = launching_mpi(installation)) return {launching->name, launching->library, true};
    throw Plainly(program.path.string() +
                  ": needs no MPI library when it starts, and no launcher tells which one it may load later: name it "
                  "with --mpi NAME (`stretto info` lists them)");
}

static void refuse_launchers(const fs::path &program) {
    const std::string file = program.filename();
    for (const char *launcher : {"mpirun", "mpiexec", "orterun", "prterun", "srun"})
        if (file.rfind(launcher, 0) == 0)
            throw Failure(file + " starts the ranks, and Stretto goes into each: " + file +
                          " -n 4 stretto run ./program");
}

static void preload(const Installation &installation, const Choice &choice) {
    const fs::path libstretto = installation.library(choice.mpi);
    if (libstretto.empty())
        throw Plainly("no libstretto was built for " + choice.library.string() + " (" + choice.mpi +
                      "): build Stretto where this MPI is installed");
    std::string preload = libstretto;
    if (const char *others = std::getenv("LD_PRELOAD"); others && *others) preload += std::string(":") + others;
    setenv("LD_PRELOAD", preload.c_str(), 1);
    setenv("STRETTO_LIBRARY", choice.library.c_str(), 1);
    if (choice.late) setenv("MPI4PY_MPIABI", mpi4py_abi(choice.mpi).c_str(), 0); // its wheel cannot see it behind us
}

void run(const Installation &installation, const std::vector<std::string> &words, const std::string &mpi,
         const std::string &report) {
    const Program program = examine(words[0]);
    refuse_launchers(words[0]);
    try {
        if (!program.has_stretto) preload(installation, choose(installation, program, mpi));
        setenv("STRETTO", "all", 0); // who starts a program so knows nothing of its messages, and wants what can be had
    } catch (const Plainly &why) {
        if (!mpi.empty()) throw Failure(why.what()); // what was asked for by name is not left out
        if (first_rank()) std::cerr << "stretto run: " << why.what() << "; it runs without Stretto\n";
    }
    // The program may change its folder before the file is written.
    if (!report.empty()) setenv("STRETTO_REPORT", fs::absolute(report).c_str(), 1);
    become(words);
}

} // namespace stretto::command
