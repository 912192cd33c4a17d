/// Cuts a loop into strips, with places for what is to be said before and after each.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace stretto::compiler {

struct Strips {
    llvm::Instruction *before_strip; // insert in front of it
    llvm::Value *done;               // iterations that have run when it is reached (i64)
    llvm::Value *length;             // of the strip, at most

    llvm::Instruction *after_strip;
    llvm::Value *done_next; // iterations that have run when that is reached
};

/// for (strips) { for (i in strip) body; }: for a loop whose number of iterations is known. Both numbers are at least 1, i64, and known in
/// the preheader. The loop must be in simplified form with its latch as the only exit. The function's analyses are stale afterwards.
Strips strip_mine(llvm::Loop &loop, llvm::Value *iterations, llvm::Value *per_strip);

/// The body counts its iterations and turns aside after each strip: for any loop in simplified form. A last strip that is not full, as a
/// `break` makes it, has no end.
Strips count_strips(llvm::Loop &loop, llvm::Value *per_strip);

} // namespace stretto::compiler
