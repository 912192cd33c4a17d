#include "trigger/annotated.h"

#include "pages/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <link.h>
#include <string_view>
#include <strings.h>
#include <vector>

namespace stretto::trigger {

namespace {

// What an object calls.
struct Found {
    bool sends = false, receives = false, collectives = false, compiled_collectives = false, any = false;
    bool partitioned = false, everything = false;
};

struct Object {
    Range addresses;
    Found found;
};

constinit struct Objects {
    std::vector<Object> all;
    unsigned long long loaded = 0, unloaded = 0; // that there had been at the last look
} objects;

bool is_one_of(const char *name, std::initializer_list<const char *> names) {
    for (const char *one : names)
        if (std::strcmp(name, one) == 0) return true;
    return false;
}

// In whatever case: names of Fortran's calls differ in it, and in their ends.
bool begins_with_one_of(const char *name, std::initializer_list<std::string_view> beginnings) {
    for (const std::string_view one : beginnings)
        if (strncasecmp(name, one.data(), one.size()) == 0) return true;
    return false;
}

void look_at(const char *name, Found &found) {
    // Whatever is begun or opened is closed.
    found.compiled_collectives |= std::strncmp(name, "stretto_collective_close", 24) == 0;
    found.any |= found.compiled_collectives || std::strncmp(name, "MPIX_Delta_", 11) == 0 ||
                 std::strncmp(name, "mpix_delta_", 11) == 0 || std::strncmp(name, "stretto_send_begin", 18) == 0 ||
                 std::strncmp(name, "stretto_recv_begin", 18) == 0;
    found.sends |= is_one_of(name, {"stretto_send_data", "mpix_delta_send_data_", "mpix_delta_send_data_long_"});
    found.collectives |= is_one_of(name, {"MPIX_Delta_collective_end", "mpix_delta_collective_end_"});
    found.partitioned |= begins_with_one_of(name, {"MPI_Psend_init", "MPI_Precv_init", "PMPI_Psend_init",
                                                   "PMPI_Precv_init", "stretto_psend_init", "stretto_precv_init"});
    found.everything |= is_one_of(name, {"MPI_Register_datarep", "PMPI_Register_datarep"});
    found.receives |= is_one_of(name, {"stretto_wait_data", "mpix_delta_wait_data_", "mpix_delta_wait_data_long_"});
}

// What an object asks the dynamic linker for stands in its relocations.
struct Imports {
    explicit Imports(const dl_phdr_info &object) : base(object.dlpi_addr) {
        for (int k = 0; k < object.dlpi_phnum; k++)
            if (object.dlpi_phdr[k].p_type == PT_DYNAMIC)
                read(reinterpret_cast<const ElfW(Dyn) *>(base + object.dlpi_phdr[k].p_vaddr));
    }

    Found look() const {
        Found found;
        if (!symbols || !strings) return found;
        look(calls, call_bytes, found);
        look(others, other_bytes, found);
        return found;
    }

private:
    void read(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; entry++) switch (entry->d_tag) {
            case DT_SYMTAB:
                symbols = reinterpret_cast<const ElfW(Sym) *>(at(entry->d_un.d_ptr));
                break;
            case DT_STRTAB:
                strings = reinterpret_cast<const char *>(at(entry->d_un.d_ptr));
                break;
            case DT_JMPREL:
                calls = at(entry->d_un.d_ptr);
                break;
            case DT_PLTRELSZ:
                call_bytes = entry->d_un.d_val;
                break;
            case DT_RELA:
                others = at(entry->d_un.d_ptr);
                break;
            case DT_RELASZ:
                other_bytes = entry->d_un.d_val;
                break;
            }
    }

    // Some C libraries have added the base already.
    std::uintptr_t at(std::uintptr_t pointer) const { return pointer < base ? base + pointer : pointer; }

    void look(std::uintptr_t table, std::size_t bytes, Found &found) const {
        const auto *relocation = reinterpret_cast<const ElfW(Rela) *>(table);
        for (std::size_t k = 0; table && k < bytes / sizeof *relocation; k++) {
#if __SIZEOF_POINTER__ == 8
            const auto symbol = ELF64_R_SYM(relocation[k].r_info);
#else
            const auto symbol = ELF32_R_SYM(relocation[k].r_info);
#endif
            if (symbol && symbols[symbol].st_shndx == SHN_UNDEF) look_at(strings + symbols[symbol].st_name, found);
        }
    }

    std::uintptr_t base, calls = 0, others = 0;
    std::size_t call_bytes = 0, other_bytes = 0;
    const ElfW(Sym) *symbols = nullptr;
    const char *strings = nullptr;
};

// Nothing of ours imports them: they are defined here. All anew where an object has come or gone, since another may have its addresses.
const std::vector<Object> &look_at_all() {
    struct Look {
        std::vector<Object> found;
        unsigned long long loaded = 0, unloaded = 0;
        bool same = false;
    } now;
    dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *look) {
            Look &its = *static_cast<Look *>(look);
            its.loaded = object->dlpi_adds, its.unloaded = object->dlpi_subs;
            its.same = its.loaded == objects.loaded && its.unloaded == objects.unloaded;
            if (its.same) return 1;
            its.found.push_back({pages::addresses_of(*object), Imports(*object).look()});
            return 0;
        },
        &now);
    if (!now.same) objects = {std::move(now.found), now.loaded, now.unloaded};
    return objects.all;
}

Found found_in_object_of(CallSite call) {
    for (const Object &object : look_at_all())
        if (object.addresses.covers(pages::addresses_of(call, 1))) return object.found;
    return {}; // made while the program runs
}

} // namespace

bool annotates_sends(CallSite begin) {
    return found_in_object_of(begin).sends;
}

bool annotates_receives(CallSite begin) {
    return found_in_object_of(begin).receives;
}

bool has_delta_calls() {
    const auto &all = look_at_all();
    return std::any_of(all.begin(), all.end(), [](const Object &object) { return object.found.any; });
}

bool has_partitioned_calls() {
    const auto &all = look_at_all();
    return std::any_of(all.begin(), all.end(),
                       [](const Object &object) { return object.found.partitioned && !object.found.everything; });
}

bool has_compiled_collectives() {
    const auto &all = look_at_all();
    return std::any_of(all.begin(), all.end(), [](const Object &object) { return object.found.compiled_collectives; });
}

bool has_delta_collectives() {
    const auto &all = look_at_all();
    return std::any_of(all.begin(), all.end(), [](const Object &object) { return object.found.collectives; });
}

} // namespace stretto::trigger
