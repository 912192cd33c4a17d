// What a program loads and opens: a device's driver may come with it (devices/devices.h), or its own memory as a file.
#include "devices/devices.h"
#include "pages/call_memory.h"
#include "pages/libc.h"

#include <cstdarg>
#include <cstddef>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>

#ifdef __clang__
#define TAIL_CALL // from -O1 on
#else
#define TAIL_CALL __attribute__((optimize("O2"))) // in any build
#endif

namespace {

// Looked at once the kernel has read the path: what leads nowhere is EFAULT.
int opened(int file, const char *path) {
    if (file < 0) return file;
    const std::string_view name(path);
    if (name.starts_with("/dev/")) stretto::devices::something_comes();
    const auto number = static_cast<std::size_t>(file);
    if (number < stretto::pages::is_own_memory.size())
        stretto::pages::is_own_memory[number] = name.starts_with("/proc/") && name.ends_with("/mem");
    return file;
}

// Behind the flags of what makes a file.
mode_t mode_of(int flags, va_list more) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

} // namespace

// With _FORTIFY_SOURCE a program calls these where it makes no file.
extern "C" {
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
}

extern "C" {

// A tail call: libc asks where its caller is, and looks for libraries where that one's object says.
PUBLIC TAIL_CALL void *dlopen(const char *name, int mode) noexcept {
    stretto::devices::something_comes();
    return NEXT(dlopen)(name, mode);
}

PUBLIC int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened(NEXT(open)(path, flags, mode), path);
}

PUBLIC int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened(NEXT(open64)(path, flags, mode), path);
}

PUBLIC int openat(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened(NEXT(openat)(folder, path, flags, mode), path);
}

PUBLIC int openat64(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened(NEXT(openat64)(folder, path, flags, mode), path);
}

PUBLIC int __open_2(const char *path, int flags) {
    return opened(NEXT(__open_2)(path, flags), path);
}

PUBLIC int __open64_2(const char *path, int flags) {
    return opened(NEXT(__open64_2)(path, flags), path);
}

PUBLIC int __openat_2(int folder, const char *path, int flags) {
    return opened(NEXT(__openat_2)(folder, path, flags), path);
}

PUBLIC int __openat64_2(int folder, const char *path, int flags) {
    return opened(NEXT(__openat64_2)(folder, path, flags), path);
}
}
