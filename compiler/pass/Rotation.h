/// for (steps) { exchange what the last step wrote; compute; write }: the exchange goes from the top of the loop to its bottom, behind what writes its
/// messages, and once in front of the loop. Nothing is done in another order: a turn only begins elsewhere.
#pragma once

#include "Trial.h"

namespace stretto::compiler {

/// Rotates loops where that lets more messages be split. `messages`: the calls of the function that send or receive, which are then those at the
/// bottom. Needs loops in simplified form, and LCSSA.
bool rotate_loops(llvm::Function &function, llvm::ArrayRef<llvm::CallBase *> messages,
                  llvm::FunctionAnalysisManager &manager, Splits splits);

/// Was it at the top of its loop, in the source? And is it its copy in front of the loop?
bool is_rotated(const llvm::CallBase &call);
bool is_first_turn(const llvm::CallBase &call);

} // namespace stretto::compiler
