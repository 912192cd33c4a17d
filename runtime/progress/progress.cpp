#include "progress/progress.h"

#include <new>
#include <sched.h>

namespace stretto::progress {

namespace {

Task *first = nullptr;
Task *next = nullptr; // what poll() looks at next; remove() moves it on

} // namespace

void add(Task &task) {
    if (task.listed) return;
    task.listed = true;
    task.before = nullptr;
    task.after = first;
    if (first) first->before = &task;
    first = &task;
    tasks.store(tasks + 1, std::memory_order_relaxed);
}

void remove(Task &task) {
    if (!task.listed) return;
    task.listed = false;
    if (next == &task) next = task.after;
    if (task.before)
        task.before->after = task.after;
    else
        first = task.after;
    if (task.after) task.after->before = task.before;
    tasks.store(tasks - 1, std::memory_order_relaxed);
}

void poll() {
    for (Task *task = first; task; task = next) {
        next = task->after;
        if (task->poll()) remove(*task);
    }
    next = nullptr;
}

bool poll_in_native_call() {
    const std::size_t before = moves;
    for (Task *task = first; task; task = next) {
        next = task->after;
        if (task->goes_on_in_native_calls() && task->poll()) remove(*task);
    }
    next = nullptr;
    return moves != before;
}

double look_within() {
    double least = 0;
    for (Task *task = first; task; task = task->after)
        if (const double its = task->look_within(); its > 0 && (least == 0 || its < least)) least = its;
    return least;
}

void hand_over() {
    for (Task *task = first; task; task = task->after) task->hand_over();
}

bool unfinished(const void *communicator) {
    for (Task *task = first; task; task = task->after)
        if (task->needs_us() && (!communicator || task->communicator() == communicator)) return true;
    return false;
}

bool anything_leaving() {
    for (Task *task = first; task; task = task->after)
        if (task->leaving()) return true;
    return false;
}

bool anything_reads(Range addresses) {
    for (Task *task = first; task; task = task->after)
        if (task->reads(addresses)) return true;
    return false;
}

// While something is guarded no signal may come in: its handler could touch a page, and wait for a lock that its own thread holds.
void Guard::take() {
    if (!stretto::pages::Guard::any()) {
        pthread_mutex_lock(&mutex);
        state = held_so;
        mine = true;
        if (!stretto::pages::Guard::any()) return;
        mine = false;
        pthread_mutex_unlock(&mutex);
    }
    new (&quiet) stretto::pages::Quiet;
    pthread_mutex_lock(&mutex);
    state = held_quietly;
    mine = quietly = true;
    before_quiet = quiet.before();
}

void Guard::give_back() {
    if (stretto::pages::Guard::lends()) stretto::pages::Guard::take_back();
    mine = quietly = false;
    pthread_mutex_unlock(&mutex);
    if (state == held_quietly) quiet.~Quiet();
}

// The signals that were held back stay so: who has the lock will let them in.
void Guard::lay_down() {
    if (stretto::pages::Guard::lends()) stretto::pages::Guard::take_back();
    mine = false;
    pthread_mutex_unlock(&mutex);
}

void Guard::take_up() {
    pthread_mutex_lock(&mutex);
    mine = true;
}

// siglongjmp has set a mask of the program's, which stays.
void Guard::leave() {
    const bool was_quiet = quietly;
    if (mine) lay_down();
    quietly = false;
    if (!was_quiet) return;
    sigset_t now;
    const sigset_t ours = stretto::pages::Quiet::all_but_synchronous();
    NEXT(pthread_sigmask)(SIG_SETMASK, nullptr, &now);
    for (int signal = 1; signal < NSIG; signal++)
        if (sigismember(&ours, signal) == 1 && sigismember(&now, signal) == 0) return;
    NEXT(pthread_sigmask)(SIG_SETMASK, &before_quiet, nullptr);
}

thread_local sigset_t Guard::before_quiet{};

void stop_looking(unsigned left) {
    looking -= looking_here - left;
    looking_here = left;
}

void stop_blocking(unsigned left) {
    blocked -= blocked_here - left;
    blocked_here = left;
}

void Patience::pause() {
    // MPI libraries yield in their blocking calls when ranks outnumber cores; in ours they see tests only.
    if (++looks > looks_before_yield) sched_yield();
}

} // namespace stretto::progress
