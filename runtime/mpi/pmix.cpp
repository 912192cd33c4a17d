#include "mpi/pmix.h"

#include "mpi/library.h"
#include "process/lasting.h"

#ifdef OPEN_MPI

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <type_traits>

namespace stretto::mpi {

namespace {

// The part of PMIx's binary interface that we use: the same from version 3 to 5, whose library is libpmix.so.2.
using pmix_status_t = int; // 0 is success
constexpr std::uint8_t PMIX_GLOBAL = 3;
constexpr std::uint8_t PMIX_LOCAL = 1;
constexpr std::uint16_t PMIX_BOOL = 1, PMIX_STRING = 3, PMIX_INT = 6, PMIX_UINT32 = 14, PMIX_BYTE_OBJECT = 27;
constexpr std::uint32_t PMIX_RANK_WILDCARD = UINT32_MAX - 1;

struct pmix_proc_t {
    char name_space[256];
    std::uint32_t rank;
};
struct pmix_value_t {
    std::uint16_t type;
    union {
        bool flag;
        char *string;
        int integer;
        std::uint32_t uint32;
        void *largest[3];
    } data;
};
struct pmix_info_t {
    char key[512];
    std::uint32_t flags;
    pmix_value_t value;
};
static_assert(sizeof(pmix_proc_t) == 260 && sizeof(pmix_value_t) == 32 && sizeof(pmix_info_t) == 552);

/// PMIx as the MPI library reaches it, found when it calls PMIx_Commit.
struct Functions {
    pmix_status_t (*Put)(std::uint8_t scope, const char *key, pmix_value_t *);
    pmix_status_t (*Commit)();
    pmix_status_t (*Get)(const pmix_proc_t *, const char *key, const pmix_info_t *, std::size_t, pmix_value_t **);

