#pragma once
#include "pages/tracker.h"
#include "range/range.h"
#include "trace/failure.h"

#include <cstddef>
#include <optional>

//! \brief From addresses to operations: whose bytes are these? Annotations name memory, not handles, so that they can stand anywhere:
//! in a callee, in Fortran, in code that a compiler made; and one range may belong to several operations. Pages name memory too: a
//! tracker says for a sender what annotations do not.
namespace stretto::trigger {

//! \brief A message on its way out that wants to know which of its bytes are final.
class Sender {
public:
    //! Bytes of the message, counted from its first.
    virtual void ready(Range range, CallSite site) = 0;

protected:
    ~Sender() = default;
};

//! \brief A message on its way in.
class Receiver {
public:
    //! Are these bytes of the message here? Looks, and does not wait.
    virtual bool arrived(Range range) = 0;

    //! The program begins to wait for some of them, or goes on.
    virtual void waits(bool) {}

protected:
    ~Receiver() = default;
};

//! What pages are asked for a sender. In a rehearsal they are watched as if all that was passed had left, but nothing leaves: so one
//! learns whether this program writes each byte once.
struct Watch {
    enum class What { nothing, rehearsal, passed } what = What::nothing;
    bool carefully = false; //!< pages/sweep.h
    bool elsewhere =
        false; //!< its rehearsal was of memory that lies otherwise in its pages: other elements lie across their borders

    explicit operator bool() const { return what != What::nothing; }
    bool is_rehearsal() const { return what == What::rehearsal; }
};

//! What was learnt of an operation while it was open.
struct Heard {
    bool annotated = false;                       //!< some of its bytes were
    Watch watch;                                  //!< until its end, or until it was annotated
    std::size_t watched = 0;                      //!< bytes that were; none where their memory cannot be
    std::size_t passed = 0;                       //!< bytes that the tracker said were passed
    double ahead = 0;                             //!< seconds from the first of them to the end
    std::optional<pages::Tracker::Misuse> misuse; //!< a byte was written after it was passed
};

//! Watched in units of so many bytes. site: of its begin, for reports.
void enter(const void *buffer, std::size_t bytes, Sender &sender, Watch watch = {}, std::size_t unit = 0,
           CallSite site = nullptr);
Heard leave(Sender &sender);
void enter(const void *buffer, std::size_t bytes, Receiver &receiver);
void leave(Receiver &receiver);

//! These bytes are final: tell every sender that has some of them. Returns how many of them no sender has.
std::size_t ready(const void *address, std::size_t bytes, CallSite site);

//! Tell the senders whose pages are watched what their program has written and passed.
void pass_on();

//! Have those of these bytes that belong to receivers arrived? Looks, and does not wait.
bool arrived(const void *address, std::size_t bytes);

//! The program begins to wait for some of these bytes, or goes on.
void waits(const void *address, std::size_t bytes, bool begins);

} // namespace stretto::trigger
