#include "devices/devices.h"

#include "devices/drivers.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <link.h>
#include <mutex>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace stretto::devices {

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<Clock::rep> last_coming{0};
std::mutex looking; // never held while a library is loaded
std::atomic<bool> holds_a_device{false};
std::atomic<Clock::rep> next_scan{0};

Clock::rep now() {
    return Clock::now().time_since_epoch().count();
}

constexpr Clock::rep in_time(std::chrono::milliseconds time) {
    return std::chrono::duration_cast<Clock::duration>(time).count();
}

// Whoever loads a library is told of before it is there. It is there soon.
constexpr Clock::rep loading_takes = in_time(std::chrono::seconds{2});

// Files that were opened by no function of libc's.
constexpr Clock::rep between_scans = in_time(std::chrono::milliseconds{100});

//! How many objects have been loaded since the program's start.
unsigned long long loaded_so_far() {
    unsigned long long number = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *to) {
            *static_cast<unsigned long long *>(to) = info->dlpi_adds;
            return 1; // each object would say the same
        },
        &number);
    return number;
}

bool is_of_a_device(std::string_view file) {
    for (const std::string_view kind : {"/dev/nvidia", "/dev/kfd", "/dev/dri/", "/dev/infiniband/"})
        if (file.starts_with(kind)) return true;
    return false;
}

bool scan() {
    DIR *files = opendir("/proc/self/fd");
    if (!files) return false;
    bool found = false;
    while (const dirent *file = found ? nullptr : readdir(files)) {
        char target[64];
        const ssize_t length = readlinkat(dirfd(files), file->d_name, target, sizeof target);
        found = length > 0 && is_of_a_device({target, static_cast<std::size_t>(length)});
    }
    closedir(files);
    return found;
}

bool holds_device() {
    if (holds_a_device) return true; // what it has pinned may stay so when the file is closed
    const Clock::rep time = now();
    if (time < next_scan) return false;
    next_scan = time + between_scans;
    if (scan()) holds_a_device = true;
    return holds_a_device;
}

} // namespace

bool state::look() {
    std::uint8_t known = drivers.load();
    if (known & uncertain) {
        const std::lock_guard lock(looking);
        static unsigned long long seen = 0;
        const Clock::rep coming = last_coming;
        const unsigned long long number = loaded_so_far();
        if (number != seen && find_drivers()) drivers |= loaded;
        seen = number;
        if (now() - coming > loading_takes) {
            drivers &= static_cast<std::uint8_t>(~uncertain);
            if (coming != last_coming) drivers |= uncertain;
        }
        known = drivers;
    }
    return known & loaded;
}

void something_comes() {
    last_coming = now();
    state::drivers |= state::uncertain;
    next_scan = 0;
}

Memory memory_of(const void *address) {
    return any() ? ask_drivers(address) : Memory::host;
}

bool may_reach(Range addresses) {
    if (holds_device()) return true;
    return any() && ask_drivers(reinterpret_cast<const void *>(addresses.begin)) != Memory::host;
}

} // namespace stretto::devices
