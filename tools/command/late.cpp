#include "late.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <glob.h>
#include <set>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace stretto::command {

static std::vector<fs::path> matching(const std::string &pattern) {
    glob_t found{};
    std::vector<fs::path> paths;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    return paths;
}

// Where a Python looks for modules: $PYTHONPATH, then its own prefix, which of a virtual environment is the environment's.
static std::vector<std::string> module_folders(const fs::path &python) {
    std::vector<std::string> folders;
    if (const char *variable = std::getenv("PYTHONPATH")) {
        std::istringstream list(variable);
        for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder);
    }
    const fs::path prefix = fs::absolute(python).parent_path().parent_path();
    for (const char *packages : {"site-packages", "dist-packages"})
        folders.push_back(prefix / "lib/python3*" / packages);
    return folders;
}

fs::path mpi_library_of_mpi4py(const Program &program) {
    if (program.path.filename().string().rfind("python", 0) != 0) return {};
    std::set<fs::path> libraries;
    for (const std::string &folder : module_folders(program.path)) {
        for (const fs::path &module : matching(folder + "/mpi4py/MPI.*so")) libraries.insert(mpi_library_of(module));
        if (!libraries.empty()) break;
    }
    // A wheel has one module for each ABI, and finds its library only when it runs.
    return libraries.size() == 1 ? *libraries.begin() : fs::path();
}

// What launchers leave in the environment of each rank. PMI's and PMIx's own variables are also those of batch systems.
static std::string launching_family() {
    if (std::getenv("OMPI_COMM_WORLD_SIZE")) return std::getenv("OMPI_VERSION") ? "openmpi5" : "openmpi4";
    return std::getenv("HYDI_CONTROL_FD") ? "mpich" : "";
}

// The fourth field of /proc/PID/stat; the second, a name in parentheses, may hold spaces.
static pid_t parent_of(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    std::istringstream after(line.substr(std::min(line.rfind(')'), line.size() - 1) + 1));
    char state = 0;
    pid_t parent = 0;
    after >> state >> parent;
    return parent;
}

static bool is_launcher(const std::string &program) {
    for (const char *name : {"mpirun", "mpiexec", "hydra", "orte", "prte"})
        if (program.rfind(name, 0) == 0) return true;
    return false;
}

// The folder of the launcher, or of its daemon on this host, from which we descend; or empty.
static fs::path launcher_folder() {
    std::error_code none;
    for (pid_t process = getppid(); process > 1; process = parent_of(process)) {
        const fs::path program = fs::read_symlink("/proc/" + std::to_string(process) + "/exe", none);
        if (is_launcher(program.filename())) return program.parent_path();
    }
    return {};
}

std::optional<Mpi> launching_mpi(const Installation &installation) {
    const std::string family = launching_family();
    std::vector<Mpi> candidates;
    for (const Mpi &mpi : known_mpis(installation)) // the standard ABI's launcher is another MPI's
        if (mpi.family != "abi" && !mpi.libstretto.empty() && (family.empty() || mpi.family == family))
            candidates.push_back(mpi);
    if (candidates.size() > 1 && !family.empty())
        std::erase_if(candidates, [folder = launcher_folder()](const Mpi &mpi) {
            std::error_code none;
            return fs::canonical(mpi.mpirun, none).parent_path() != folder;
        });
    if (candidates.size() != 1) return {};
    return candidates.front();
}

bool first_rank() {
    for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char *rank = std::getenv(name)) return std::string(rank) == "0";
    return true;
}

std::string mpi4py_abi(const std::string &mpi) {
    if (mpi == "abi") return "mpiabi";
    return mpi.rfind("openmpi", 0) == 0 ? "openmpi" : "mpich";
}

} // namespace stretto::command
