#include "Values.h"
#include "Frontier.h"
#include "Region.h"

#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stretto::compiler {

static Instruction *end_of_preheader(const Plan &plan) {
    return plan.loop->getLoopPreheader()->getTerminator();
}

bool Values::is_expandable(const SCEV *expression, const Plan &plan) const {
    Expander expander(known.evolution);
    if (expander.isSafeToExpandAt(expression, end_of_preheader(plan))) return true;
    if (!plan.is_send() || !expander.isSafeToExpand(expression)) return false;
    return !SCEVExprContains(expression, [&](const SCEV *part) {
        if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part))
            return !recurrence->getLoop()->contains(plan.loop->getLoopPreheader());
        const auto *unknown = dyn_cast<SCEVUnknown>(part);
        return unknown && !before_loop(unknown->getValue(), plan, Emit::no);
    });
}

namespace {

struct Early : SCEVRewriteVisitor<Early> {
    Early(ScalarEvolution &evolution, const Values &values, const Plan &plan)
        : SCEVRewriteVisitor(evolution), values(values), plan(plan) {}
    const SCEV *visitUnknown(const SCEVUnknown *unknown) {
        Value *value = values.before_loop(unknown->getValue(), plan, Emit::yes);
        return value == unknown->getValue() ? unknown : SE.getSCEV(value);
    }
    const Values &values;
    const Plan &plan;
};

} // namespace

const SCEV *Values::early(const SCEV *expression, const Plan &plan) const {
    if (Expander(known.evolution).isSafeToExpandAt(expression, end_of_preheader(plan))) return expression;
    return Early(known.evolution, *this, plan).visit(expression);
}

std::optional<Range> Values::range_of(const Access &access, Plan &plan) const {
    Frontier frontier(known.evolution, plan);
    const SCEV *address = known.evolution.getSCEV(access.pointer);
    const SCEV *low = frontier.extreme(address, true, Frontier::Over::loop);
    const SCEV *high = frontier.extreme(address, false, Frontier::Over::loop);
    if (!low || !high || !is_expandable(low, plan) || !is_expandable(high, plan) || !is_expandable(access.bytes, plan))
        return std::nullopt;
    return Range{low, known.evolution.getAddExpr(high, access.bytes)};
}

Value *Values::before_loop(Value *value, const Plan &plan, Emit emit) const {
    Instruction *before = end_of_preheader(plan);
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || known.dominators.dominates(instruction, before)) return value;
    if (auto *phi = dyn_cast<PHINode>(instruction)) return phi_before(*phi, plan, emit);
    if (auto *load = dyn_cast<LoadInst>(instruction)) return load_before(*load, plan, emit);
    bool is_pure = isa<BinaryOperator, CastInst, GetElementPtrInst, SelectInst, CmpInst, FreezeInst>(instruction);
    if (!is_pure || !isSafeToSpeculativelyExecute(instruction)) return nullptr;
    SmallVector<Value *, 4> operands;
    for (Value *operand : instruction->operands()) {
        Value *early = before_loop(operand, plan, emit);
        if (!early) return nullptr;
        operands.push_back(early);
    }
    if (emit == Emit::no) return value;
    Instruction *clone = instruction->clone();
    for (unsigned n = 0; n < operands.size(); ++n) clone->setOperand(n, operands[n]);
    clone->dropPoisonGeneratingFlags(); // it may now be computed where the call is not reached
    return IRBuilder<>(before).Insert(clone);
}

// The call is reached from the loop: so the phi has the value of an edge that is reached from the loop. With one such value it is known.
Value *Values::phi_before(PHINode &phi, const Plan &plan, Emit emit) const {
    const BasicBlock *block = phi.getParent();
    const Loop *around = known.loops.getLoopFor(block);
    if (plan.loop->contains(block) || (around && around->getHeader() == block)) return nullptr;
    Blocks after = forward(exits_of(*plan.loop), nullptr, headers_around(plan.loop));
    Value *only = nullptr;
    for (unsigned edge = 0; edge < phi.getNumIncomingValues(); ++edge) {
        const BasicBlock *from = phi.getIncomingBlock(edge);
        if (!after.contains(from) && !plan.loop->contains(from)) continue;
        if (only && only != phi.getIncomingValue(edge)) return nullptr;
        only = phi.getIncomingValue(edge);
    }
    return only ? before_loop(only, plan, emit) : nullptr;
}