    /// caller: an address in the object that called us, whose own dependencies are searched.
    bool find(void *caller);
};

Functions functions;
constinit Lasting<std::string> due_key, due_value;
constinit Lasting<std::string> near_ranks; // ",0,1,2,", once they have been asked for
constinit Lasting<std::string> common_key; // something that MPI publishes on every rank and for other nodes
const char *why_not_published = "MPI_Init did not use PMIx";

constexpr int answer_seconds = 30;

enum class Ask {
    process, // what this process holds
    node,    // what this node's server holds, too
    everyone // waits for data from other nodes, too
};

/// A value that the caller frees, or null.
pmix_value_t *get(std::uint32_t rank, const char *key, Ask whom) {
    const char *name_space = std::getenv("PMIX_NAMESPACE");
    if (!name_space || !functions.Get) return nullptr;
    pmix_proc_t process{};
    std::strncpy(process.name_space, name_space, sizeof process.name_space - 1);
    process.rank = rank;
    pmix_info_t directive{};
    if (whom == Ask::everyone) {
        std::strcpy(directive.key, "pmix.timeout");
        directive.value.type = PMIX_INT;
        directive.value.data.integer = answer_seconds;
    } else {
        std::strcpy(directive.key, whom == Ask::process ? "pmix.optional" : "pmix.immediate");
        directive.value.type = PMIX_BOOL;
        directive.value.data.flag = true;
    }
    pmix_value_t *value = nullptr;
    return functions.Get(&process, key, &directive, 1, &value) == 0 ? value : nullptr;
}

/// Takes the value.
std::optional<std::string> string_of(pmix_value_t *value) {
    std::optional<std::string> found;
    if (value && value->type == PMIX_STRING && value->data.string) {
        found = value->data.string;
        std::free(value->data.string);
    }
    std::free(value);
    return found;
}

/// Is this rank on our node? Also true for our own. Asked of many ranks: the process manager is asked once.
bool is_near(std::uint32_t rank) {
    if (near_ranks->empty()) {
        std::optional<std::string> peers = string_of(get(PMIX_RANK_WILDCARD, "pmix.lpeers", Ask::process)); // "0,1,2"
        *near_ranks = "," + peers.value_or("") + ",";
    }
    return near_ranks->find("," + std::to_string(rank) + ",") != std::string::npos;
}

} // namespace

const char *Pmix::publish(const std::string &key, const std::string &value) {
    if (!std::getenv("PMIX_NAMESPACE") || !std::getenv("PMIX_RANK"))
        return "the program was not started by a launcher that speaks PMIx";
    // Open MPI can be told to fetch on demand what ranks published; then one may ask before the other has published.
    for (const char *name : {"OMPI_MCA_pmix_base_async_modex", "OMPI_MCA_pmix_base_collect_data"})
        if (std::getenv(name)) return "Open MPI was told not to exchange everything in MPI_Init";
    *due_key = key;
    *due_value = value;
    return nullptr;
}

const char *Pmix::published() const {
    return why_not_published;
}

std::optional<std::string> Pmix::look_up(unsigned rank, const std::string &key) const {
    pmix_value_t *value = get(rank, key.c_str(), Ask::process);
    if (!value) value = get(rank, key.c_str(), Ask::node);
    // Our own node's server has said all that it knows of ranks on this node: one that has published nothing runs no Stretto.
    if (!value && !common_key->empty() && !is_near(rank)) {
        // Open MPI 5's servers keep what ranks of other nodes published, but say so only when asked without a directive, and then
        // wait for a key that is not there. So ask for one that is there: all that the rank published comes with it.
        pmix_value_t *common = get(rank, common_key->c_str(), Ask::everyone);
        if (common && common->type == PMIX_BYTE_OBJECT) std::free(common->data.largest[0]);
        std::free(common);
        value = get(rank, key.c_str(), Ask::process);
    }
    return string_of(value);
}

unsigned Pmix::rank() const {
    const char *rank = std::getenv("PMIX_RANK");
    return rank ? static_cast<unsigned>(std::strtoul(rank, nullptr, 10)) : 0;
}

unsigned Pmix::ranks() const {
    pmix_value_t *value = get(PMIX_RANK_WILDCARD, "pmix.job.size", Ask::process);
    unsigned ranks = value && value->type == PMIX_UINT32 ? value->data.uint32 : 0;
    std::free(value);
    return ranks;
}

} // namespace stretto::mpi

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN int PMIx_Put(std::uint8_t scope, const char *key, void *value) {
    using namespace stretto::mpi;
    if (!functions.find(__builtin_return_address(0)))
        return -1; // PMIX_ERROR: cannot be, since our caller is linked with it
    const bool is_rank_0s = std::strncmp(key, "pml.", 4) == 0; // which way of messages it chose, for all others
    if (common_key->empty() && scope != PMIX_LOCAL && !is_rank_0s) *common_key = key;
    return functions.Put(scope, key, static_cast<pmix_value_t *>(value));
}

SHOWN int PMIx_Commit() {
    using namespace stretto::mpi;
    if (!functions.find(__builtin_return_address(0))) {
        why_not_published = "the PMIx library that MPI_Init uses was not found";
        return -1;
    }
    if (!due_key->empty()) {
        pmix_value_t value{};
        value.type = PMIX_STRING;
        value.data.string = due_value->data(); // copied
        why_not_published = functions.Put(PMIX_GLOBAL, due_key->c_str(), &value) == 0 ? nullptr : "PMIx_Put failed";
        due_key->clear();
    }
    return functions.Commit();
}

bool stretto::mpi::Functions::find(void *caller) {
    Dl_info object;
    void *library = dladdr(caller, &object) ? dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    auto find = [=](auto &function, const char *name) {
        void *found = library ? dlsym(library, name) : nullptr;
        if (!found || found == reinterpret_cast<void *>(&PMIx_Commit) ||
            found == reinterpret_cast<void *>(&PMIx_Put)) // a program that is linked with PMIx itself
            found = dlsym(RTLD_NEXT, name);
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
        return found != nullptr;
    };
    bool found = find(Put, "PMIx_Put") && find(Commit, "PMIx_Commit") && find(Get, "PMIx_Get");
    if (library) dlclose(library);
    return found;
}

#endif // OPEN_MPI: MPICH is asked through PMI-1
