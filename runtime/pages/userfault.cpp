#include "pages/userfault.h"

#include "pages/kernel.h"
#include "pages/libc.h"
#include "pages/memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stretto::pages::userfault {

namespace {

int descriptor = -1;
bool protects_unpopulated = false;

int open_descriptor() {
    return static_cast<int>(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC | O_NONBLOCK));
}

std::string refused() {
    return std::string("userfaultfd: ") + std::strerror(errno);
}

bool watch(Range pages, std::uint64_t mode) {
    uffdio_register ask{};
    ask.range = {pages.begin, pages.bytes()};
    ask.mode = mode;
    return ioctl(descriptor, UFFDIO_REGISTER, &ask) == 0;
}

} // namespace

std::string open() {
    if (descriptor >= 0) return "";
    const int asking = open_descriptor(); // what the kernel offers is told once per descriptor
    if (asking < 0) return refused();
    uffdio_api offered{}, wanted{};
    offered.api = wanted.api = UFFD_API;
    const bool told = ioctl(asking, UFFDIO_API, &offered) == 0;
    ::close(asking);
    const std::uint64_t needed = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_PAGEFAULT_FLAG_WP;
    if (!told || (offered.features & needed) != needed) return "userfaultfd knows no write protection with SIGBUS here";
    protects_unpopulated = offered.features & UFFD_FEATURE_WP_UNPOPULATED;
    wanted.features = needed | (protects_unpopulated ? UFFD_FEATURE_WP_UNPOPULATED : 0);
    descriptor = open_descriptor();
    if (descriptor >= 0 && ioctl(descriptor, UFFDIO_API, &wanted) == 0) return "";
    std::string reason = refused();
    close();
    return reason;
}

void close() {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
}

bool watch_writes(Range pages) {
    return watch(pages, UFFDIO_REGISTER_MODE_WP);
}

// Before Linux 6.4 a page that was never touched cannot be write-protected: reading maps it.
void populate(Range pages) {
    if (protects_unpopulated || NEXT(madvise)(pointer(pages.begin), pages.bytes(), MADV_POPULATE_READ) == 0) return;
    for (std::uintptr_t page = pages.begin; page < pages.end; page += page_bytes())
        static_cast<void>(*static_cast<volatile char *>(pointer(page)));
}

// Registered before the pages are dropped: memory that may not be watched is refused with its contents intact.
bool watch_missing(Range pages) {
    if (!watch(pages, UFFDIO_REGISTER_MODE_MISSING)) return false;
    if (NEXT(madvise)(pointer(pages.begin), pages.bytes(), MADV_DONTNEED) == 0) return true;
    forget(pages); // locked memory
    return false;
}

bool is_anothers(Range pages) {
    if (descriptor < 0) return false;
    if (watch(pages, UFFDIO_REGISTER_MODE_MISSING)) {
        forget(pages);
        return false;
    }
    return errno == EBUSY;
}

void forget(Range pages) {
    uffdio_range range{pages.begin, pages.bytes()};
    ioctl(descriptor, UFFDIO_UNREGISTER, &range);
}

bool write_protect(Range pages, bool on) {
    uffdio_writeprotect ask{};
    ask.range = {pages.begin, pages.bytes()};
    ask.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0;
    int error;
    do error = ioctl(descriptor, UFFDIO_WRITEPROTECT, &ask);
    while (error && errno == EAGAIN); // the address space is changing
    return !error;
}

bool fill(Range pages, const void *bytes) {
    auto from = reinterpret_cast<std::uintptr_t>(bytes);
    while (!pages.empty()) {
        uffdio_copy ask{};
        ask.dst = pages.begin;
        ask.src = from;
        ask.len = pages.bytes();
        if (ioctl(descriptor, UFFDIO_COPY, &ask) == 0) return true;
        if (errno != EAGAIN) return false;
        const auto done = ask.copy > 0 ? static_cast<std::size_t>(ask.copy) : 0; // the address space is changing
        pages.begin += done;
        from += done;
    }
    return true;
}

bool fill_with_zeros(Range pages) {
    uffdio_zeropage ask{};
    ask.range = {pages.begin, pages.bytes()};
    return ioctl(descriptor, UFFDIO_ZEROPAGE, &ask) == 0;
}

} // namespace stretto::pages::userfault
