// moving: should pages that come in be copied to their place, or moved (UFFDIO_MOVE)? Microseconds for each delta, a line of JSON for each
// size, medians of turns. No MPI; nothing of the runtime: what its guard does, and what it could do (docs/decisions/0009).
//
//   copied_us     the library's copy into memory of ours, and UFFDIO_COPY from there
//   written_us    ... and the door behind the protection: /proc/self/mem, then mprotect
//   moved_us      ... and UFFDIO_MOVE, which takes the pages away from us: the next delta's are found anew
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "harness/clock.h"

// Linux 6.8.
#ifndef UFFDIO_MOVE
struct uffdio_move {
    std::uint64_t dst, src, len, mode;
    std::int64_t move;
};
#define UFFDIO_MOVE _IOWR(UFFDIO, 0x05, struct uffdio_move)
#endif
#ifndef UFFD_FEATURE_MOVE
#define UFFD_FEATURE_MOVE (1 << 16)
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace {

enum Way { copied, written, moved, ways };
constexpr std::size_t buffer_bytes = 4 << 20;
constexpr int turns = 15;

int userfault = -1, memory_file = -1;

[[noreturn]] void give_up(const char *what) {
    std::perror(what);
    std::exit(2);
}

void check(bool good, const char *what) {
    if (!good) give_up(what);
}

//! Memory that the kernel backs with small pages: of a huge one a page moves only after it was split, which takes 100 times as long.
char *memory() {
    void *at = mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(at != MAP_FAILED, "mmap");
    madvise(at, buffer_bytes, MADV_NOHUGEPAGE);
    return static_cast<char *>(at);
}

std::uint64_t address(const char *at) {
    return reinterpret_cast<std::uintptr_t>(at);
}

void close_pages(Way way, char *buffer) {
    if (way == written) return check(mprotect(buffer, buffer_bytes, PROT_NONE) == 0, "mprotect");
    uffdio_register ask{};
    ask.range = {address(buffer), buffer_bytes};
    ask.mode = UFFDIO_REGISTER_MODE_MISSING;
    check(ioctl(userfault, UFFDIO_REGISTER, &ask) == 0, "UFFDIO_REGISTER");
    madvise(buffer, buffer_bytes, MADV_DONTNEED);
}

void take_in(Way way, char *place, char *ours, const char *message, std::size_t bytes) {
    if (way == moved) madvise(ours, bytes, MADV_POPULATE_WRITE);
    std::memcpy(ours, message, bytes);
    if (way == copied) {
        uffdio_copy ask{};
        ask.dst = address(place);
        ask.src = address(ours);
        ask.len = bytes;
        check(ioctl(userfault, UFFDIO_COPY, &ask) == 0, "UFFDIO_COPY");
    } else if (way == moved) {
        uffdio_move ask{};
        ask.dst = address(place);
        ask.src = address(ours);
        ask.len = bytes;
        check(ioctl(userfault, UFFDIO_MOVE, &ask) == 0, "UFFDIO_MOVE");
    } else {
        check(pwrite(memory_file, ours, bytes, static_cast<off_t>(address(place))) == static_cast<ssize_t>(bytes),
              "pwrite");
        check(mprotect(place, bytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
    }
}

double microseconds(Way way, char *buffer, char *ours, const char *message, std::size_t delta) {
    close_pages(way, buffer);
    const double begin = now();
    for (std::size_t at = 0; at < buffer_bytes; at += delta)
        take_in(way, buffer + at, way == moved ? ours + at : ours, message + at, delta);
    const double seconds = now() - begin;
    uffdio_range all{address(buffer), buffer_bytes};
    if (way != written) ioctl(userfault, UFFDIO_UNREGISTER, &all);
    check(std::memcmp(buffer, message, buffer_bytes) == 0, "the bytes are other ones");
    return seconds * 1e6 / static_cast<double>(buffer_bytes / delta);
}

} // namespace

int main() {
    userfault = static_cast<int>(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC));
    uffdio_api api{};
    api.api = UFFD_API;
    api.features = UFFD_FEATURE_MOVE;
    check(userfault >= 0 && ioctl(userfault, UFFDIO_API, &api) == 0, "userfaultfd with UFFDIO_MOVE (Linux 6.8)");
    memory_file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    check(memory_file >= 0, "/proc/self/mem");
    char *buffer = memory(), *ours = memory();
    std::vector<char> message(buffer_bytes);
    for (std::size_t k = 0; k < buffer_bytes; k++) message[k] = static_cast<char>(k * 2654435761u >> 13);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (const std::size_t pages : {1, 4, 16, 64, 256}) {
        std::array<std::array<double, turns>, ways> took;
        for (int turn = 0; turn < turns; turn++)
            for (const Way way : {copied, written, moved})
                took[way][static_cast<std::size_t>(turn)] =
                    microseconds(way, buffer, ours, message.data(), pages * page);
        for (auto &each : took) std::nth_element(each.begin(), each.begin() + turns / 2, each.end());
        std::printf("{\"pages\":%zu,\"copied_us\":%.2f,\"written_us\":%.2f,\"moved_us\":%.2f}\n", pages,
                    took[copied][turns / 2], took[written][turns / 2], took[moved][turns / 2]);
    }
}
