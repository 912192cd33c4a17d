#include "pages/memory.h"

#include "pages/dispatch.h"
#include "pages/kernel.h"
#include "pages/libc.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace stretto::pages {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

Range whole_pages(Range addresses) {
    const std::size_t page = page_bytes();
    const Range inside{(addresses.begin + page - 1) / page * page, addresses.end / page * page};
    return inside.empty() ? Range{inside.begin, inside.begin} : inside;
}

Range addresses_of(const dl_phdr_info &object) {
    Range all{SIZE_MAX, 0};
    for (int k = 0; k < object.dlpi_phnum; k++) {
        const auto &segment = object.dlpi_phdr[k];
        if (segment.p_type != PT_LOAD) continue;
        all.begin = std::min<std::uintptr_t>(all.begin, object.dlpi_addr + segment.p_vaddr);
        all.end = std::max<std::uintptr_t>(all.end, object.dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    return all;
}

// Stacks of threads are ordinary mappings. The caller's is asked of libc, once per thread.
Range own_stack() {
    static thread_local Range stack;
    if (stack.empty()) {
        pthread_attr_t attributes;
        void *base = nullptr;
        std::size_t bytes = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {0, SIZE_MAX}; // the careful answer
        pthread_attr_getstack(&attributes, &base, &bytes);
        pthread_attr_destroy(&attributes);
        stack = addresses_of(base, bytes);
    }
    return stack;
}

bool protect(Range pages, int access) {
    return NEXT(mprotect)(pointer(pages.begin), pages.bytes(), access) == 0;
}

bool drops(int advice) {
    return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_DONTNEED_LOCKED ||
           advice == MADV_GUARD_INSTALL;
}

namespace {

//! What glibc keeps in front of a chunk of memory.
struct Chunk {
    std::size_t
        before; //!< bytes: of the chunk before, if that is free; from the begin of a mapping that it has to itself
    std::size_t size; //!< bytes, and three flags
    static constexpr std::size_t before_is_used = 1, own_mapping = 2, flags = 7, alignment = 2 * sizeof(std::size_t);

    std::size_t bytes() const { return size & ~flags; }
    bool in_a_heap() const { return !(size & own_mapping) && bytes() % alignment == 0 && bytes() >= 2 * alignment; }
    bool mapped(std::uintptr_t at) const {
        return (size & flags) == own_mapping && before <= at && (at - before) % page_bytes() == 0 &&
               (at + bytes()) % page_bytes() == 0;
    }
    //! False where no memory can be read.
    bool read(std::uintptr_t at) {
        const iovec here{this, sizeof *this}, there{pointer(at), sizeof *this};
        return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof *this);
    }
};

} // namespace

std::uintptr_t own_end(Range addresses) {
#ifdef __GLIBC__
    const std::size_t page = page_bytes();
    const std::uintptr_t end_of_page = (addresses.end + page - 1) / page * page;
    const std::uintptr_t at = addresses.begin - sizeof(Chunk);
    Chunk chunk, next;
    if (addresses.empty() || end_of_page == addresses.end || at % Chunk::alignment != 0 || !chunk.read(at))
        return addresses.end;
    const std::uintptr_t end = at + chunk.bytes();
    if (end < end_of_page || end - addresses.end >= page) return addresses.end;
    const bool is_chunk = chunk.mapped(at) || (chunk.in_a_heap() && next.read(end) && next.in_a_heap() &&
                                               (next.size & Chunk::before_is_used));
    if (is_chunk) return end_of_page;
#endif
    return addresses.end;
}

namespace {

struct Mapping {
    Range addresses;
    Facts facts;
    bool heap = false; //!< where small allocations lie
};

//! The mapping that an address lies in. The descriptor shows the memory of the process that opened it: opened each time,
//! since a child of fork would ask about its parent's (1 us; an open delta send costs more).
bool query(int maps, std::uintptr_t address, Mapping &mapping) {
    char name[64] = "";
    procmap_query q{};
    q.size = sizeof q;
    q.query_addr = address;
    q.vma_name_addr = reinterpret_cast<std::uintptr_t>(name);
    q.vma_name_size = sizeof name;
    if (ioctl(maps, PROCMAP_QUERY, &q) != 0) {
        q.vma_name_addr = q.vma_name_size = 0; // a longer name is an error; [stack] is not one
        if (ioctl(maps, PROCMAP_QUERY, &q) != 0) return false;
    }
    const std::uint64_t access = PROCMAP_QUERY_VMA_READABLE | PROCMAP_QUERY_VMA_WRITABLE;
    const std::uint64_t never = PROCMAP_QUERY_VMA_SHARED | PROCMAP_QUERY_VMA_EXECUTABLE;
    mapping.addresses = {q.vma_start, q.vma_end};
    mapping.facts.ordinary = (q.vma_flags & (access | never)) == access && q.vma_page_size == page_bytes();
    mapping.facts.anonymous = q.inode == 0 && q.dev_major == 0 && q.dev_minor == 0;
    mapping.facts.stack = std::strcmp(name, "[stack]") == 0;
    mapping.heap = std::strcmp(name, "[heap]") == 0;
    return true;
}

//! Before Linux 6.11. It does not tell page sizes, but large pages show as a file.
bool parse(std::uintptr_t address, Mapping &mapping) {
    std::FILE *maps = std::fopen("/proc/self/maps", "re");
    if (!maps) return false;
    char line[512], access[5] = "";
    unsigned long begin, end, inode;
    bool found = false;
    while (!found && std::fgets(line, sizeof line, maps))
        if (std::sscanf(line, "%lx-%lx %4s %*x %*s %lu", &begin, &end, access, &inode) == 4 && address >= begin &&
            address < end) {
            mapping.addresses = {begin, end};
            mapping.facts.ordinary = std::strcmp(access, "rw-p") == 0 && !std::strstr(line, "hugepage");
            mapping.facts.anonymous = inode == 0;
            mapping.facts.stack = std::strstr(line, "[stack]") != nullptr;
            mapping.heap = std::strstr(line, "[heap]") != nullptr;
            found = true;
        }
    std::fclose(maps);
    return found;
}

// Where a function of this thread keeps its variables: on its own stack as a rule.
bool holds_this_frame(const Mapping &mapping) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return mapping.addresses.covers({here, here + 1}) && !own_stack().covers({here, here + 1});
}

bool is_on_the_alternate_stack(Range addresses) {
    stack_t alternate;
    return sigaltstack(nullptr, &alternate) == 0 && !(alternate.ss_flags & SS_DISABLE) &&
           addresses_of(alternate.ss_sp, alternate.ss_size).intersects(addresses);
}

constexpr std::size_t farthest_header = std::size_t{1} << 30;

#ifdef __GLIBC__
//! An allocation with a mapping of its own, by its header at the mapping's first page, which may be closed.
Range mapped_at(std::uintptr_t page, int memory) {
    Chunk chunk;
    if (pread(memory, &chunk, sizeof chunk, static_cast<off_t>(page)) != static_cast<ssize_t>(sizeof chunk)) return {};
    const Range found{page, page + chunk.bytes()};
    char last;
    return chunk.before == 0 && chunk.mapped(page) && pread(memory, &last, 1, static_cast<off_t>(found.end - 1)) == 1
               ? found
               : Range{};
}

Range find_mapped(Range addresses, int memory) {
    Mapping around;
    const std::uintptr_t first_page = addresses.begin / page_bytes() * page_bytes();
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const bool exists = query(maps, first_page, around) || parse(first_page, around);
    if (maps >= 0) close(maps);
    // In the heap there are none, but an array of integers may look like a header: 0, 0, 2, 1.
    if (!exists || around.heap) return {};
    const std::uintptr_t lowest = std::max(around.addresses.begin, first_page - std::min(first_page, farthest_header));
    for (std::uintptr_t page = first_page; page >= lowest; page -= page_bytes())
        if (const Range found = mapped_at(page, memory); found.covers(addresses)) return found;
    return {};
}

struct Known {
    std::uintptr_t page; // that was asked about
    Range allocation;    // empty: nothing was found
};
constexpr std::size_t most_known = 256;
#endif

} // namespace

