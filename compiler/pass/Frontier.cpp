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

const SCEV *Frontier::bound(const SCEV *expression, bool above) {
    if (const auto *sum = dyn_cast<SCEVAddExpr>(expression)) {
        SmallVector<const SCEV *, 4> operands;
        for (const SCEV *operand : sum->operands()) operands.push_back(bound(operand, above));
        return evolution.getAddExpr(operands);
    }
    if (const auto *product = dyn_cast<SCEVMulExpr>(expression); product && product->getNumOperands() == 2)
        if (const auto *factor = dyn_cast<SCEVConstant>(product->getOperand(0)))
            return evolution.getMulExpr(factor,
                                        bound(product->getOperand(1), above != factor->getAPInt().isNegative()));
    if (!isa<SCEVSMinExpr, SCEVSMaxExpr>(expression)) return expression;
    SmallVector<const SCEV *, 4> operands;
    for (const SCEV *operand : cast<SCEVNAryExpr>(expression)->operands()) operands.push_back(bound(operand, above));
    // No operand is less than the least one.
    const auto *linear = find_if(operands, [](const SCEV *operand) { return isa<SCEVAddRecExpr>(operand); });
    if (isa<SCEVSMinExpr>(expression) == above) return linear == operands.end() ? expression : *linear;
    auto outermost = above ? CmpInst::ICMP_SGE : CmpInst::ICMP_SLE;
    for (const SCEV *one : operands)
        if (all_of(operands, [&](const SCEV *other) {
                return one == other || evolution.isKnownPredicate(outermost, one, other);
            }))
            return one;
    return expression;
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
        if (isa<SCEVCouldNotCompute>(last)) { // it may be left early: no more often than its other exits say
            last = evolution.getSymbolicMaxBackedgeTakenCount(inner);
            const auto *bytes = dyn_cast<SCEVConstant>(step);
            // Of a larger number, which nobody means to reach, the address might wrap.
            if (isa<SCEVCouldNotCompute>(last) || !bytes || bytes->getAPInt().abs().getActiveBits() > 20 ||
                evolution.getUnsignedRangeMax(evolution.applyLoopGuards(last, inner)).getActiveBits() > 32)
                return nullptr;
        }
        last = bound(last, /*above=*/true); // a tile may be cut off by the end
        address = recurrence->evaluateAtIteration(evolution.getTruncateOrZeroExtend(last, step->getType()), evolution);
    }
}

} // namespace stretto::compiler
