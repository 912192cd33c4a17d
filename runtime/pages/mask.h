#pragma once
#include <csignal>

//! \brief The program's masks of signals, without those that tell of watched memory.
//!
//! Where SIGSEGV, SIGBUS or SIGSYS is blocked the kernel ends the process instead of telling. So what blocks them (sigprocmask,
//! pthread_sigmask, sigsuspend, a handler's sa_mask) leaves them out, and who asks for a mask is told what it had set.
namespace stretto::pages::mask {

//! The program's mask for the kernel: what it may not block is left out.
sigset_t without_ours(const sigset_t &mask);
bool blocks_ours(const sigset_t &mask);

//! Who changes a mask: the program, or libc, which blocks all signals for a moment, and undoes that maybe unseen. Our own functions of these
//! names ask as libc does.
enum class Whose : bool { programs, libcs };

//! As sigprocmask() would change `kernels` for this thread. Returns what the program's own mask was; for libc, what the kernel's was.
sigset_t change(int how, const sigset_t *mask, sigset_t &kernels, Whose whose);

//! Is this signal blocked in the eyes of this thread?
bool hides(int signal);

//! \brief While we call the program's handler of a signal of ours: it has the mask that the kernel would have set, in its own eyes. It may leave by a
//! jump: then that mask stays, as it would (jumps()).
class InHandler {
public:
    //! mask: what the program means to be blocked, besides what it blocks already. tells_kernel: not only us.
    InHandler(const sigset_t &interrupted, const sigset_t &mask, bool tells_kernel);
    //! The handler returns to this mask, in which it may have blocked ours.
    void returns_to(sigset_t &interrupted) const;

private:
    unsigned was_hidden;
};

//! What this thread blocks in its own eyes of ours, a bit each: a thread that it makes begins with that.
unsigned hidden_here();
void begins_with(unsigned hidden);

//! In a forked child the program's masks are the kernel's.
void in_child();

//! The program's whole mask in this thread, for a child. False: it is the kernel's.
bool differs(sigset_t &programs);

//! A jump restores this mask.
void jumps(const sigset_t &saved);

//! This thread may have been made, or have blocked them, before anybody saw it.
void unblock_ours();

//! STRETTO=off: all masks are the program's.
bool applies();

} // namespace stretto::pages::mask
