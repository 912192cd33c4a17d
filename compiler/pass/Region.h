/// Regions of the flow graph: what may run after a loop and before a call. No region crosses the header of a loop that is around both,
/// for example of the time steps: it stays within one turn.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"

namespace stretto::compiler {

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

/// All that can run from these blocks on, without a step beyond `stop` and without entering a block of `barriers`.
Blocks forward(llvm::ArrayRef<llvm::BasicBlock *> from, const llvm::BasicBlock *stop, const Blocks &barriers);

/// All from where `to` can be reached, without a step beyond a block of `barriers`.
Blocks backward(const llvm::BasicBlock *to, const Blocks &barriers);

/// From where on what a call opens is open: an invoke that throws has not begun anything.
llvm::BasicBlock *after_call(llvm::CallBase &call);

/// The header of this loop; of null, none.
Blocks header_of(const llvm::Loop *loop);

/// The headers of all loops around this one.
Blocks headers_around(const llvm::Loop *loop);

llvm::SmallVector<llvm::BasicBlock *, 4> exits_of(const llvm::Loop &loop);

/// Blocks after the loop from which the call is reached, with the call's own; and their instructions before the call.
Blocks blocks_between(const llvm::Loop &loop, const llvm::CallBase &call);
llvm::SmallVector<llvm::Instruction *, 32> between(const llvm::Loop &loop, llvm::CallBase &call);

} // namespace stretto::compiler
