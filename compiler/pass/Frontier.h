/// The frontier of a message: which address an iteration of a loop touches at most, or at least.
#pragma once

#include "Plan.h"

namespace stretto::compiler {

/// What its answers rest upon is added to the plan's checks at run time.
class Frontier {
public:
    Frontier(llvm::ScalarEvolution &evolution, Plan &plan) : evolution(evolution), plan(plan) {}

    enum class Over {
        iteration, // of plan.loop: a function of its counter
        loop,      // all iterations of all loops that do not contain plan.loop
    };
    /// The lowest (or highest) value that an address takes, or one beyond. Null: not known.
    const llvm::SCEV *extreme(const llvm::SCEV *address, bool lowest, Over over = Over::iteration);

    /// Does a step go up or down? Where nobody knows it is taken to go the way that it looks, and compared at run time.
    Direction direction(const llvm::SCEV *step);

private:
    /// Linear where the expression is one or the other of several: nowhere less than it (above), or nowhere more. Or the expression itself.
    const llvm::SCEV *bound(const llvm::SCEV *expression, bool above);
    void check_positive(const llvm::SCEV *step);

    llvm::ScalarEvolution &evolution;
    Plan &plan;
};

} // namespace stretto::compiler
