#include "Frontier.h"

using namespace llvm;

namespace stretto::compiler {

void Frontier::check_positive(const SCEV *step) {
    if (!is_contained(plan.must_be_positive, step)) plan.must_be_positive.push_back(step);
}

Direction Frontier::direction(const SCEV *step) {
    if (evolution.isKnownPositive(step)) return Direction::ascending;
    if (evolution.isKnownNonPositive(step)) return Direction::descending;
    // The row length n of a[i*n + j] is 8 * n; of a loop that counts i down it is -8 * n.
    const auto *product = dyn_cast<SCEVMulExpr>(step);
    const auto *factor = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    bool looks_negative = factor && factor->getAPInt().isNegative();
    check_positive(looks_negative ? evolution.getNegativeSCEV(step) : step);
    return looks_negative ? Direction::descending : Direction::ascending;
}

const SCEV *Frontier::extreme(const SCEV *address, bool lowest, Over over) {
    for (;;) {
        const auto *recurrence = dyn_cast<SCEVAddRecExpr>(address);
        if (!recurrence) {
            // (zext i32 {0,+,columns}<loop> to i64): a recurrence, provided that the 32 bits do not wrap. To check that, the number of
            // iterations is needed.
            if (evolution.isLoopInvariant(address, plan.loop) || !plan.counted) return address;
            recurrence = evolution.convertSCEVToAddRecWithPredicates(address, plan.loop, plan.must_hold);
            if (!recurrence) return address;
            address = recurrence;
        }
        // Recurrences are nested with the innermost loop outside: {{a,+,row}<i>,+,8}<j>.
        const Loop *inner = recurrence->getLoop();
        bool runs_through = over == Over::loop ? !inner->contains(plan.loop->getLoopPreheader())
                                               : inner != plan.loop && plan.loop->contains(inner);
        if (!runs_through) return address;
        if (!recurrence->isAffine()) return nullptr;
        const SCEV *step = recurrence->getStepRecurrence(evolution);
        if ((direction(step) == Direction::ascending) == lowest) {
            address = recurrence->getStart();
            continue;
        }
        const SCEV *last = evolution.getBackedgeTakenCount(inner);
        if (isa<SCEVCouldNotCompute>(last)) return nullptr;
        address = recurrence->evaluateAtIteration(evolution.getTruncateOrZeroExtend(last, step->getType()), evolution);
    }
}

} // namespace stretto::compiler
