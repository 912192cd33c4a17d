#include "trigger/annotated.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <link.h>

namespace stretto::trigger {

namespace {

struct Found {
    bool sends = false, receives = false, collectives = false, any = false;
    unsigned long long loaded = 0; // objects that there had been at the last look
} found;

bool is_one_of(const char *name, std::initializer_list<const char *> names) {
    for (const char *one : names)
        if (std::strcmp(name, one) == 0) return true;
    return false;
}

void look_at(const char *name) {
    found.any |= std::strncmp(name, "MPIX_Delta_", 11) == 0 || std::strncmp(name, "mpix_delta_", 11) == 0;
    found.sends |= is_one_of(name, {"stretto_send_data", "mpix_delta_send_data_", "mpix_delta_send_data_long_"});
    found.collectives |= is_one_of(name, {"MPIX_Delta_collective_end", "mpix_delta_collective_end_"});
    found.receives |= is_one_of(name, {"stretto_wait_data", "mpix_delta_wait_data_", "mpix_delta_wait_data_long_"});
}

// What an object asks the dynamic linker for stands in its relocations.
struct Imports {
    explicit Imports(const dl_phdr_info &object) : base(object.dlpi_addr) {
        for (int k = 0; k < object.dlpi_phnum; k++)
            if (object.dlpi_phdr[k].p_type == PT_DYNAMIC)
                read(reinterpret_cast<const ElfW(Dyn) *>(base + object.dlpi_phdr[k].p_vaddr));
    }

    void look() const {
        if (!symbols || !strings) return;
        look(calls, call_bytes);
        look(others, other_bytes);
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

    void look(std::uintptr_t table, std::size_t bytes) const {
        const auto *relocation = reinterpret_cast<const ElfW(Rela) *>(table);
        for (std::size_t k = 0; table && k < bytes / sizeof *relocation; k++) {
#if __SIZEOF_POINTER__ == 8
            const auto symbol = ELF64_R_SYM(relocation[k].r_info);
#else
            const auto symbol = ELF32_R_SYM(relocation[k].r_info);
#endif
            if (symbol && symbols[symbol].st_shndx == SHN_UNDEF) look_at(strings + symbols[symbol].st_name);
        }
    }

    std::uintptr_t base, calls = 0, others = 0;
    std::size_t call_bytes = 0, other_bytes = 0;
    const ElfW(Sym) *symbols = nullptr;
    const char *strings = nullptr;
};

// Nothing of ours imports them: they are defined here.
const Found &look_at_all() {
    unsigned long long loaded = found.loaded;
    dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *its_loaded) {
            if (object->dlpi_adds == found.loaded) return 1; // seen all
            *static_cast<unsigned long long *>(its_loaded) = object->dlpi_adds;
            Imports(*object).look();
            return 0;
        },
        &loaded);
    found.loaded = loaded;
    return found;
}

} // namespace

bool annotates_sends() {
    return found.sends || look_at_all().sends;
}

bool annotates_receives() {
    return found.receives || look_at_all().receives;
}

bool has_delta_calls() {
    return found.any || look_at_all().any;
}

bool has_delta_collectives() {
    return found.collectives || look_at_all().collectives;
}

} // namespace stretto::trigger
