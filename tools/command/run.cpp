#include "run.h"
#include "failure.h"
#include "mpi.h"
#include "process.h"
#include "program.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace stretto::command {

// Which MPI library the program will have: it says so itself, or the user does, by name or by $STRETTO_LIBRARY.
static fs::path mpi_library(const Installation &installation, const Program &program, const std::string &mpi) {
    if (!mpi.empty()) {
        const fs::path chosen = known_mpi(installation, mpi).library;
        std::error_code none;
        if (!program.mpi_library.empty() && !fs::equivalent(chosen, program.mpi_library, none))
            throw Failure(program.path.string() + ": loads " + program.mpi_library.string() + ", but --mpi " + mpi +
                          " means " + chosen.string());
        return chosen;
    }
    if (!program.mpi_library.empty()) return program.mpi_library;
    if (const char *named = std::getenv("STRETTO_LIBRARY"); named && *named) {
        if (!fs::exists(named)) throw Failure(std::string("STRETTO_LIBRARY: ") + named + " does not exist");
        return named;
    }
    const std::string file = program.path.filename();
    if (file.rfind("mpirun", 0) == 0 || file.rfind("mpiexec", 0) == 0)
        throw Failure(file + " starts the ranks, and Stretto goes into each: " + file + " -n 4 stretto run ./program");
    throw Failure(
        program.path.string() +
        ": needs no MPI library when it starts. If it loads one later, as Python does, say which with --mpi NAME or "
        "STRETTO_LIBRARY=path of libmpi.so (`stretto info` lists them); if MPI is linked into it statically, Stretto "
        "cannot stand before it");
}

void run(const Installation &installation, const std::vector<std::string> &words, const std::string &mpi,
         const std::string &report) {
    const Program program = examine(words[0]);
    if (!program.has_stretto) {
        const fs::path library = mpi_library(installation, program, mpi);
        const std::string name = mpi.empty() ? name_of(library) : mpi;
        if (name.empty()) {
            const std::string version = library_version(library);
            throw Failure(library.string() + ": no MPI library that Stretto knows" +
                          (version.empty() ? "" : " (" + version.substr(0, version.find('\n')) + ")"));
        }
        const fs::path libstretto = installation.library(name);
        if (libstretto.empty())
            throw Failure("no libstretto was built for " + library.string() + " (" + name +
                          "): build Stretto where this MPI is installed");
        std::string preload = libstretto;
        if (const char *others = std::getenv("LD_PRELOAD"); others && *others) preload += std::string(":") + others;
        setenv("LD_PRELOAD", preload.c_str(), 1);
        setenv("STRETTO_LIBRARY", library.c_str(), 1);
    }
    // The program may change its folder before the file is written.
    if (!report.empty()) setenv("STRETTO_REPORT", fs::absolute(report).c_str(), 1);
    become(words);
}

} // namespace stretto::command
