#pragma once
#include "pages/fault.h"

#include <cstdint>
#include <string>
#include <vector>

//! \brief From addresses to lines of source.
namespace stretto::source {

//! Before of_the_program() means anything: which objects are not the program. Once is enough.
void start();

//! Before a function of the program's is called that may throw through frames of ours. Once is enough.
void let_exceptions_pass();

//! Fortran's calls come out of the MPI library's own wrappers: the return address of the call that the program made.
const void *of_the_program(const void *call);

//! The call that the program is in, not of MPI: its last instruction.
const void *of_the_program();

//! The instruction that made this access; of a libc function that copies, the call of it.
const void *of_the_program(const pages::fault::Access &access);

//! \brief An instruction, as every rank names it that has loaded the same object.
struct Place {
    std::string object; //!< path
    std::uint64_t offset = 0;
    std::string symbol; //!< that it is in, if the object tells
    auto operator<=>(const Place &) const = default;
};

Place place(const void *instruction);

//! \brief A function, and the line of it that an instruction is on: "/src/solver.c:214".
struct Frame {
    std::string function; //!< as the object names it, or empty
    std::string line;
};

//! What a compiler said of a call, which returns there: for where there is no debug information. Under the lock.
void known(const void *return_address, Frame frame);

//! For each offset into an object the function that it is in and, where that is inlined, those that it is inlined into, innermost first.
//! None where nothing is known of it. One process (addr2line) for many.
std::vector<std::vector<Frame>> frames(const std::string &object, const std::vector<std::uint64_t> &offsets);

//! "solver+0x1f3 (assemble)": where there is no line.
std::string text(const Place &place);

//! The line, or that.
std::string describe(const Place &place);

} // namespace stretto::source
