#pragma once
#include "pages/guard.h"
#include "pages/quiet.h"
#include "range/range.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <pthread.h>

namespace stretto::progress {

//! \brief Something under way that needs to be looked at: a framed message that leaves or arrives.
class Task {
public:
    virtual ~Task() = default;

    //! Do what can be done without waiting. True when there is nothing left to do: the list forgets the task.
    virtual bool poll() = 0;

    //! Give everything that is ready to the MPI library, which is about to block this thread (protocol rule 8).
    virtual void hand_over() {}

    //! Has somebody still to do something for it, we or the receiver's program?
    virtual bool needs_us() const { return false; }

    //! Has the MPI library still a send of it under way?
    virtual bool leaving() const { return false; }

    //! Does it still have to read these addresses of the program's memory?
    virtual bool reads(Range) const { return false; }

    //! Does it go on while the library waits in a call of the program's? It must, where other ranks may wait for us meanwhile.
    virtual bool goes_on_in_native_calls() const { return false; }

    //! Within how many seconds somebody should look at it, for ranks that wait for what passes through us; 0: it does not matter.
    virtual double look_within() const { return 0; }

    //! The communicator that it belongs to; nullptr: none of the program's.
    virtual const void *communicator() const { return nullptr; }

    bool listed = false;

private:
    friend void add(Task &);
    friend void remove(Task &);
    friend void poll();
    friend bool poll_in_native_call();
    friend double look_within();
    friend void hand_over();
    friend bool unfinished(const void *);
    friend bool anything_leaving();
    friend bool anything_reads(Range);
    Task *before = nullptr, *after = nullptr;
};

//! Counts what has moved: a message matched, a delta that has left, come or been let go.
inline std::size_t moves = 0;

//! How many threads of the program wait, and look at all tasks meanwhile.
inline std::atomic<unsigned> looking = 0;
//! How often this one does.
inline constinit thread_local unsigned looking_here = 0;

//! \brief A thread of the program waits so.
class Looking {
public:
    Looking() { looking++, looking_here++; }
    ~Looking() { looking--, looking_here--; }
    Looking(const Looking &) = delete;
    Looking &operator=(const Looking &) = delete;
};

//! How many tasks are on the list. Zero means that a native call may block without harm: also the helper has made its last call then.
//! Changed under the lock, read also without.
inline std::atomic<std::size_t> tasks = 0;

void add(Task &task);
void remove(Task &task);

//! Seconds until the next look, as far as is known: while the helper looks, its period. The program itself may look again at once.
inline double until_next_look = 0;

//! Look at every task once. A task may remove itself or others, and add new ones.
void poll();

//! At those that go on in native calls. True if something has moved.
bool poll_in_native_call();

//! The least look_within() of all tasks.
double look_within();

//! \brief This thread looks at the tasks in the program's place (the helper, or a fault): it calls no function of the program's.
inline constinit thread_local bool apart = false;

//! \brief So it is for a while.
class Apart {
public:
    Apart() { apart = true; }
    ~Apart() { apart = was; }
    Apart(const Apart &) = delete;
    Apart &operator=(const Apart &) = delete;

private:
    const bool was = apart;
};

//! Rule 8, for every task.
void hand_over();

//! Is there a message that still needs us? Of one communicator, or any (nullptr).
bool unfinished(const void *communicator = nullptr);

//! Is a send under way of any message?
bool anything_leaving();

//! Will any task still read these addresses?
bool anything_reads(Range addresses);

//! \brief The one lock. Taken only where the program asked for MPI_THREAD_MULTIPLE, or pages are used: below that level MPI itself
//! forbids two calls at a time, but a page may be touched by any thread at any time. Not recursive: only front/ takes it.
class Guard {
public:
    Guard() {
        if (multiple || pages) take();
    }
    //! Only if nobody has it: for fault handlers, where this thread has all signals blocked. See held().
    explicit Guard(std::try_to_lock_t) {
        if (mine || pthread_mutex_trylock(&mutex) != 0) return;
        state = held_so;
        mine = true;
    }
    ~Guard() {
        if (state) give_back();
    }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

    bool held() const { return state != not_held; }

    //! The function of the program's that this thread is in may call MPI, and use what is guarded: it does not hold the lock meanwhile.
    static void lay_down();
    static void take_up();

    //! This thread has jumped out of where it may have held it: it does not any more, and gets signals again.
    static void leave();

    //! The program's threads may call MPI at once.
    static inline bool multiple = false;
    //! It promised to have one thread (MPI_THREAD_SINGLE).
    static inline bool one_thread = false;
    //! Faults may call the library, or the helper. Set before the first page is watched or guarded, and never taken back.
    static inline bool pages = false;
    //! Does this thread hold it?
    static inline constinit thread_local bool mine = false;

private:
    void take();
    void give_back();

    enum : char { not_held, held_so, held_quietly } state = not_held;
    union { // no work where the lock is not needed
        stretto::pages::Quiet quiet;
    };
    static inline pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static inline constinit thread_local bool quietly = false; //!< it is held, and no signal comes in
    static thread_local sigset_t before_quiet;                 //!< the signals that were held back before
};

//! \brief A function of the program's is called: it may call MPI, and use what is guarded. The lock, if this thread has it, is free meanwhile.
class LaidDown {
public:
    LaidDown() {
        if (had) Guard::lay_down();
    }
    ~LaidDown() {
        if (had) Guard::take_up();
    }
    LaidDown(const LaidDown &) = delete;
    LaidDown &operator=(const LaidDown &) = delete;

private:
    const bool had = Guard::mine;
};

//! Looks that bring nothing, after which a thread that waits lets another, or another rank, have the core. Where the library does so sooner in its own
//! calls, as it may be told to where ranks outnumber cores, so do we.
constexpr unsigned most_looks_before_yield = 64;
inline unsigned looks_before_yield = most_looks_before_yield;

//! \brief Between two looks.
class Patience {
public:
    void pause();

private:
    unsigned looks = 0;
};

//! May the library block this thread? Only when nothing of ours would wait for it, and no other thread can begin something meanwhile.
inline bool may_block() {
    return tasks == 0 && !Guard::multiple;
}

//! How many threads the library may be blocking all the same. None of them sees to what another makes ready meanwhile: it leaves at once.
inline std::atomic<unsigned> blocked = 0;
inline constinit thread_local unsigned blocked_here = 0;

//! \brief A call that the library may block in, from before its hand-over (protocol rule 8) to its end.
class Blocked {
public:
    Blocked() { blocked++, blocked_here++; }
    ~Blocked() { blocked--, blocked_here--; }
    Blocked(const Blocked &) = delete;
    Blocked &operator=(const Blocked &) = delete;
};

//! This thread has left calls by a jump: from now on it waits, and is blocked, only so often.
void stop_looking(unsigned left);
void stop_blocking(unsigned left);

//! \brief Look until done() says so, all tasks progressing meanwhile. As often as waits() says that it has waited for something to end,
//! nothing is looked at.
template <class Done, class Waits>
void until(Done done, Waits waits) {
    const Looking looks;
    Patience patience;
    for (;;) {
        while (waits()) {
        }
        {
            Guard guard;
            if (done()) return;
            if (tasks) poll();
        }
        patience.pause();
    }
}

template <class Done>
void until(Done done) {
    until(done, [] { return false; });
}

} // namespace stretto::progress
