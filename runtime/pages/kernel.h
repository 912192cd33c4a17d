#pragma once
#include <cstdint>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

// What the kernel offers and the headers of most distributions do not know yet. Each is tried before it is used.

// userfaultfd: pages that were never touched can be write-protected too (Linux 6.4).
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif

// Populate pages by reading them, or as if they were written (Linux 5.14).
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// Drop pages, locked ones too (Linux 5.18); or so that they fault from then on (Linux 6.13).
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

// A signal in place of a system call (Linux 5.11).
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

// A lock that waits by another clock (Linux 5.14).
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

// ioctl on /proc/self/maps: the mapping at an address, without reading the text (Linux 6.11).
#ifndef PROCMAP_QUERY
#define PROCMAP_QUERY_VMA_READABLE 0x01
#define PROCMAP_QUERY_VMA_WRITABLE 0x02
#define PROCMAP_QUERY_VMA_EXECUTABLE 0x04
#define PROCMAP_QUERY_VMA_SHARED 0x08
struct procmap_query {
    std::uint64_t size, query_flags, query_addr, vma_start, vma_end, vma_flags, vma_page_size;
    std::uint64_t vma_offset, inode;
    std::uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
    std::uint64_t vma_name_addr, build_id_addr;
};
#define PROCMAP_QUERY _IOWR('f', 17, struct procmap_query)
#endif
