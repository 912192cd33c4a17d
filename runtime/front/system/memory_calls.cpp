// What a program asks of libc about memory itself. What is given back is not waited for: it is opened, and the rest of its message goes
// nowhere. What changes its place, its protection or its pages has come first, so that nothing of ours undoes it later.
//
// Also system calls that come by other routes are seen (pages/dispatch.h), with the same consequences. Not those of callbacks of MPI, nor of
// libraries' threads, nor what libc writes before it asks the kernel: so this is for all of them.
//
// Also libraries' calls come here, MPI's own and those of allocators among them, on threads and under locks that we know nothing of: to give
// memory back takes no lock that anybody holds while it allocates.
#include "front/entry.h"
#include "front/system/pages.h"
#include "pages/dispatch.h"
#include "pages/fault.h"
#include "pages/guard.h"
#include "pages/kernel.h"
#include "pages/libc.h"
#include "pages/memory.h"
#include "pages/quiet.h"
#include "pages/tracker.h"
#include "trace/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

namespace stretto::front {

namespace {

bool nothing_watched() {
    return !pages::Guard::any() && !pages::Tracker::any();
}

// The next reader of this memory is somebody else.
void is_given_back(const char *how, const void *memory, std::size_t bytes) {
    if (nothing_watched()) return;
    const pages::dispatch::Ours ours;
    if (!nested() && pages::Tracker::concerns(memory, bytes))
        fail(how, "bytes of a delta send are given away before MPIX_Delta_send_end");
    pages::Guard::give_up(memory, bytes);
}

void is_freed(const char *how, void *memory) {
    if (memory && !nothing_watched()) is_given_back(how, memory, malloc_usable_size(memory));
}

// The same bytes, elsewhere.
void is_moved(const char *how, const void *memory, std::size_t bytes) {
    if (nothing_watched()) return;
    const pages::dispatch::Ours ours;
    if (!nested() && pages::Tracker::concerns(memory, bytes))
        fail(how, "bytes of a delta send are given away before MPIX_Delta_send_end");
    pages::Guard::retire(memory, bytes);
}

// The same bytes in the same place; what the kernel is told of them holds from now on.
void is_changed(const void *memory, std::size_t bytes) {
    if (nothing_watched()) return;
    const pages::dispatch::Ours ours;
    pages::Guard::retire(memory, bytes);
    pages::Tracker::leave_alone(memory, bytes);
}

// The kernel fails where a page is closed.
bool populates(int advice) {
    return advice == MADV_POPULATE_READ || advice == MADV_POPULATE_WRITE;
}

void is_replaced(const void *memory, std::size_t bytes, int flags) {
    if (flags & MAP_FIXED && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE) is_given_back("mmap", memory, bytes);
}

// What lies above the new end of the heap.
void is_cut_off(const void *end) {
    if (nothing_watched()) return;
    const auto before = reinterpret_cast<std::uintptr_t>(NEXT(sbrk)(0)), after = reinterpret_cast<std::uintptr_t>(end);
    if (end && after < before) is_given_back("brk", end, before - after);
}

// While the allocator is at work no handler of the program's interrupts it. One that touched there what has not come would wait for whoever
// brings it, who allocates, too, and waits for the lock of the allocator that was interrupted.
template <class Call>
auto undisturbed(Call call) {
    if (!pages::fault::handlers_may_come() || nothing_watched()) [[likely]]
        return call();
    const pages::dispatch::Ours ours;
    const pages::Quiet quiet;
    return call();
}

using Freed = void (*)(const volatile void *);

// An allocator of a sanitizer, which is loaded before us, does not come to our free: it calls those who ask it to.
bool sanitizer_tells_of(Freed freed) {
    using Install = int (*)(void (*)(const volatile void *, std::size_t), Freed);
    const auto install = reinterpret_cast<Install>(dlsym(RTLD_DEFAULT, "__sanitizer_install_malloc_and_free_hooks"));
    return install && install([](const volatile void *, std::size_t) {}, freed);
}

const void *object_of(const void *function) {
    Dl_info found;
    return function && dladdr(function, &found) ? found.dli_fbase : nullptr;
}

} // namespace

bool hears_of_free() {
    static const bool hears = [] {
        if (sanitizer_tells_of([](const volatile void *freed) { is_freed("free", const_cast<void *>(freed)); }))
            return true;
        const void *const ours = object_of(reinterpret_cast<const void *>(&is_freed));
        const void *const libc = object_of(dlsym(RTLD_NEXT, "gnu_get_libc_version"));
        return object_of(dlsym(RTLD_DEFAULT, "free")) == ours && object_of(dlsym(RTLD_NEXT, "free")) == libc;
    }();
    return hears;
}

} // namespace stretto::front

using namespace stretto::front;

