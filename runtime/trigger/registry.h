#pragma once
#include "range/range.h"
#include "trace/failure.h"

#include <cstddef>

//! \brief From addresses to operations: whose bytes are these? Annotations name memory, not handles, so that they can stand anywhere:
//! in a callee, in Fortran, in code that a compiler made; and one range may belong to several operations.
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

protected:
    ~Receiver() = default;
};

void enter(const void *buffer, std::size_t bytes, Sender &sender);
void leave(Sender &sender);
void enter(const void *buffer, std::size_t bytes, Receiver &receiver);
void leave(Receiver &receiver);

//! These bytes are final: tell every sender that has some of them. Returns how many of them no sender has.
std::size_t ready(const void *address, std::size_t bytes, CallSite site);

//! Have those of these bytes that belong to receivers arrived? Looks, and does not wait.
bool arrived(const void *address, std::size_t bytes);

} // namespace stretto::trigger
