/// Which MPI calls the pass knows, as a table and not as code.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

#include <cstdint>
#include <optional>
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
    unsigned memory = 0;     // a bit for each: other arguments that are memory
    bool collective = false; // one side of it: its message has not `count` elements
    bool started = false;    // a send that takes place each time its request is started

    static constexpr unsigned buffer = 0, count = 1, type = 2, peer = 3; // true of every call in the table

    /// A receive that ends where the program waits for its request.
    bool is_waited_for() const { return kind == Kind::receive && request >= 0; }

    int ierr() const { return fortran ? static_cast<int>(arguments) - 1 : -1; }

    /// Does the call write memory behind this argument, other than the message?
    bool is_output(unsigned argument) const {
        return llvm::is_contained({status, request, ierr()}, static_cast<int>(argument));
    }
    /// Does this argument travel to a send's begin as a value?
    bool is_scalar(unsigned argument) const {
        return argument != buffer && !(memory >> argument & 1) && !is_output(argument);
    }
};

/// Of the function that is called, as the linker knows it; empty: it is not known.
llvm::StringRef name_of(const llvm::CallBase &call);

/// The entry of the table for a direct call of a known function, or null.
const MpiCall *lookup(const llvm::CallBase &call);

/// A call that completes requests, all of them: MPI_Wait, MPI_Waitall. Positions of its arguments; -1: it has none.
struct WaitCall {
    const char *name;
    bool fortran;
    unsigned arguments;
    int count, requests, statuses;
};

/// The same for a wait.
const WaitCall *lookup_wait(const llvm::CallBase &call);

/// The same for a call that starts persistent requests: MPI_Start, MPI_Startall. It has no statuses.
const WaitCall *lookup_start(const llvm::CallBase &call);

/// The value of an MPI handle, or of a pointer with a meaning of its own, that is a number when the program is compiled (MPICH, standard ABI).
std::optional<std::uint64_t> constant_handle(const llvm::Value *handle);

/// Bytes of one element of an MPI type that is known when the program is compiled; 0: it is not.
unsigned size_of_type(const llvm::Value *type);

/// The same of a call in the table.
unsigned element_bytes(const llvm::CallBase &call);

/// The name, in MPI's spelling, of any other point-to-point operation, so that no call goes without a remark; empty: it is none.
std::string other_point_to_point(const llvm::CallBase &call);

} // namespace stretto::compiler
