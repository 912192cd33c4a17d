#include "copies.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <sys/personality.h>
#include <unistd.h>
#include <utility>

namespace simulation {

// Each libstretto has some 1,200 bytes of thread-local memory of the kind that is laid out at the start.
void begin_anew(char **argv, int copies) {
    const std::string room = "glibc.rtld.optional_static_tls=" + std::to_string(2048 * copies);
    const char *its = std::getenv("GLIBC_TUNABLES");
    if (its && room == its) return;
    personality(ADDR_NO_RANDOMIZE);
    setenv("GLIBC_TUNABLES", room.c_str(), 1);
    execv("/proc/self/exe", argv);
}

void set_environment() {
    for (const auto &[name, value] : {std::pair("STRETTO_PEERS", "all"), std::pair("STRETTO_GUARD", "block"),
                                      std::pair("STRETTO_TRIGGER", "annotations"), std::pair("STRETTO_HELPER", "off")})
        setenv(name, value, 0);
}

// A file by another name is another object.
std::vector<void *> load_copies(const std::string &path, int copies) {
    std::string folder = std::filesystem::temp_directory_path() / "stretto-simulation-XXXXXX";
    if (!mkdtemp(folder.data())) std::perror(folder.c_str()), std::exit(2);
    std::vector<void *> handles;
    for (int k = 0; k < copies; k++) {
        const std::string copy = folder + "/" + std::to_string(k) + ".so";
        std::error_code error;
        std::filesystem::copy_file(path, copy, error);
        void *handle = error ? nullptr : dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
        std::filesystem::remove(copy);
        if (!handle) {
            std::fprintf(stderr, "simulation: %s: %s\n", path.c_str(), error ? error.message().c_str() : dlerror());
            std::filesystem::remove_all(folder);
            std::exit(2);
        }
        handles.push_back(handle);
    }
    std::filesystem::remove_all(folder);
    return handles;
}

} // namespace simulation
