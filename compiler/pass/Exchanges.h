/// MPI_Sendrecv, taken apart so that each of its halves may be split.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace stretto::compiler {

/// One call, and what stands in its place: a receive that is begun, a send, and a wait for the receive. This is what MPI_Sendrecv is (MPI 4.1,
/// 3.10: as if two threads did it).
struct Exchange {
    llvm::CallInst *whole; // out of the function
    llvm::CallInst *receive, *send;
    llvm::SmallVector<llvm::Instruction *, 12> made; // all of it, in order
    llvm::Value *result;                             // or null
};

bool is_exchange(const llvm::CallBase &call);

llvm::SmallVector<Exchange, 2> take_apart(llvm::Function &function);

/// As it was.
void put_together(Exchange &exchange);

} // namespace stretto::compiler
