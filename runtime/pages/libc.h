#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <dlfcn.h>

namespace stretto::pages {

//! A function's name as an argument of a template.
template <std::size_t length>
struct Name {
    char text[length];
    consteval Name(const char (&its)[length]) { std::copy_n(its, length, text); }
};

//! \brief The next function of this name after ours, which is libc's. Asked for when this library is loaded; earlier, where a constructor
//! before ours needs it. Not later: a program may be in dlopen, whose lock another thread's dlsym would wait for.
template <Name name>
class Next {
public:
    static void *function() {
        static_cast<void>(&at_load);
        void *found = known.load(std::memory_order_relaxed);
        return found ? found : look();
    }

private:
    static void *look() {
        void *const found = dlsym(RTLD_NEXT, name.text);
        known.store(found, std::memory_order_relaxed);
        return found;
    }
    static inline constinit std::atomic<void *> known{nullptr};
    static inline void *const at_load = look();
};

} // namespace stretto::pages

//! NEXT(read)(file, memory, bytes): what a function of ours calls that has libc's name.
#define NEXT(name) reinterpret_cast<decltype(&::name)>(stretto::pages::Next<#name>::function())

//! Of a function of ours that has libc's name: the program's calls of it come to us.
#define PUBLIC __attribute__((visibility("default")))
