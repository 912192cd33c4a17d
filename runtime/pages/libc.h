#pragma once
#include <atomic>
#include <dlfcn.h>

namespace stretto::pages {

//! The next function of this name after ours, which is libc's. Asked for when first needed, which may be before any constructor of ours.
inline void *next(const char *name, std::atomic<void *> &known) {
    void *function = known.load(std::memory_order_relaxed);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        known.store(function, std::memory_order_relaxed);
    }
    return function;
}

} // namespace stretto::pages

//! NEXT(read)(file, memory, bytes): what a function of ours calls that has libc's name.
#define NEXT(name)                                    \
    reinterpret_cast<decltype(&::name)>([] {          \
        static std::atomic<void *> function;          \
        return stretto::pages::next(#name, function); \
    }())
