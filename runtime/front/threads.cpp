// Threads that begin, and processes that libc begins with all signals blocked: what pages/dispatch.h must know of them.
#include "front/entry.h"
#include "pages/dispatch.h"
#include "pages/libc.h"
#include "tune/settings.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <optional>
#include <pthread.h>
#include <spawn.h>

namespace stretto::front {

namespace {

//! What a thread begins with.
struct Beginning {
    void *(*work)(void *);
    void *argument;
    bool of_library;
};

// What the library makes, in a call of the program or on a thread of its own, is the library's.
constinit thread_local bool is_of_library = false;

//! Ends with the thread, also by pthread_exit and when it is cancelled.
thread_local std::optional<pages::dispatch::Thread> this_thread;

void *begin(void *its_beginning) {
    auto *const there = static_cast<Beginning *>(its_beginning);
    const Beginning beginning = *there;
    delete there;
    is_of_library = beginning.of_library;
    this_thread.emplace(beginning.of_library);
    return beginning.work(beginning.argument);
}

// Of a process that is never watched no thread needs to be seen. Before MPI_Init nobody knows, and STRETTO=off alone is certain.
bool is_off() {
    const char *word = std::getenv("STRETTO");
    return settings.off || (word && std::string_view(word) == "off");
}

} // namespace

} // namespace stretto::front

using namespace stretto::front;
using stretto::pages::dispatch::Unwatchable;

#define PUBLIC __attribute__((visibility("default")))

extern "C" {

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                          void *argument) noexcept {
    if (is_off()) return NEXT(pthread_create)(thread, attributes, work, argument);
    auto *const beginning = new (std::nothrow) Beginning{work, argument, nested() || is_of_library};
    if (!beginning) return EAGAIN;
    const Unwatchable blocks_signals;
    const int error = NEXT(pthread_create)(thread, attributes, begin, beginning);
    if (error) delete beginning;
    return error;
}

PUBLIC int timer_create(clockid_t clock, sigevent *event, timer_t *timer) noexcept {
    const Unwatchable blocks_signals; // it may begin a thread
    return NEXT(timer_create)(clock, event, timer);
}

PUBLIC int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) {
    const Unwatchable blocks_signals;
    return NEXT(posix_spawn)(child, path, actions, attributes, words, environment);
}

PUBLIC int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) {
    const Unwatchable blocks_signals;
    return NEXT(posix_spawnp)(child, name, actions, attributes, words, environment);
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
