// Jumps out of calls of MPI: a function of the program's that MPI has called, or the handler of a signal while a touch waits, leaves by longjmp.
// No destructor of ours runs then. Where the C library's jmp_buf can be read, the calls that the jump leaves are over at once; elsewhere
// they are found at the next call (front/entry.h).
#include "front/entry.h"
#include "pages/dispatch.h"
#include "pages/libc.h"
#include "pages/mask.h"

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace stretto::front {

namespace {

// Where the stack will end, as glibc keeps it: mangled (sysdeps/unix/sysv/linux/x86_64/pointer_guard.h).
std::uintptr_t stack_of([[maybe_unused]] const __jmp_buf_tag *to) {
#if defined(__x86_64__) && defined(__GLIBC__)
    constexpr int stack_pointer = 6, rotated = 17;
    std::uintptr_t guard;
    asm("movq %%fs:0x30, %0" : "=r"(guard));
    return std::rotr(static_cast<std::uintptr_t>(to[0].__jmpbuf[stack_pointer]), rotated) ^ guard;
#else
    return 0;
#endif
}

void about_to_jump(const __jmp_buf_tag *to) {
#if defined(__GLIBC__)
    if (to[0].__mask_was_saved) {
        sigset_t saved{};
        std::memcpy(&saved, &to[0].__saved_mask, std::min(sizeof saved, sizeof to[0].__saved_mask));
        pages::mask::jumps(saved);
    }
#endif
    if (depth > 0 || pages::dispatch::on) leave_dead_calls(stack_of(to));
}

} // namespace

} // namespace stretto::front

using namespace stretto::front;

// The function that a jump is compiled to with _FORTIFY_SOURCE.
extern "C" __attribute__((noreturn)) void __longjmp_chk(jmp_buf to, int value) noexcept;

extern "C" {

#define JUMP(name, buffer)                                                              \
    STRETTO_PUBLIC __attribute__((noreturn)) void name(buffer to, int value) noexcept { \
        about_to_jump(to);                                                              \
        NEXT(name)(to, value);                                                          \
        __builtin_unreachable();                                                        \
    }

JUMP(longjmp, jmp_buf)
JUMP(_longjmp, jmp_buf)
JUMP(siglongjmp, sigjmp_buf)
JUMP(__longjmp_chk, jmp_buf)
}
