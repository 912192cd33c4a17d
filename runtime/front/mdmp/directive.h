// A directive of the program (include/stretto/mdmp.h), as messages name it.
#pragma once
#include "mpi/library.h"
#include "trace/failure.h"

#define STRETTO_MDMP_CALLS // only what a compiler calls is used
#include <stretto/mdmp.h>
#undef STRETTO_MDMP_CALLS

#include <cstdint>
#include <string>

namespace stretto::front::mdmp {

//! \brief Which directive it is, by its name in the program.
struct Directive {
    const char *name; //!< "send"
    const stretto_directive &given;

    //! "send(old[1][1])"
    std::string written() const;
    //! "jacobi.c:14"
    std::string line() const;
    //! Its own in this process.
    std::uint32_t number() const;
};

//! "send(old[1][1])"; without a text "send".
std::string written(const char *name, const char *text);
//! "jacobi.c:14"
std::string line_of(const char *file, unsigned line);

//! End the job: this directive is wrong. Whatever the error handler of its communicator is, since a directive returns nothing.
[[noreturn]] void fail(const Directive &directive, const std::string &text);

//! As fail(), where MPI's own call did not succeed.
void check(const Directive &directive, int error);

//! A directive's first use: reports name its line, also where the program has no debug information. site: where its call returns to.
Directive introduce(const char *name, stretto_directive &given, CallSite site);

} // namespace stretto::front::mdmp
