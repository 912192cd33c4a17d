#pragma once
#include <string>

namespace stretto {

//! \brief Where in the program a call was made: a return address.
using CallSite = const void *;

//! "solver.c:214" where the program has debug information, else "solver+0x1f3 (assemble)".
std::string describe(CallSite site);

//! \brief End the job: something is wrong that no error handler may ignore, because data would be wrong.
//! Prints "stretto: rank R: OPERATION: TEXT (CALL; begun at SITE)" and calls what on_failure() named: MPI_Abort. The call is the one
//! that the program is in; site, where there is one, began the operation that the text is about.
[[noreturn]] void fail(const char *operation, const std::string &text, CallSite begun = nullptr);

//! The same where it is known which call it is: "stretto: rank R: OPERATION: TEXT (PLACE)".
[[noreturn]] void fail_at(const std::string &place, const std::string &operation, const std::string &text);

//! Is this thread ending the job?
inline constinit thread_local bool failing = false;

//! Somebody may know more of what is wrong: this is called first, and may fail itself. One function.
void before_failure(void (*look)());

//! Who we are, and how a job is ended: said once, by mpi/.
void on_failure(int rank, void (*end_job)());

//! "bytes 4096..8191"
std::string bytes(std::size_t begin, std::size_t end);

} // namespace stretto
