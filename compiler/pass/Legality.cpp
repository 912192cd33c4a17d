#include "Legality.h"
#include "Options.h"

using namespace llvm;

namespace stretto::compiler {

std::optional<Plan> Legality::check(CallBase &call, const MpiCall &mpi, const Plans &others, Refusal &why) {
    Plan plan;
    plan.call = &call;
    plan.mpi = &mpi;
    return is_allowed(plan, others, why) ? std::optional(std::move(plan)) : std::nullopt;
}

bool Legality::allows(Plan &plan, Refusal &why) {
    return is_allowed(plan, {}, why);
}

bool Legality::is_allowed(Plan &plan, const Plans &others, Refusal &why) {
    if (known.function.callsFunctionThatReturnsTwice())
        return refuse(why, "the function calls setjmp", {}, "move the send or the receive into a function of its own");
    return plan.is_send() ? check_send(plan, others, why) : check_receive(plan, others, why);
}

// --- loops ----------------------------------------------------------------------------------------------------------------------------

SmallVector<CallBase *, 2> Legality::calls_with_request(const CallBase &call,
                                                        const WaitCall *lookup_such(const CallBase &)) const {
    SmallVector<CallBase *, 2> found;
    const Value *request = call.getArgOperand(lookup(call)->request);
    const Loop *around = known.loops.getLoopFor(call.getParent());
    SmallVector<BasicBlock *, 1> from{const_cast<BasicBlock *>(call.getParent())};
    const Blocks after = forward(from, nullptr, {});
    for (BasicBlock &block : known.function)
        for (Instruction &instruction : block) {
            auto *other = dyn_cast<CallBase>(&instruction);
            const WaitCall *mpi = other ? lookup_such(*other) : nullptr;
            if (mpi && effects.are_taken_for_one(other->getArgOperand(mpi->requests), request) &&
                (!around || around->contains(&block)) && after.contains(&block))
                found.push_back(other);
        }
    // Of several requests in one array another one is not meant.
    const SCEV *place = known.evolution.getSCEV(const_cast<Value *>(request));
    erase_if(found, [&](const CallBase *other) {
        const WaitCall &mpi = *lookup_such(*other);
        const SCEV *its = known.evolution.getSCEV(other->getArgOperand(static_cast<unsigned>(mpi.requests)));
        const auto *distance = dyn_cast<SCEVConstant>(known.evolution.getMinusSCEV(its, place));
        return mpi.count < 0 && distance && !distance->isZero();
    });
    return found;
}

ArrayRef<Loop *> Legality::loops_beside(const CallBase &call) const {
    if (const Loop *around = known.loops.getLoopFor(call.getParent())) return around->getSubLoops();
    return known.loops.getTopLevelLoops();
}

bool Legality::touches_message(const Loop &loop, const Plan &plan) const {
    return any_of(loop.blocks(), [&](BasicBlock *block) {
        return any_of(*block, [&](Instruction &one) { return touches(one, plan) == Touch::yes; });
    });
}

Touch Legality::touches(Instruction &instruction, const Plan &plan) const {
    Touch touch = effects.touches(instruction, plan.buffer(), of(plan));
    if (touch != Touch::yes) return touch;
    SmallVector<Access, 2> all = effects.accesses(instruction);
    bool all_outside =
        !all.empty() && all_of(all, [&](const Access &access) { return lies_outside(access, instruction, plan); });
    return all_outside ? Touch::no : touch;
}

// Several messages in one array: an access to another part of it is none to this message, where that can be proved.
bool Legality::lies_outside(const Access &access, const Instruction &instruction, const Plan &plan) const {
    ScalarEvolution &evolution = known.evolution;
    if (plan.mpi->collective || plan.start) return false; // it may be started with another count from the same buffer
    unsigned size = element_bytes(*plan.call);
    if (!size || plan.mpi->fortran) return false;
    Type *wide = Type::getInt64Ty(known.function.getContext());
    const SCEV *count = evolution.getSCEV(plan.call->getArgOperand(MpiCall::count));
    // A count is not negative, so both are right, and LLVM knows one or the other.
    const SCEV *counts[] = {evolution.getNoopOrSignExtend(count, wide), evolution.getNoopOrZeroExtend(count, wide)};
    const SCEV *buffer = evolution.getSCEV(plan.buffer());

    Plan scratch; // of all loops around the access that are not around the call
    for (Loop *loop = known.loops.getLoopFor(instruction.getParent());
         loop && !loop->contains(plan.opens_at().getParent()); loop = loop->getParentLoop())
        scratch.loop = loop;
    const SCEV *address = evolution.getSCEV(access.pointer), *low = address, *high = address;
    if (scratch.loop) {
        if (!scratch.loop->getLoopPreheader()) return false;
        Frontier frontier(evolution, scratch);
        low = frontier.extreme(address, true, Frontier::Over::loop);
        high = frontier.extreme(address, false, Frontier::Over::loop);
        if (!scratch.must_be_positive.empty()) return false;
    }
    auto is_beyond = [&](const SCEV *one, const SCEV *other) {
        const SCEV *distance = evolution.getMinusSCEV(one, other);
        if (isa<SCEVCouldNotCompute>(distance)) return false;
        if (scratch.loop) distance = evolution.applyLoopGuards(distance, scratch.loop);
        return evolution.isKnownNonNegative(distance);
    };
    if (high && is_beyond(buffer, evolution.getAddExpr(high, access.bytes))) return true;
    return low && any_of(counts, [&](const SCEV *elements) {
               const SCEV *bytes = evolution.getMulExpr(elements, evolution.getConstant(wide, size));
               return is_beyond(low, evolution.getAddExpr(buffer, bytes));
           });
}

bool Legality::check_shape(Plan &plan, Refusal &why) {
    Loop &loop = *plan.loop;
    DebugLoc start = loop.getStartLoc();
    const BasicBlock *latch = loop.getLoopLatch();
    if (!loop.isLoopSimplifyForm() || !latch || !isa<BranchInst>(latch->getTerminator()))
        return refuse(why, "the loop is made of jumps that are no loop of the language", start);
    const SCEV *turns = known.evolution.getBackedgeTakenCount(&loop);
    plan.counted = loop.getExitingBlock() == latch && !isa<SCEVCouldNotCompute>(turns) && loop.getExitBlock() &&
                   values.is_expandable(turns, plan);
    return true;
}

// A message of less than a strip would leave at its end anyway.
bool Legality::check_length(Plan &plan, Refusal &why) {
    unsigned turns = known.evolution.getSmallConstantTripCount(plan.loop);
    if (!turns) return true;
    std::uint64_t longest = 0;
    for (const Mark &mark : plan.marks) {
        const auto *step = dyn_cast<SCEVConstant>(mark.address->getStepRecurrence(known.evolution));
        if (!step) return true;
        longest = std::max(longest, turns * step->getAPInt().abs().getLimitedValue(UINT32_MAX));
    }
    constexpr std::uint64_t least =
        16 << 10; // of what the runtime takes apart (STRETTO_THRESHOLD), where it says how long strips are
    if (longest >= (options::strip_bytes() ? options::strip_bytes() + 1 : least)) return true;
    return refuse(why, "the loop is over within one strip: " + std::to_string(longest) + " bytes",
                  plan.loop->getStartLoc());
}

// --- marks and checks -----------------------------------------------------------------------------------------------------------------

Legality::Marked Legality::add_marks(Instruction &instruction, Plan &plan, Refusal &why) {
    const DebugLoc &line = instruction.getDebugLoc();
    ScalarEvolution &evolution = known.evolution;
    Frontier frontier(evolution, plan);
    auto no = [&](std::string reason, std::string advice) {
        refuse(why, std::move(reason), line, std::move(advice));
        return Marked::no;
    };
    const char *what = plan.is_send() ? "the store" : "the access";
    const char *in_order = plan.is_send() ? "fill the message in order, from one end to the other" : read_in_order;
    SmallVector<Access, 2> all = effects.accesses(instruction);
    if (all.empty()) return no("the message begins or ends its life in the loop", "declare it outside the loop");
    for (const Access &access : all) {
        if (plan.is_send() ? !access.writes : !effects.are_taken_for_one(access.pointer, plan.buffer())) continue;
        if (!add_comparison(access.pointer, plan))
            return no("the pointer to the message is read again in the loop", "copy it into a variable first");
        const SCEV *address = evolution.getSCEV(access.pointer);
        const SCEV *lowest = frontier.extreme(address, true);
        if (lowest && evolution.isLoopInvariant(lowest, plan.loop)) {
            refuse(why,
                   plan.is_send() ? "each iteration writes the same part of the message again"
                                  : "each iteration reads the same part of the message",
                   line, plan.is_send() ? "send inside the outer loop, or fill the message in one sweep" : in_order);
            return Marked::same_part;
        }
        std::string not_linear = std::string("the address of ") + what + " is no linear function of the loop's counter";
        const auto *recurrence = dyn_cast_or_null<SCEVAddRecExpr>(lowest);
        if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())
            return no(not_linear, in_order);

        Direction direction = frontier.direction(recurrence->getStepRecurrence(evolution));
        if (plan.direction && plan.direction != direction)
            return no("the loop goes through the message upwards and downwards", in_order);
        plan.direction = direction;
        if ((direction == Direction::ascending) != plan.is_send()) { // the other edge counts: one past the highest byte
            const SCEV *highest = frontier.extreme(address, false), *bytes = access.bytes;
            // Of a copy that was made a loop the last strip has fewer bytes; what lies behind the message is not waited for.
            if (isa<SCEVUMinExpr>(bytes)) bytes = evolution.getConstant(evolution.getUnsignedRangeMax(bytes));
            if (highest && !evolution.isLoopInvariant(bytes, plan.loop)) highest = nullptr;
            recurrence = dyn_cast_or_null<SCEVAddRecExpr>(highest ? evolution.getAddExpr(highest, bytes) : nullptr);
            if (!recurrence || recurrence->getLoop() != plan.loop || !recurrence->isAffine())
                return no(not_linear, in_order);
            if (frontier.direction(recurrence->getStepRecurrence(evolution)) != direction)
                return no(not_linear, in_order);
        }
        if (!values.is_expandable(recurrence->getStart(), plan) ||
            !values.is_expandable(recurrence->getStepRecurrence(evolution), plan))
            return no(std::string("the address of ") + what + " is not known before the loop",
                      "compute it before the loop");
        plan.marks.push_back({recurrence, &instruction});
    }
    return Marked::yes;
}

