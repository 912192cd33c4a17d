// Where the parts of Stretto are, seen from this program's own place: a build tree, or an installed prefix.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::command {

class Installation {
public:
    Installation();

    // The folder of all libraries: libsleepy_waits.so, MPI/libstretto.so.
    std::filesystem::path libraries() const;
    // libstretto.so, or empty where it was not built for this MPI.
    std::filesystem::path library(std::string_view mpi) const;
    // A program in lib/MPI or in the build tree's tools/MPI, or empty.
    std::filesystem::path mpi_program(std::string_view mpi, std::string_view name) const;
    // The folder in which <stretto/stretto.h> is.
    std::filesystem::path headers() const;
    // The list of MPIs that the set-up found.
    std::filesystem::path mpis() const;
    // A folder of Python source, by its path in the project: "tools/lab", "bench/driver".
    std::filesystem::path script(std::string_view path) const;
    // A file of include/stretto.
    std::filesystem::path header(std::string_view name) const;
    // The Python that has what bench and report need; the system's where the project has none of its own.
    std::filesystem::path python() const;

    const std::filesystem::path &prefix() const { return prefix_; }
    bool installed() const { return installed_; }

private:
    std::filesystem::path prefix_;
    bool installed_;
};

} // namespace stretto::command
