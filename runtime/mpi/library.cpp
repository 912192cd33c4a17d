#include "mpi/library.h"
#include "mpi/library_path.h"

#include "process/lasting.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/library_symbols.h" // generated: function_symbols, data_symbols

namespace stretto::mpi {

Library library;
Data data;
std::atomic<bool> bound;

namespace {

static_assert(sizeof(Library) == std::size(function_symbols) * sizeof(void *));
static_assert(sizeof(Data) == std::size(data_symbols) * sizeof(void *));

struct Found {
    std::array<void *, std::size(function_symbols)> functions{};
    std::array<void *, std::size(data_symbols)> data{};
};

// Protects what follows and the filling of the tables. Never held while the dynamic linker is at work: another thread may be in
// dlopen, with the linker's lock, in a constructor that calls MPI.
std::mutex publishing;
constinit Lasting<std::string> path, reason;

struct LoadedObject {
    std::string path;
    ElfW(Addr) address;
};

// Collected first and opened afterwards, since dl_iterate_phdr holds a lock that dlopen takes the other way round.
std::vector<LoadedObject> loaded_objects() {
    std::vector<LoadedObject> objects;
    const auto add = [](dl_phdr_info *info, std::size_t, void *list) {
        if (info->dlpi_name[0])
            static_cast<std::vector<LoadedObject> *>(list)->push_back({info->dlpi_name, info->dlpi_addr});
        return 0;
    };
    dl_iterate_phdr(add, &objects);
    return objects;
}

// Two ABIs may have the same symbols: a library for the standard ABI has the standard's file name (MPI 5.0, chapter 20).
bool has_our_abi(std::string_view library) {
#ifdef MPI_ABI_VERSION
    constexpr bool standard = true;
#else
    constexpr bool standard = false;
#endif
    return library.substr(library.rfind('/') + 1).starts_with("libmpi_abi.") == standard;
}

// An MPI library defines PMPI_Init itself: neither one that only depends on it (dlsym finds it there too), nor we.
bool defines_mpi(void *handle, ElfW(Addr) object) {
    void *init = dlsym(handle, "PMPI_Init");
    Dl_info there, ours;
    return init && dladdr(init, &there) && dladdr(&bound, &ours) && there.dli_fbase != ours.dli_fbase &&
           (object == 0 || there.dli_fbase == reinterpret_cast<void *>(object));
}

// Where a predefined handle's data really is: a program that names it may hold a copy (a copy relocation), and the
// library itself then uses the copy. RTLD_LOCAL libraries are not seen there, and nobody has copied from them.
void *data_address(void *handle, const char *symbol) {
    void *global = dlsym(RTLD_DEFAULT, symbol);
    return global ? global : dlsym(handle, symbol);
}

// All of the symbols, or the name of the first that is not there.
template <std::size_t N>
const char *look_up(void *handle, const char *const (&symbols)[N], std::array<void *, N> &addresses,
                    void *(*address)(void *, const char *)) {
    for (std::size_t i = 0; i < N; ++i) {
        if (!symbols[i]) continue;
        addresses[i] = address(handle, symbols[i]);
        if (!addresses[i]) return symbols[i];
    }
    return nullptr;
}

void publish(const Found &found, const char *where) {
    const std::lock_guard lock(publishing);
    if (bound.load(std::memory_order_relaxed)) return;
    std::memcpy(static_cast<void *>(&library), found.functions.data(), sizeof library);
    std::memcpy(static_cast<void *>(&data), found.data.data(), sizeof data);
    *path = where;
    bound.store(true, std::memory_order_release);
}

bool fail(std::string why) {
    const std::lock_guard lock(publishing);
    *reason = std::move(why);
    return false;
}

// Keeps the handle on success: a bound library stays.
bool bind_to(void *handle, const std::string &where) {
    Found found;
    const char *missing = look_up(handle, function_symbols, found.functions, dlsym);
    if (!missing) missing = look_up(handle, data_symbols, found.data, data_address);
    if (missing)
        return fail(
            "the MPI library " + where + " has no " + missing +
            ": it is not the MPI that this libstretto was built for (`stretto run --mpi NAME` takes the one for NAME)");
    publish(found, where.c_str());
    return true;
}

// Nobody has loaded an MPI library yet. mpi4py's wheel asks MPI_Get_version first, for instance.
bool load(const std::string &complaint, const char *named) {
    void *handle = dlopen(named, RTLD_LAZY | RTLD_GLOBAL);
    if (!handle) return fail(complaint + dlerror());
    if (!defines_mpi(handle, 0)) return fail(complaint + named + " is no MPI library");
    if (!has_our_abi(named)) return fail(complaint + named + " has another ABI than this libstretto");
    return bind_to(handle, named);
}

} // namespace

bool bind() {
    if (bound.load(std::memory_order_acquire)) return true;
    bool another_abi = false, tried = false;
    for (const LoadedObject &object : loaded_objects()) {
        void *handle = dlopen(object.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) continue;
        if (defines_mpi(handle, object.address)) {
            if (!has_our_abi(object.path))
                another_abi = true;
            else if (bind_to(handle, object.path))
                return true;
            else
                tried = true;
        }
        dlclose(handle);
    }
    if (tried) return false;
    if (another_abi)
        return fail("the MPI library of this process has another ABI than this libstretto: use the one built for it "
                    "(`stretto run --mpi NAME`)");
    if (const char *named = std::getenv("STRETTO_LIBRARY"); named && *named) return load("STRETTO_LIBRARY: ", named);
    // A linker that drops libraries of which nothing is needed drops the MPI library of a program linked with us.
    return load("no MPI library is loaded in this process, and the one that this libstretto was built for could not be "
                "loaded (link the program to an MPI library, or name its file in STRETTO_LIBRARY): ",
                built_for);
}

const char *why_not_bound() {
    const std::lock_guard lock(publishing);
    return reason->c_str();
}

const char *library_path() {
    return bound.load(std::memory_order_acquire) ? path->c_str() : "";
}

void bind_or_abort() {
    if (bind()) return;
    std::fprintf(stderr, "stretto: an MPI function was called, but %s\n", why_not_bound());
    std::abort();
}

} // namespace stretto::mpi
