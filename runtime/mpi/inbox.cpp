#include "mpi/inbox.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace stretto::mpi::inbox {

namespace {

constexpr const char *name = "stretto-inbox";

constinit std::vector<Card> cards; // by place in the node
std::size_t own = 0;

struct Theirs {
    bool asked = false;
    std::byte *part = nullptr;
};
constinit std::vector<Theirs> theirs;
std::byte *mine = nullptr;

std::size_t page() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// Where a part begins: the first page has the word.
std::size_t offset(const Card &card, std::size_t place) {
    return page() + place * (page() + card.bytes);
}

// A file that is longer than the process may have would be a signal.
bool may_be_so_long(std::size_t bytes) {
    rlimit most{};
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && (most.rlim_cur == RLIM_INFINITY || most.rlim_cur >= bytes);
}

// A child of fork() has none of it: what it would write there its parent's peers would read.
std::byte *map(int file, std::size_t at, std::size_t bytes) {
    void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(at));
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, bytes, MADV_DONTFORK);
    return static_cast<std::byte *>(memory);
}

// Before it is opened: to open another file, a device say, may do something.
bool is_an_inbox(const char *path) {
    char target[64] = "";
    const ssize_t length = readlink(path, target, sizeof target - 1);
    return length > 0 && std::strstr(target, name) != nullptr;
}

// Ranks of the simulation are in one process. Whether this address is ours the kernel knows: elsewhere there is anything there, or nothing.
bool is_in_this_process(const Card &card) {
    std::uint64_t word = 0;
    const iovec here{&word, sizeof word}, there{const_cast<void *>(card.memory), sizeof word};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof word && word == card.word;
}

std::byte *open(const Card &card) {
    if (is_in_this_process(card)) return static_cast<std::byte *>(const_cast<void *>(card.memory)) + offset(card, own);
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", static_cast<long long>(card.process),
                  static_cast<long long>(card.file));
    if (!is_an_inbox(path)) return nullptr;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    std::uint64_t word = 0;
    const bool right = pread(file, &word, sizeof word, 0) == sizeof word && word == card.word;
    std::byte *const part = right ? map(file, offset(card, own), page() + card.bytes) : nullptr;
    close(file);
    return part;
}

} // namespace

Card make(std::size_t parts, std::size_t bytes) {
    Card card{.process = getpid(), .file = -1, .bytes = std::max(bytes, page())};
    const std::size_t all = offset(card, parts);
    const int file = may_be_so_long(all) ? memfd_create(name, MFD_CLOEXEC) : -1;
    if (file < 0) return card;
    mine = ftruncate(file, static_cast<off_t>(all)) == 0 ? map(file, 0, all) : nullptr;
    if (!mine || getrandom(&card.word, sizeof card.word, 0) != sizeof card.word) {
        if (mine) munmap(mine, all);
        mine = nullptr;
        close(file);
        return card;
    }
    std::memcpy(mine, &card.word, sizeof card.word);
    card.file = file;
    card.memory = mine;
    return card;
}

void join(std::vector<Card> all, std::size_t own_place) {
    cards = std::move(all);
    own = own_place;
    theirs.assign(cards.size(), {});
}

std::size_t places() {
    return cards.size();
}

Part from(std::size_t place) {
    if (!mine || place >= cards.size()) return {};
    return {mine + offset(cards[own], place), cards[own].bytes};
}

Part to(std::size_t place) {
    if (place >= cards.size() || cards[place].file < 0) return {};
    Theirs &its = theirs[place];
    if (!its.asked) {
        its.asked = true;
        its.part = open(cards[place]);
    }
    return {its.part, cards[place].bytes};
}

} // namespace stretto::mpi::inbox
