#include "mpi.h"
#include "failure.h"
#include "process.h"
#include "settings/nearest.h"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace stretto::command {

// The set-up writes null for what an MPI lacks.
static std::string text(const nlohmann::json &found, const char *key) {
    const auto value = found.find(key);
    return value == found.end() || value->is_null() ? std::string() : value->get<std::string>();
}

std::vector<Mpi> known_mpis(const Installation &installation) {
    std::ifstream file(installation.mpis());
    if (!file) return {};
    std::vector<Mpi> mpis;
    try {
        const nlohmann::json all = nlohmann::json::parse(file);
        for (const auto &[name, found] : all.items())
            mpis.push_back({name, text(found, "version"), text(found, "family"), text(found, "library"),
                            text(found, "mpirun"), installation.library(name), text(found, "mpicc"),
                            text(found, "mpicxx"), text(found, "mpifort")});
    } catch (const nlohmann::json::exception &wrong) {
        throw Failure(installation.mpis().string() + ": " + wrong.what());
    }
    return mpis;
}

Mpi known_mpi(const Installation &installation, const std::string &name) {
    std::vector<std::string> names;
    std::string list;
    for (const Mpi &mpi : known_mpis(installation)) {
        if (mpi.name == name) return mpi;
        names.push_back(mpi.name);
        list += (list.empty() ? "" : ", ") + mpi.name;
    }
    const std::string_view near = nearest(name, names);
    throw Failure("no MPI is called '" + name + "'" +
                  (near.empty() ? "" : ": did you mean " + std::string(near) + "?") +
                  " (found on this machine: " + (list.empty() ? "none" : list) + ")");
}

std::string library_version(const fs::path &library) {
    // MPI_Get_library_version may be called before MPI_Init (MPI 4.1, 11.4.1). In a process of its own: loading an MPI
    // library runs code of it.
    const Output said = capture(
        [&] {
            void *handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
            if (!handle) return 1;
            const auto ask = reinterpret_cast<int (*)(char *, int *)>(dlsym(handle, "MPI_Get_library_version"));
            if (!ask) return 1;
            static char text[8192]; // MPI_MAX_LIBRARY_VERSION_STRING of MPICH, the largest
            int length = 0;
            ask(text, &length);
            return write(STDOUT_FILENO, text, static_cast<std::size_t>(length)) == length ? 0 : 1;
        },
        20);
    return said.status == 0 ? said.text : std::string();
}

// Has the file been put there before the set-up looked at it? By the time at which it was, not by the one that a package gives it.
static bool is_as_found(const Installation &installation, const fs::path &library) {
    struct stat file {
    }, list{};
    return stat(library.c_str(), &file) == 0 && stat(installation.mpis().c_str(), &list) == 0 &&
           file.st_ctime < list.st_mtime;
}

std::string name_of(const Installation &installation, const fs::path &library) {
    if (library.filename().string().rfind("libmpi_abi.so.", 0) == 0) return "abi";
    std::error_code none;
    for (const Mpi &mpi : known_mpis(installation))
        if (fs::equivalent(mpi.library, library, none) && is_as_found(installation, library)) return mpi.name;
    const std::string version = library_version(library);
    int major = 0;
    if (std::sscanf(version.c_str(), "Open MPI v%d", &major) == 1) return major >= 5 ? "openmpi5" : "openmpi";
    if (std::sscanf(version.c_str(), "MPICH Version: %d", &major) == 1) return major >= 5 ? "mpich" : "mpich4";
    return {};
}

} // namespace stretto::command
