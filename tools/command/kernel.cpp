#include "kernel.h"
#include "pages/dispatch.h"
#include "pages/guard.h"
#include "pages/tracker.h"
#include "process.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace stretto::command {

// Newer than the headers of Debian 12.
static constexpr std::uint64_t feature_wp_async = 1 << 15, feature_move = 1 << 16;
static constexpr int user_mode_only = 1;
struct ScanArguments { // struct pm_scan_arg of linux/fs.h, Linux 6.7
    std::uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    std::uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
static constexpr unsigned long pagemap_scan = _IOWR('f', 16, ScanArguments);

static std::string error() {
    return std::strerror(errno);
}

// The features that a userfaultfd of an unprivileged process offers; `why_not` where there is none.
static std::uint64_t userfaultfd_features(std::string &why_not) {
    const int descriptor = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only));
    if (descriptor < 0) {
        why_not = error();
        return 0;
    }
    uffdio_api api{};
    api.api = UFFD_API;
    if (ioctl(descriptor, UFFDIO_API, &api) != 0) why_not = error();
    close(descriptor);
    return api.features;
}

static std::string try_pagemap_scan() {
    const int descriptor = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return error();
    ScanArguments nothing{};
    nothing.size = sizeof nothing;
    const bool known = ioctl(descriptor, pagemap_scan, &nothing) >= 0 || errno != ENOTTY;
    close(descriptor);
    return known ? "" : "this kernel has no PAGEMAP_SCAN (Linux 6.7)";
}

static std::string try_own_memory() {
    const int descriptor = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return error();
    char there = 'a', wanted = 'b';
    const bool written =
        pwrite(descriptor, &wanted, 1, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(&there))) == 1;
    close(descriptor);
    return written && *static_cast<volatile char *>(&there) == 'b' ? "" : "not writable";
}

static std::string try_user_namespace() {
    const Output tried = capture([] { return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno; }, 10);
    return tried.status == 0 ? "" : std::strerror(tried.status);
}

std::vector<Feature> kernel_features() {
    std::vector<Feature> features;
    const auto add = [&](const char *name, const char *used_for, std::string why_not) {
        features.push_back({name, used_for, why_not.empty(), std::move(why_not)});
    };
    std::string no_userfaultfd;
    const std::uint64_t offered = userfaultfd_features(no_userfaultfd);
    const auto add_offered = [&](const char *name, const char *used_for, std::uint64_t bit, const char *since) {
        std::string why_not = no_userfaultfd;
        if (why_not.empty() && !(offered & bit)) why_not = std::string("this kernel does not offer it (") + since + ")";
        add(name, used_for, why_not);
    };
    add("userfaultfd, user mode", "guards", no_userfaultfd);
    add_offered("userfaultfd SIGBUS", "guards: a fault comes as a signal", UFFD_FEATURE_SIGBUS, "Linux 4.14");
    add_offered("userfaultfd MOVE", "guards filled without a copy", feature_move, "Linux 6.8");
    add_offered("userfaultfd WP_ASYNC", "what was written, without a signal", feature_wp_async, "Linux 6.7");
    add("PAGEMAP_SCAN", "what was written, asked page by page", try_pagemap_scan());
    add("/proc/self/mem", "bytes into guarded pages", try_own_memory());
    add("user namespaces", "a lab without root", try_user_namespace());
    return features;
}

std::vector<PageChoice> page_choices() {
    const char *asked = std::getenv("STRETTO_SYSCALLS");
    const bool by_wrappers = asked && std::strcmp(asked, "wrappers") == 0;
    const std::string unseen = by_wrappers ? "" : pages::dispatch::start(nullptr);
    const pages::TrackingChoice tracking = pages::choose_tracking(std::getenv("STRETTO_TRACKER"), unseen);
    const pages::GuardingChoice guarding = pages::choose_guarding(std::getenv("STRETTO_GUARD"), unseen);
    const char *seen = by_wrappers ? "wrappers" : unseen.empty() ? "dispatch" : "none";
    return {{"what the kernel reads", "STRETTO_SYSCALLS", seen, by_wrappers ? "it was asked for" : unseen},
            {"what is written", "STRETTO_TRACKER", pages::name(tracking.tracking), tracking.reason},
            {"what is touched", "STRETTO_GUARD", pages::name(guarding.guarding), guarding.reason}};
}

static std::string first_line(const char *path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    for (char &character : line)
        if (character == '\t') character = ' ';
    return line.empty() ? "not known" : line;
}

std::vector<Limit> limits() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    rlimit locked{};
    getrlimit(RLIMIT_MEMLOCK, &locked);
    const std::string memlock = locked.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(locked.rlim_cur);
    return {
        {"cores", std::to_string(CPU_COUNT(&cores)) + " of " + std::to_string(std::thread::hardware_concurrency()),
         "that this process may use"},
        {"vm.max_map_count", first_line("/proc/sys/vm/max_map_count"), "maps of a process: many small guards meet it"},
        {"net.core.wmem_max", first_line("/proc/sys/net/core/wmem_max"),
         "bytes: the largest send buffer a program may ask for"},
        {"net.core.rmem_max", first_line("/proc/sys/net/core/rmem_max"), "bytes: the same for receiving"},
        {"net.ipv4.tcp_wmem", first_line("/proc/sys/net/ipv4/tcp_wmem"),
         "bytes least, default, most: what leaves while a program computes"},
        {"net.ipv4.tcp_rmem", first_line("/proc/sys/net/ipv4/tcp_rmem"),
         "bytes least, default, most: what arrives meanwhile"},
        {"memlock", memlock, "bytes that may be registered with a network card"},
        {"transparent huge pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
         "a guard inside one splits it"},
    };
}

std::string kernel_release() {
    utsname names{};
    uname(&names);
    return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

} // namespace stretto::command