// What was found may have been freed since: its header tells. In memory that is mapped anew there is no header of old.
Range own_allocation([[maybe_unused]] Range addresses) {
    Range found;
#ifdef __GLIBC__
    static std::vector<Known> known;
    const int memory = NEXT(open)("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) return {};
    const std::uintptr_t page = addresses.begin / page_bytes() * page_bytes();
    bool searched = false;
    for (const Known &k : known) {
        searched |= k.allocation.empty() && k.page == page;
        if (k.allocation.covers(addresses) && mapped_at(k.allocation.begin, memory) == k.allocation)
            found = k.allocation;
    }
    if (found.empty() && !searched) {
        found = find_mapped(addresses, memory);
        if (known.size() == most_known) known.clear();
        known.push_back({page, found});
    }
    close(memory);
#endif
    return found;
}

bool anything_pinned() {
    std::FILE *status = std::fopen("/proc/self/status", "re");
    if (!status) return false;
    char line[256];
    unsigned long kilobytes = 0;
    while (std::fgets(line, sizeof line, status) && std::sscanf(line, "VmPin: %lu", &kilobytes) != 1) {
    }
    std::fclose(status);
    return kilobytes != 0;
}

namespace {

constinit std::vector<Range> exposed;

// Also where they have a page in common, or may come to have one (own_end).
bool is_exposed(Range addresses) {
    addresses = {addresses.begin - page_bytes(), addresses.end + page_bytes()};
    return std::any_of(exposed.begin(), exposed.end(), [&](Range one) { return one.intersects(addresses); });
}

} // namespace

void expose(Range addresses) {
    exposed.push_back(addresses);
}

void conceal(Range addresses) {
    const auto one = std::find(exposed.begin(), exposed.end(), addresses);
    if (one != exposed.end()) exposed.erase(one);
}

Facts facts(Range addresses) {
    if (is_exposed(addresses)) return {};
    Facts all{true, true,
              own_stack().intersects(addresses) || is_on_the_alternate_stack(addresses) ||
                  dispatch::is_on_a_stack(addresses)};
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (std::uintptr_t at = addresses.begin; at < addresses.end;) {
        Mapping mapping;
        if (!query(maps, at, mapping) && !parse(at, mapping)) {
            all = {};
            break;
        }
        mapping.facts.stack |= holds_this_frame(mapping);
        all.add(mapping.facts);
        at = mapping.addresses.end;
    }
    if (maps >= 0) close(maps);
    return all;
}

} // namespace stretto::pages
