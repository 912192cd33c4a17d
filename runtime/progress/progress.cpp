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
    pthread_mutex_lock(&mutex);
    state = held_so;
    if (stretto::pages::Guard::any()) {
        pthread_mutex_unlock(&mutex);
        new (&quiet) stretto::pages::Quiet;
        pthread_mutex_lock(&mutex);
        state = held_quietly;
    }
    mine = true;
}

void Guard::give_back() {
    if (stretto::pages::Guard::lends()) stretto::pages::Guard::take_back();
    mine = false;
    pthread_mutex_unlock(&mutex);
    if (state == held_quietly) quiet.~Quiet();
}

void Patience::pause() {
    // MPI libraries yield in their blocking calls when ranks outnumber cores; in ours they see tests only.
    if (++looks > 64) sched_yield();
}

} // namespace stretto::progress
