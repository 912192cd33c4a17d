/// Which MPI calls the pass knows, as a table and not as code.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"

#include <string>

namespace stretto::compiler {

enum class Kind { send, receive };

struct MpiCall {
    const char *name; // as the linker knows it
    Kind kind;
    bool fortran;            // arguments by reference, the last one is ierr
    unsigned arguments;      // how many
    int status, request;     // which argument; -1: it has none
    const char *begin, *end; // functions of include/stretto/abi.h

    static constexpr unsigned buffer = 0, count = 1, type = 2, peer = 3; // true of every call in the table

    int ierr() const { return fortran ? static_cast<int>(arguments) - 1 : -1; }

    /// Does the call write memory behind this argument, other than the message?
    bool is_output(unsigned argument) const {
        return llvm::is_contained({status, request, ierr()}, static_cast<int>(argument));
    }
    /// Does this argument travel to a send's begin as a value?
    bool is_scalar(unsigned argument) const { return argument != buffer && !is_output(argument); }
};

/// The entry of the table for a direct call of a known function, or null.
const MpiCall *lookup(const llvm::CallBase &call);

/// Bytes of one element of an MPI type that is known when the program is compiled; 0: it is not.
unsigned size_of_type(const llvm::Value *type);

/// The name, in MPI's spelling, of any other point-to-point operation, so that no call goes without a remark; empty: it is none.
std::string other_point_to_point(const llvm::CallBase &call);

} // namespace stretto::compiler
