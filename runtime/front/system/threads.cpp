// Threads that begin, and processes that libc begins with all signals blocked: what pages/dispatch.h must know of them.
#include "front/entry.h"
#include "front/system/pages.h"
#include "pages/dispatch.h"
#include "pages/kernel.h"
#include "pages/libc.h"
#include "pages/mask.h"
#include "pages/quiet.h"
#include "settings/settings.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <optional>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>

namespace stretto::front {

namespace {

//! A thread from its begin to its end.
struct Life {
    void *(*const work)(void *);
    void *const argument;
    const bool of_library;
    const unsigned hidden = pages::mask::hidden_here(); // of who makes it
    pages::dispatch::Thread thread{of_library};
};

// What the library makes, in a call of the program or on a thread of its own, is the library's.
constinit thread_local bool is_of_library = false;

void end(void *its_life) {
    delete static_cast<Life *>(its_life);
}

//! Ends a life with its thread, also by pthread_exit and when it is cancelled. A thread_local object with a destructor would wait for the
//! loader's lock, which who waits for this thread in a library's constructor holds.
std::optional<pthread_key_t> key_of_lives() {
    static const std::optional<pthread_key_t> key = [] {
        pthread_key_t made;
        return pthread_key_create(&made, end) == 0 ? std::optional(made) : std::nullopt;
    }();
    return key;
}

// A signal for the process that comes while the thread which it is for holds signals back, as it does in many calls of ours, waits for that
// thread: the program's handler does not run on one that the program knows nothing of.
void leave_signals_to_the_program() {
    const sigset_t all = pages::Quiet::all_but_synchronous();
    NEXT(pthread_sigmask)(SIG_BLOCK, &all, nullptr);
}

void *begin(void *its_life) {
    auto *const life = static_cast<Life *>(its_life);
    is_of_library = life->of_library;
    if (is_of_library) leave_signals_to_the_program();
    pages::mask::begins_with(life->hidden);
    life->thread.begin();
    pthread_setspecific(*key_of_lives(), life);
    return life->work(life->argument);
}

//! What posix_spawn is told: a child blocks what its parent means to block, also what we leave open.
class Attributes {
public:
    explicit Attributes(const posix_spawnattr_t *given) : its(given) {
        short flags = 0;
        sigset_t programs;
        if (given) posix_spawnattr_getflags(given, &flags);
        if ((flags & POSIX_SPAWN_SETSIGMASK) || !pages::mask::differs(programs)) return;
        if (given)
            changed = *given;
        else
            posix_spawnattr_init(&changed);
        posix_spawnattr_setflags(&changed, static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK));
        posix_spawnattr_setsigmask(&changed, &programs);
        its = &changed;
    }
    const posix_spawnattr_t *get() const { return its; }

private:
    const posix_spawnattr_t *its;
    posix_spawnattr_t changed; // has no memory of its own
};

// Of a process that is never watched no thread needs to be seen. Before MPI_Init nobody knows, and STRETTO=off alone is certain.
bool is_off() {
    const char *word = std::getenv("STRETTO");
    return settings.off || (word && std::string_view(word) == "off");
}

} // namespace

} // namespace stretto::front

using namespace stretto::front;
using stretto::pages::dispatch::Unwatchable;

extern "C" {

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                          void *argument) noexcept {
    if (is_off() || !key_of_lives()) return NEXT(pthread_create)(thread, attributes, work, argument);
    auto *const life = new (std::nothrow) Life{work, argument, nested() || is_of_library};
    if (!life) return EAGAIN;
    const Unwatchable blocks_signals;
    const int error = NEXT(pthread_create)(thread, attributes, begin, life);
    if (error) end(life);
    return error;
}

// To itself a thread sends without blocking anything, and the handler runs within the call.
PUBLIC int pthread_kill(pthread_t thread, int signal) noexcept {
    if (pthread_equal(thread, pthread_self())) return NEXT(pthread_kill)(thread, signal);
    const Unwatchable blocks_signals;
    return NEXT(pthread_kill)(thread, signal);
}

PUBLIC int pthread_cancel(pthread_t thread) {
    if (pthread_equal(thread, pthread_self())) return NEXT(pthread_cancel)(thread);
    const Unwatchable blocks_signals;
    return NEXT(pthread_cancel)(thread);
}

PUBLIC int timer_create(clockid_t clock, sigevent *event, timer_t *timer) noexcept {
    const Unwatchable blocks_signals; // it may begin a thread
    return NEXT(timer_create)(clock, event, timer);
}

PUBLIC int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) {
    const Unwatchable blocks_signals;
    return NEXT(posix_spawn)(child, path, actions, Attributes(attributes).get(), words, environment);
}

PUBLIC int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) {
    const Unwatchable blocks_signals;
    return NEXT(posix_spawnp)(child, name, actions, Attributes(attributes).get(), words, environment);
}

// Of a thread the kernel stops calls for one only.
PUBLIC int prctl(int option, ...) noexcept {
    std::va_list list;
    va_start(list, option);
    unsigned long words[4];
    for (unsigned long &word : words) word = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_SYSCALL_USER_DISPATCH && stretto::pages::dispatch::on) {
        const stretto::pages::dispatch::Ours ours;
        settle_everything(true);
        stretto::pages::dispatch::give_way(words[0] != PR_SYS_DISPATCH_OFF);
    }
    return NEXT(prctl)(option, words[0], words[1], words[2], words[3]);
}

PUBLIC int system(const char *command) {
    const Unwatchable blocks_signals;
    return NEXT(system)(command);
}

PUBLIC FILE *popen(const char *command, const char *mode) {
    const Unwatchable blocks_signals;
    return NEXT(popen)(command, mode);
}
}
