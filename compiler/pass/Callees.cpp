#include "Callees.h"
#include "Calls.h"
#include "Effects.h"
#include "Trial.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace stretto::compiler {

bool may_be_inlined(const CallBase &call) {
    const Function *callee = call.getCalledFunction();
    // A definition that the linker may replace says nothing of what will run.
    return callee && !callee->isDeclaration() && !callee->isInterposable() && !call.isNoInline() &&
           !callee->hasFnAttribute(Attribute::NoInline) && !callee->hasOptNone();
}

// A function of some size at most, with a loop perhaps, which does not call itself.
static bool is_small(const Function &callee) {
    constexpr unsigned most = 4000;
    return callee.size() > 1 && callee.getInstructionCount() <= most &&
           none_of(instructions(callee), [&](const Instruction &instruction) {
               const auto *call = dyn_cast<CallBase>(&instruction);
               return call && call->getCalledFunction() == &callee;
           });
}

// Is it given one of these messages?
static bool is_given(const CallBase &call, ArrayRef<CallBase *> messages) {
    return any_of(messages, [&](const CallBase *message) {
        const Value *object = getUnderlyingObject(message->getArgOperand(MpiCall::buffer), 0);
        return any_of(call.args(), [&](const Use &argument) {
            return argument->getType()->isPointerTy() && is_taken_for(getUnderlyingObject(argument, 0), object);
        });
    });
}

static bool inline_one(CallBase &call) {
    InlineFunctionInfo how;
    return InlineFunction(call, how, /*MergeAttributes=*/true).isSuccess();
}

bool inline_callees(Function &function, ArrayRef<CallBase *> messages, FunctionAnalysisManager &manager,
                    Splits splits) {
    constexpr unsigned most = 16; // calls that are tried: each costs as much as the function
    SmallVector<CallBase *, 8> calls;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallInst>(&instruction);
        if (!call || isa<IntrinsicInst>(call) || !may_be_inlined(*call)) continue;
        Function &callee = *call->getCalledFunction();
        if (calls.size() < most && &callee != &function && is_small(callee) && is_given(*call, messages) &&
            isInlineViable(callee).isSuccess() && AttributeFuncs::areInlineCompatible(function, callee) &&
            manager.getResult<TargetIRAnalysis>(function).areInlineCompatible(&function, &callee))
            calls.push_back(call);
    }
    if (calls.empty()) return false;
    bool changed = false;
    SmallVector<bool, 8> now = Trial(function, messages, manager).result(splits);
    for (CallBase *call : calls) {
        if (all_of(now, [](bool is_split) { return is_split; })) break;
        Trial trial(function, messages, manager);
        if (!inline_one(*trial.of(call))) continue;
        SmallVector<bool, 8> then = trial.result(splits);
        if (!is_better(now, then) || !inline_one(*call)) continue;
        manager.invalidate(function, PreservedAnalyses::none());
        now = then;
        changed = true;
    }
    return changed;
}

} // namespace stretto::compiler
