#pragma once

//! \brief What goes on while the library waits in a call of the program's (progress::Task::goes_on_in_native_calls): as long as there is some, the library
//! looks at it there, where it has a hook for that (mpi::waits).
namespace stretto::front::native_calls {

//! One more, and one less. Under the lock.
void begin();
void end();

//! From now on the library looks. Under the lock.
void look();

} // namespace stretto::front::native_calls
