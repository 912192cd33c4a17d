// What little of three drivers' interfaces we use, written down here: their headers are not needed to build.
#include "devices/drivers.h"

#include <array>
#include <cstddef>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::devices {

namespace {

using Ask = Memory (*)(const void *address);

template <class Function>
bool find(Function &function, void *driver, const char *name) {
    function = reinterpret_cast<Function>(dlsym(driver, name));
    return function != nullptr;
}

// --- CUDA: cuda.h ---------------------------------------------------------------------------------------------------

namespace cuda {

int (*pointer_get_attribute)(void *value, int attribute, unsigned long long address);
constexpr int memory_type = 2, is_managed = 8; // attributes
constexpr unsigned host = 1;                   // a memory type: registered, or made so; others are devices'

Memory ask(const void *address) {
    const auto number = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
    unsigned type = 0;
    if (pointer_get_attribute(&type, memory_type, number) != 0 || type == 0) return Memory::host;
    unsigned managed = 0;
    if (pointer_get_attribute(&managed, is_managed, number) == 0 && managed) return Memory::device;
    return type == host ? Memory::registered : Memory::device;
}

Ask open(void *driver) {
    return find(pointer_get_attribute, driver, "cuPointerGetAttribute") ? ask : nullptr;
}

} // namespace cuda

// --- HIP: hip_runtime_api.h -----------------------------------------------------------------------------------------

namespace hip {

struct Attributes {
    int type;
    int device;
    void *on_device, *on_host;
    int is_managed;
    unsigned flags;
    std::array<std::byte, 64> more; // of later versions
};
int (*pointer_get_attributes)(Attributes *, const void *);
int (*runtime_get_version)(int *);

// Version 6 counts the kinds of memory anew: 0 unknown to it, 1 the host's. Before, 0 was the host's, and an unknown address an error.
Memory ask(const void *address) {
    Attributes found{};
    if (pointer_get_attributes(&found, address) != 0) return Memory::host;
    int version = 0;
    const bool old = runtime_get_version && runtime_get_version(&version) == 0 && version < 60000000;
    if (found.is_managed) return Memory::device;
    if (old) return found.type == 0 ? Memory::registered : Memory::device;
    return found.type <= 0 ? Memory::host : found.type == 1 ? Memory::registered : Memory::device;
}

Ask open(void *driver) {
    find(runtime_get_version, driver, "hipRuntimeGetVersion");
    return find(pointer_get_attributes, driver, "hipPointerGetAttributes") ? ask : nullptr;
}

} // namespace hip

// --- Level Zero: ze_api.h -------------------------------------------------------------------------------------------

namespace level_zero {

struct Properties {
    int structure = 0x17; // ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES
    void *more = nullptr;
    int type = 0;
    std::uint64_t id = 0, page = 0;
};
struct ContextDescription {
    int structure = 0xd; // ZE_STRUCTURE_TYPE_CONTEXT_DESC
    const void *more = nullptr;
    unsigned flags = 0;
};
int (*get_properties)(void *context, const void *address, Properties *, void **device);
int (*init)(unsigned flags);
int (*get_drivers)(unsigned *number, void **drivers);
int (*create_context)(void *driver, const ContextDescription *, void **context);

// A driver knows the allocations of all its contexts, and is asked through one of ours. Made at the first question: by then the program has
// memory to ask about.
std::vector<void *> contexts() {
    std::vector<void *> made;
    unsigned number = 0;
    if (init(0) != 0 || get_drivers(&number, nullptr) != 0 || number == 0) return made;
    std::vector<void *> drivers(number);
    if (get_drivers(&number, drivers.data()) != 0) return made;
    for (void *driver : drivers) {
        const ContextDescription description;
        void *context = nullptr;
        if (create_context(driver, &description, &context) == 0) made.push_back(context);
    }
    return made;
}

Memory ask(const void *address) {
    static const std::vector<void *> all = contexts();
    constexpr int host = 1; // 0: unknown; 2: a device's; 3: shared
    for (void *context : all) {
        Properties found;
        void *device = nullptr;
        if (get_properties(context, address, &found, &device) != 0 || found.type == 0) continue;
        return found.type == host ? Memory::registered : Memory::device;
    }
    return Memory::host;
}

Ask open(void *driver) {
    return find(get_properties, driver, "zeMemGetAllocProperties") && find(init, driver, "zeInit") &&
                   find(get_drivers, driver, "zeDriverGet") && find(create_context, driver, "zeContextCreate")
               ? ask
               : nullptr;
}

} // namespace level_zero

struct Driver {
    std::string_view file; // begins so
    Ask (*open)(void *driver);
    std::atomic<Ask> ask{nullptr};
};
std::array<Driver, 3> drivers{
    {{"libcuda.so", cuda::open}, {"libamdhip64.so", hip::open}, {"libze_loader.so", level_zero::open}}};

// Collected first and opened afterwards, since dl_iterate_phdr holds a lock that dlopen takes the other way round.
std::vector<std::string> loaded_objects() {
    std::vector<std::string> names;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *list) {
            static_cast<std::vector<std::string> *>(list)->emplace_back(info->dlpi_name);
            return 0;
        },
        &names);
    return names;
}

} // namespace

// The handle is kept: a driver whose functions we call stays.
bool find_drivers() {
    bool found = false;
    for (const std::string &path : loaded_objects())
        for (Driver &driver : drivers) {
            if (!path.substr(path.rfind('/') + 1).starts_with(driver.file) || driver.ask.load()) continue;
            if (void *const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) driver.ask = driver.open(handle);
        }
    for (const Driver &driver : drivers) found |= driver.ask.load() != nullptr;
    return found;
}

Memory ask_drivers(const void *address) {
    for (const Driver &driver : drivers)
        if (const Ask ask = driver.ask)
            if (const Memory memory = ask(address); memory != Memory::host) return memory;
    return Memory::host;
}

} // namespace stretto::devices