// A part of an object of which the program reads or writes other parts by then, below it and above it: a member between two members.
bool Values::lies_between_accesses(const LoadInst &load, const Instruction *before) const {
    const DataLayout &layout = known.function.getParent()->getDataLayout();
    auto place = [&](const Value *pointer, std::int64_t &offset) {
        APInt constant(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
        const Value *base = pointer->stripAndAccumulateConstantOffsets(layout, constant, /*AllowNonInbounds=*/false);
        offset = constant.getSExtValue();
        return base;
    };
    std::int64_t offset, other;
    const Value *base = place(load.getPointerOperand(), offset);
    bool is_below = false, is_above = false;
    for (BasicBlock &block : known.function)
        for (Instruction &instruction : block) {
            const Value *pointer = getLoadStorePointerOperand(&instruction);
            if (!pointer || place(pointer, other) != base || !known.dominators.dominates(&instruction, before))
                continue;
            const auto bytes = layout.getTypeStoreSize(getLoadStoreType(&instruction)).getKnownMinValue();
            is_below |= other <= offset;
            is_above |= other + static_cast<std::int64_t>(bytes) >=
                        offset + static_cast<std::int64_t>(layout.getTypeStoreSize(load.getType()).getKnownMinValue());
        }
    return is_below && is_above;
}

Value *Values::load_before(LoadInst &load, const Plan &plan, Emit emit) const {
    Instruction *before = end_of_preheader(plan);
    if (!load.isSimple() || plan.loop->contains(&load)) return nullptr;
    // It must be executed anyway, or be harmless; and nothing up to it may write there.
    if (!known.post_dominators.dominates(load.getParent(), before->getParent()) &&
        !isSafeToSpeculativelyExecute(&load, before, nullptr, &known.dominators) &&
        !lies_between_accesses(load, before))
        return nullptr;
    MemoryLocation where = MemoryLocation::get(&load); // with its type tags, by which other types are told apart
    for (BasicBlock *block : plan.loop->blocks())
        for (Instruction &instruction : *block)
            if (effects.may_write(instruction, where)) return nullptr;
    for (Instruction *instruction : between(*plan.loop, plan.opens_at()))
        if (effects.may_write(*instruction, where)) return nullptr;
    Value *pointer = before_loop(load.getPointerOperand(), plan, emit);
    if (!pointer || emit == Emit::no) return pointer;
    auto *clone = cast<LoadInst>(load.clone());
    clone->setOperand(0, pointer);
    clone->dropUnknownNonDebugMetadata({LLVMContext::MD_tbaa});
    return IRBuilder<>(before).Insert(clone);
}

// A call that is always reached reads its arguments anyway. Before a conditional one an optional argument may be absent.
bool Values::may_read_before(Value *pointer, const CallBase &call, const Plan &plan) const {
    Instruction *before = end_of_preheader(plan);
    if (known.post_dominators.dominates(call.getParent(), before->getParent())) return true;
    const DataLayout &layout = known.function.getParent()->getDataLayout();
    if (isDereferenceablePointer(pointer, Type::getInt32Ty(known.function.getContext()), layout)) return true;
    return any_of(pointer->users(), [&](User *user) {
        auto *reads = dyn_cast<Instruction>(user);
        if (!reads || reads->getFunction() != &known.function) return false;
        if (!isa<LoadInst>(reads)) { // the same call, in the turn before
            auto *other = dyn_cast<CallBase>(reads);
            if (!other || other->getCalledFunction() != call.getCalledFunction() ||
                none_of(zip(other->args(), call.args()),
                        [&](auto both) { return std::get<0>(both) == pointer && std::get<1>(both) == pointer; }))
                return false;
        }
        return known.dominators.dominates(reads, before) ||
               known.post_dominators.dominates(reads->getParent(), before->getParent());
    });
}

bool Values::is_kept_in_loop(Value *pointer, const MemoryLocation &where, unsigned bytes, Value *of_many, Plan &plan,
                             Emit emit) const {
    for (BasicBlock *block : plan.loop->blocks())
        for (Instruction &instruction : *block) {
            if (!effects.may_write(instruction, where)) continue;
            SmallVector<Access, 2> all = effects.accesses(instruction);
            bool is_early = !isa<Instruction>(pointer) ||
                            known.dominators.dominates(cast<Instruction>(pointer), end_of_preheader(plan));
            if (all.empty() || !is_early) return false;
            for (const Access &access : all) {
                std::optional<Range> written = range_of(access, plan);
                if (!written) return false;
                if (emit == Emit::no) plan.arguments_apart.push_back({pointer, bytes, of_many, *written});
            }
        }
    return true;
}

bool Values::is_kept(Value *pointer, unsigned bytes, Value *of_many, Plan &plan) const {
    MemoryLocation where = MemoryLocation::getAfter(pointer);
    for (Instruction *instruction : between(*plan.loop, plan.opens_at()))
        if (effects.may_write(*instruction, where)) return false;
    return before_loop(pointer, plan, Emit::no) && is_kept_in_loop(pointer, where, bytes, of_many, plan, Emit::no);
}

// Fortran: the argument is memory. Flang stores each constant into a temporary just before the call, so the value is either what that one
// store puts there, or what the memory already holds before the loop.
Value *Values::by_reference(Value *pointer, const CallBase &call, Plan &plan, Emit emit) const {
    Type *integer = Type::getInt32Ty(known.function.getContext());
    MemoryLocation where(pointer, LocationSize::precise(4));
    // A load of the same variable carries the type tags that tell it from the message.
    for (User *user : pointer->users())
        if (auto *load = dyn_cast<LoadInst>(user);
            load && load->getType() == integer && load->getFunction() == &known.function)
            where.AATags = load->getAAMetadata();
    if (!is_kept_in_loop(pointer, where, 4, nullptr, plan, emit)) return nullptr;
    Instruction *writer = nullptr;
    for (Instruction *instruction : between(*plan.loop, plan.opens_at())) {
        if (!effects.may_write(*instruction, where)) continue;
        if (writer) return nullptr;
        writer = instruction;
    }
    if (writer) {
        auto *store = dyn_cast<StoreInst>(writer);
        bool is_known = store && store->getPointerOperand() == pointer &&
                        store->getValueOperand()->getType() == integer && known.dominators.dominates(store, &call);
        return is_known ? before_loop(store->getValueOperand(), plan, emit) : nullptr;
    }
    if (!may_read_before(pointer, call, plan)) return nullptr;
    Value *early = before_loop(pointer, plan, emit);
    if (!early || emit == Emit::no) return early;
    return IRBuilder<>(end_of_preheader(plan)).CreateLoad(integer, early, "stretto.argument");
}

Value *Values::argument(const CallBase &call, const MpiCall &mpi, unsigned argument, Plan &plan, Emit emit) const {
    Value *value = call.getArgOperand(argument);
    return mpi.fortran && mpi.is_scalar(argument) ? by_reference(value, call, plan, emit)
                                                  : before_loop(value, plan, emit);
}

} // namespace stretto::compiler
