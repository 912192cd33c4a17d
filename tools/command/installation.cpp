#include "installation.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace stretto::command {

Installation::Installation() {
    std::error_code none;
    prefix_ = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
    installed_ = prefix_ != fs::path(STRETTO_BUILD_FOLDER);
}

fs::path Installation::libraries() const {
    return installed_ ? prefix_ / STRETTO_LIBRARY_FOLDER : prefix_ / "lib";
}

fs::path Installation::library(std::string_view mpi) const {
    const fs::path path = libraries() / mpi / "libstretto.so";
    return fs::exists(path) ? path : fs::path();
}

fs::path Installation::mpi_program(std::string_view mpi, std::string_view name) const {
    const fs::path folder = installed_ ? libraries() : prefix_ / "tools";
    const fs::path path = folder / mpi / name;
    return fs::exists(path) ? path : fs::path();
}

fs::path Installation::headers() const {
    return installed_ ? prefix_ / "include" : fs::path(STRETTO_SOURCE_FOLDER) / "include";
}

fs::path Installation::mpis() const {
    if (const char *chosen = std::getenv("STRETTO_MPIS")) return chosen;
    return installed_ ? prefix_ / "share/stretto/mpis.json" : fs::path(STRETTO_ENVIRONMENT_FOLDER) / "mpis.json";
}

fs::path Installation::script(std::string_view path) const {
    return (installed_ ? prefix_ / "share/stretto" : fs::path(STRETTO_SOURCE_FOLDER)) / path;
}

fs::path Installation::header(std::string_view name) const {
    return (installed_ ? prefix_ : fs::path(STRETTO_SOURCE_FOLDER)) / "include/stretto" / name;
}

fs::path Installation::python() const {
    const fs::path own = fs::path(STRETTO_ENVIRONMENT_FOLDER) / "python/bin/python";
    return fs::exists(own) ? own : fs::path("python3");
}

} // namespace stretto::command
