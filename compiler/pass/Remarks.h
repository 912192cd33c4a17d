/// What the user sees: -Rpass=stretto, -Rpass-missed=stretto. Each MPI call in the source gets exactly one remark.
#pragma once

#include "Plan.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"

namespace stretto::compiler {

/// One decision, and where it was made.
struct Made {
    Decision decision;
    llvm::Function *function; // that holds the call now
    llvm::DebugLoc line;
};

/// Copies of one call, as inlining makes them, become one; what was done for one of them counts. In the order of the source.
std::vector<Made> one_for_each_call(std::vector<Made> all);

/// For people, in one sentence.
std::string text(const Decision &decision);

void remark(llvm::OptimizationRemarkEmitter &emitter, const Made &made);

} // namespace stretto::compiler