extern "C" {

void *__libc_calloc(size_t, size_t) __attribute__((weak));

// --- given back -----------------------------------------------------------------------------------------------------

PUBLIC void free(void *memory) noexcept {
    is_freed("free", memory);
    undisturbed([&] { return NEXT(free)(memory); });
}

// C23; a libc that has them does not come to free.
PUBLIC void free_sized(void *memory, size_t) noexcept {
    free(memory);
}

PUBLIC void free_aligned_sized(void *memory, size_t, size_t) noexcept {
    free(memory);
}

PUBLIC int munmap(void *memory, size_t bytes) noexcept {
    is_given_back("munmap", memory, bytes);
    return NEXT(munmap)(memory, bytes);
}

PUBLIC void *mmap(void *memory, size_t bytes, int access, int flags, int file, off_t at) noexcept {
    is_replaced(memory, bytes, flags);
    return NEXT(mmap)(memory, bytes, access, flags, file, at);
}

PUBLIC void *mmap64(void *memory, size_t bytes, int access, int flags, int file, off64_t at) noexcept {
    is_replaced(memory, bytes, flags);
    return NEXT(mmap64)(memory, bytes, access, flags, file, at);
}

PUBLIC void *shmat(int segment, const void *memory, int flags) noexcept {
    shmid_ds of;
    if ((flags & SHM_REMAP) && memory && !nothing_watched() && shmctl(segment, IPC_STAT, &of) == 0)
        is_given_back("shmat", memory, of.shm_segsz);
    return NEXT(shmat)(segment, memory, flags);
}

PUBLIC int brk(void *end) noexcept {
    is_cut_off(end);
    return NEXT(brk)(end);
}

PUBLIC void *sbrk(intptr_t more) noexcept {
    if (more < 0 && !nothing_watched()) is_cut_off(static_cast<char *>(NEXT(sbrk)(0)) + more);
    return NEXT(sbrk)(more);
}

PUBLIC int madvise(void *memory, size_t bytes, int advice) noexcept {
    if (stretto::pages::drops(advice)) is_given_back("madvise", memory, bytes);
    if (populates(advice)) is_changed(memory, bytes);
    return NEXT(madvise)(memory, bytes, advice);
}

// --- allocated ------------------------------------------------------------------------------------------------------

PUBLIC void *malloc(size_t bytes) noexcept {
    return undisturbed([&] { return NEXT(malloc)(bytes); });
}

PUBLIC void *calloc(size_t count, size_t bytes) noexcept {
    // dlsym of an older libc has its first call of it while we ask for the next one.
    static constinit thread_local bool asks = false;
    if (asks) return __libc_calloc(count, bytes);
    asks = true;
    const auto next = NEXT(calloc);
    asks = false;
    return undisturbed([&] { return next(count, bytes); });
}

PUBLIC void *memalign(size_t alignment, size_t bytes) noexcept {
    return undisturbed([&] { return NEXT(memalign)(alignment, bytes); });
}

PUBLIC void *aligned_alloc(size_t alignment, size_t bytes) noexcept {
    return undisturbed([&] { return NEXT(aligned_alloc)(alignment, bytes); });
}

PUBLIC int posix_memalign(void **memory, size_t alignment, size_t bytes) noexcept {
    return undisturbed([&] { return NEXT(posix_memalign)(memory, alignment, bytes); });
}

PUBLIC void *valloc(size_t bytes) noexcept {
    return undisturbed([&] { return NEXT(valloc)(bytes); });
}

PUBLIC void *pvalloc(size_t bytes) noexcept {
    return undisturbed([&] { return NEXT(pvalloc)(bytes); });
}

// --- moved, or changed ----------------------------------------------------------------------------------------------

PUBLIC void *realloc(void *memory, size_t bytes) noexcept {
    if (memory && !nothing_watched()) is_moved("realloc", memory, malloc_usable_size(memory));
    return undisturbed([&] { return NEXT(realloc)(memory, bytes); });
}

PUBLIC void *reallocarray(void *memory, size_t count, size_t size) noexcept {
    if (memory && !nothing_watched()) is_moved("reallocarray", memory, malloc_usable_size(memory));
    return undisturbed([&] { return NEXT(reallocarray)(memory, count, size); });
}

PUBLIC void *mremap(void *memory, size_t before, size_t after, int flags, ...) noexcept {
    va_list more;
    va_start(more, flags);
    void *const to = flags & MREMAP_FIXED ? va_arg(more, void *) : nullptr;
    va_end(more);
    if (after < before) is_given_back("mremap", static_cast<char *>(memory) + after, before - after);
    is_moved("mremap", memory, std::min(before, after));
    if (to) is_given_back("mremap", to, after);
    return NEXT(mremap)(memory, before, after, flags, to);
}

PUBLIC int mprotect(void *memory, size_t bytes, int access) noexcept {
    is_changed(memory, bytes);
    return NEXT(mprotect)(memory, bytes, access);
}

PUBLIC int pkey_mprotect(void *memory, size_t bytes, int access, int key) noexcept {
    is_changed(memory, bytes);
    return NEXT(pkey_mprotect)(memory, bytes, access, key);
}

PUBLIC int mlock(const void *memory, size_t bytes) noexcept {
    is_changed(memory, bytes);
    return NEXT(mlock)(memory, bytes);
}

PUBLIC int mlock2(const void *memory, size_t bytes, unsigned flags) noexcept {
    is_changed(memory, bytes);
    return NEXT(mlock2)(memory, bytes, flags);
}

PUBLIC int mlockall(int flags) noexcept {
    if (flags & MCL_CURRENT) is_changed(nullptr, SIZE_MAX);
    return NEXT(mlockall)(flags);
}
}