// A pointer that is only taken to point into the message.
bool Legality::add_comparison(const Value *pointer, Plan &plan) {
    Value *object = const_cast<Value *>(effects.object(pointer)),
          *message = const_cast<Value *>(effects.object(plan.buffer()));
    if (object == message) return true;
    const Instruction *before = plan.loop->getLoopPreheader()->getTerminator();
    if (!plan.is_send() && !known.dominators.dominates(cast<LoadInst>(object), before)) return false;
    if (plan.is_send() && !(values.before_loop(object, plan, Emit::no) && values.before_loop(message, plan, Emit::no)))
        return false;
    if (!is_contained(plan.must_be_same, std::pair(object, message))) plan.must_be_same.push_back({object, message});
    return true;
}

// Marks of all accesses to the message in plan.loop.
Legality::Marked Legality::mark_loop(Plan &plan, Refusal &why) {
    for (BasicBlock *block : plan.loop->blocks())
        for (Instruction &instruction : *block) {
            if (touches(instruction, plan) != Touch::yes) continue;
            if (Marked marked = add_marks(instruction, plan, why); marked != Marked::yes) return marked;
        }
    return Marked::yes;
}

// Another access may meet the message. If its extent is known before the loop the program can compare.
bool Legality::add_runtime_check(Instruction &instruction, Plan &plan, Of of) {
    SmallVector<Access, 2> all = effects.accesses(instruction);
    if (all.empty()) return false;
    for (const Access &access : all) {
        if ((!access.writes && of == Of::writes) || effects.are_taken_for_one(access.pointer, plan.buffer()) ||
            effects.are_apart(access.pointer, plan.buffer())) // marks, not checks, deal with the message itself
            continue;
        std::optional<Range> range = values.range_of(access, plan);
        if (!range) return false;
        if (none_of(plan.must_be_disjoint,
                    [&](const Range &other) { return other.low == range->low && other.high == range->high; }))
            plan.must_be_disjoint.push_back(*range);
    }
    return true;
}
} // namespace stretto::compiler
