#include "Legality.h"
#include "Options.h"
#include "Region.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stretto::compiler {

static bool refuse(Refusal &why, Refusal because) {
    why = std::move(because);
    return false;
}

static bool refuse(Refusal &why, std::string reason, DebugLoc blame = {}, std::string advice = {}) {
    return refuse(why, Refusal{std::move(reason), blame, std::move(advice)});
}

std::optional<Plan> Legality::check(CallBase &call, const MpiCall &mpi, const Plans &others, Refusal &why) {
    Plan plan;
    plan.call = &call;
    plan.mpi = &mpi;
    if (known.function.callsFunctionThatReturnsTwice()) {
        refuse(why, "the function calls setjmp", {}, "move the send or the receive into a function of its own");
        return std::nullopt;
    }
    bool allowed = plan.is_send() ? check_send(plan, others, why) : check_receive(plan, others, why);
    return allowed ? std::optional(std::move(plan)) : std::nullopt;
}

// --- loops ----------------------------------------------------------------------------------------------------------------------------

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
    unsigned size = size_of_type(plan.call->getArgOperand(MpiCall::type));
    if (!size || plan.mpi->fortran) return false;
    Type *wide = Type::getInt64Ty(known.function.getContext());
    const SCEV *count = evolution.getSCEV(plan.call->getArgOperand(MpiCall::count));
    // A count is not negative, so both are right, and LLVM knows one or the other.
    const SCEV *counts[] = {evolution.getNoopOrSignExtend(count, wide), evolution.getNoopOrZeroExtend(count, wide)};
    const SCEV *buffer = evolution.getSCEV(plan.buffer());

    Plan scratch; // of all loops around the access that are not around the call
    for (Loop *loop = known.loops.getLoopFor(instruction.getParent()); loop && !loop->contains(plan.call->getParent());
         loop = loop->getParentLoop())
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
        return !isa<SCEVCouldNotCompute>(distance) && evolution.isKnownNonNegative(distance);
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
    if (longest > options::strip_bytes()) return true;
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
    const char *in_order = plan.is_send() ? "fill the message in order, from one end to the other"
                                          : "read the message in order, from one end to the other";
    SmallVector<Access, 2> all = effects.accesses(instruction);
    if (all.empty()) return no("the message begins or ends its life in the loop", "declare it outside the loop");
    for (const Access &access : all) {
        if (plan.is_send() ? !access.writes : effects.object(access.pointer) != effects.object(plan.buffer())) continue;
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
            const SCEV *highest = frontier.extreme(address, false);
            if (highest && !evolution.isLoopInvariant(access.bytes, plan.loop)) highest = nullptr;
            recurrence =
                dyn_cast_or_null<SCEVAddRecExpr>(highest ? evolution.getAddExpr(highest, access.bytes) : nullptr);
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
        if ((!access.writes && of == Of::writes) || effects.object(access.pointer) == effects.object(plan.buffer()) ||
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

// --- a send: a loop that fills the message, then the call ------------------------------------------------------------------------------

bool Legality::check_send(Plan &plan, const Plans &others, Refusal &why) {
    return find_filling_loop(plan, why) && find_last_sweep(plan, why) && check_conditions(plan, why) &&
           check_filling_loop(plan, why) && check_after_loop(plan, others, why) && check_arguments(plan, why) &&
           check_length(plan, why);
}

Refusal Legality::no_filling_loop(const Plan &plan) const {
    for (BasicBlock &block : known.function)
        for (Instruction &instruction : block) {
            auto *call = dyn_cast<CallBase>(&instruction);
            if (!call || isa<IntrinsicInst>(call) || lookup(*call) || !call->mayWriteToMemory()) continue;
            const Function *callee = call->getCalledFunction();
            if (!callee || !known.dominators.dominates(&instruction, plan.call) ||
                !other_point_to_point(*call).empty() || starts_with(callee->getName(), "MPI_"))
                continue;
            if (any_of(call->args(), [&](const Use &argument) {
                    return argument->getType()->isPointerTy() &&
                           effects.object(argument) == effects.object(plan.buffer());
                }))
                return {"the message may be written in " + demangle(callee->getName().str()) + ", which is not inlined",
                        call->getDebugLoc(), "make it static inline, or compile and link with -flto"};
        }
    return {
        "no loop beside it writes the message in this function", {}, "fill the message by a loop just before the send"};
}

// The last loop before the call, beside it, that writes the message.
bool Legality::find_filling_loop(Plan &plan, Refusal &why) {
    SmallVector<Loop *, 4> fills;
    for (Loop *loop : loops_beside(*plan.call))
        if (touches_message(*loop, plan) &&
            forward(exits_of(*loop), plan.call->getParent(), headers_around(loop)).contains(plan.call->getParent()))
            fills.push_back(loop);
    for (Loop *loop : fills) {
        Blocks after = blocks_between(*loop, *plan.call);
        if (none_of(fills, [&](Loop *other) { return after.contains(other->getHeader()); })) plan.loop = loop;
    }
    if (!plan.loop) return refuse(why, no_filling_loop(plan));
    return true;
}

// for k: for i: b[i] += ...: all of the message is written in each k, and final only in the last one. So the message begins in the inner
// loop when the outer one is in its last turn.
bool Legality::find_last_sweep(Plan &plan, Refusal &why) {
    Plan whole = plan;
    for (;;) {
        if (!check_shape(plan, why)) return false;
        Marked marked = mark_loop(plan, why);
        if (marked == Marked::yes) return true;
        if (marked == Marked::no) return false;
        const SCEV *turns = known.evolution.getBackedgeTakenCount(plan.loop);
        Loop *last = nullptr; // of the loops inside, the one that no other one follows that writes the message
        for (Loop *inside : plan.loop->getSubLoops()) {
            if (!touches_message(*inside, plan)) continue;
            if (last) return false;
            last = inside;
        }
        bool is_countable =
            !isa<SCEVCouldNotCompute>(turns) &&
            Expander(known.evolution).isSafeToExpandAt(turns, plan.loop->getLoopPreheader()->getTerminator());
        if (!last || !is_countable || !last->getLoopPreheader()) return false; // why: the same part again
        Plan inner = whole;
        inner.sweeps = plan.sweeps;
        inner.sweeps.push_back(plan.loop);
        inner.loop = last;
        plan = inner;
    }
}

// Once begun it must happen: MPI must not see a message that the program would not have sent. From the call upwards: which branches after
// the loop decide about it?
bool Legality::check_conditions(Plan &plan, Refusal &why) {
    const BasicBlock *preheader = plan.loop->getLoopPreheader();
    BasicBlock *reached = plan.call->getParent();
    auto conditional = [&](DebugLoc line) {
        return refuse(why, "the call is conditional: the loop may run without it", line,
                      "test the condition before the loop");
    };
    Blocks decided; // ways that a condition has ruled out
    while (!known.post_dominators.dominates(reached, preheader)) {
        auto *node = known.dominators.getNode(reached)->getIDom();
        BasicBlock *above = node ? node->getBlock() : nullptr;
        if (!above || known.dominators.dominates(above, preheader) || plan.loop->contains(above))
            return conditional(plan.loop->getStartLoc());
        auto *branch = dyn_cast<BranchInst>(above->getTerminator());
        if (!branch || !branch->isConditional()) return conditional(plan.loop->getStartLoc());
        std::optional<bool> taken;
        for (bool side : {true, false}) {
            BasicBlock *next = branch->getSuccessor(side ? 0 : 1);
            if (next->getSinglePredecessor() == above && known.post_dominators.dominates(reached, next)) taken = side;
        }
        if (!taken || !values.before_loop(branch->getCondition(), plan, Emit::no))
            return conditional(branch->getDebugLoc());
        plan.conditions.push_back({branch, *taken});
        decided.insert(branch->getSuccessor(*taken ? 1 : 0));
        reached = above;
    }
    // Post-dominance alone is not enough: in `for (;;) { loop; if (c) continue; send; }` the loop may run twice before the send.
    const Loop *around = known.loops.getLoopFor(plan.call->getParent());
    if (around && forward(exits_of(*plan.loop), plan.call->getParent(), decided).contains(around->getHeader()))
        return conditional(around->getStartLoc());
    return true;
}

bool Legality::check_filling_loop(Plan &plan, Refusal &why) {
    for (BasicBlock *block : plan.loop->blocks())
        for (Instruction &instruction : *block) {
            if (std::optional<Refusal> because = effects.orders(instruction)) return refuse(why, *because);
            if (touches(instruction, plan) == Touch::maybe && !add_runtime_check(instruction, plan, Of::writes))
                return refuse(why, "it may write the message (or a part of it) and cannot be checked at run time",
                              instruction.getDebugLoc(), "declare the pointers restrict");
        }
    return true;
}

bool Legality::check_after_loop(Plan &plan, const Plans &others, Refusal &why) {
    for (Instruction *instruction : between(*plan.loop, *plan.call)) {
        if (auto *call = dyn_cast<CallBase>(instruction))
            if (auto found = others.find(call); found != others.end() && found->second.is_send()) {
                if (!check_crossed_send(plan, found->second, why)) return false;
                continue;
            }
        if (std::optional<Refusal> because = effects.orders(*instruction)) return refuse(why, *because);
        Touch touch = touches(*instruction, plan);
        if (touch == Touch::yes)
            return refuse(why, "the message is written again after the loop", instruction->getDebugLoc(),
                          "write that part before the loop");
        if (touch == Touch::maybe && !add_runtime_check(*instruction, plan, Of::writes))
            return refuse(why, "it may write the message after the loop and cannot be checked at run time",
                          instruction->getDebugLoc(), "declare the pointers restrict");
    }
    return true;
}

// pack, pack, send, send: the second message begins after the first one has, and ends after it.
bool Legality::check_crossed_send(Plan &plan, const Plan &earlier, Refusal &why) {
    DebugLoc line = earlier.call->getDebugLoc();
    if (earlier.loop != plan.loop && blocks_between(*plan.loop, *plan.call).contains(earlier.loop->getHeader()))
        return refuse(why, "the messages are filled in another order than they are sent", line,
                      "send first what is filled first");
    for (unsigned argument = 0; argument < earlier.mpi->arguments; ++argument)
        if (earlier.mpi->is_output(argument) &&
            !effects.are_apart(earlier.call->getArgOperand(argument), plan.buffer()))
            return refuse(why, "the send before it may write the message: its request or ierr may lie there", line);
    plan.crosses.push_back(earlier.call);
    return true;
}

bool Legality::check_arguments(Plan &plan, Refusal &why) {
    for (unsigned argument = 0; argument < plan.mpi->arguments; ++argument) {
        if (plan.mpi->is_output(argument)) continue;
        Value *value = plan.call->getArgOperand(argument);
        if (!values.argument(*plan.call, *plan.mpi, argument, plan, Emit::no)) {
            auto *blame = dyn_cast<Instruction>(value);
            return refuse(why, "argument " + std::to_string(argument + 1) + " is not known before the loop",
                          blame ? blame->getDebugLoc() : DebugLoc(), "compute it before the loop");
        }
    }
    return true;
}

// --- a receive: the call, then a loop that reads the message ---------------------------------------------------------------------------

// From where on the receive is open: an invoke that throws has not begun one.
static BasicBlock *after_call(CallBase &call) {
    auto *invoke = dyn_cast<InvokeInst>(&call);
    return invoke ? invoke->getNormalDest() : call.getParent();
}

bool Legality::check_receive(Plan &plan, const Plans &others, Refusal &why) {
    if (!find_reading_loop(plan, why) || !find_end(plan, why)) return false;
    BasicBlock *block = after_call(*plan.call);
    SmallVector<BasicBlock *, 2> from(successors(block));
    const Loop *around = known.loops.getLoopFor(block);
    Blocks barriers;
    if (around) barriers.insert(around->getHeader());
    Blocks region = forward(from, plan.end_block, barriers);

    auto check_one = [&](Instruction &instruction) {
        if (auto *call = dyn_cast<CallBase>(&instruction))
            if (auto found = others.find(call); found != others.end() && !found->second.is_send())
                return check_crossed_receive(plan, found->second, region, why);
        return check_near_receive(instruction, plan, why);
    };
    bool after = isa<InvokeInst>(plan.call);
    for (Instruction &instruction : *block) {
        if (after && !check_one(instruction)) return false;
        after |= &instruction == plan.call;
    }
    for (BasicBlock &other : known.function)
        if (region.contains(&other) && &other != plan.end_block)
            for (Instruction &instruction : other)
                if (!check_one(instruction)) return false;
    if (!check_open_sends(plan, others, region, why)) return false;
    for (User *user : plan.call->users()) { // its result comes from the end
        auto *instruction = cast<Instruction>(user);
        auto *phi = dyn_cast<PHINode>(user);
        if (phi ? phi->getParent() == plan.end_block || !known.dominators.dominates(plan.end_block, phi->getParent())
                : !known.dominators.dominates(plan.end_block, instruction->getParent()))
            return refuse(why, "the result of the receive is used before the message has been read",
                          instruction->getDebugLoc(), "look at it after the loop");
    }
    return check_length(plan, why);
}

// The first loop after the call, beside it, that touches the message; and inside it, where each iteration reads all, the first one there.
bool Legality::find_reading_loop(Plan &plan, Refusal &why) {
    const BasicBlock *block = after_call(*plan.call);
    auto first = [&](ArrayRef<Loop *> loops) {
        Loop *found = nullptr;
        for (Loop *loop : loops) {
            const BasicBlock *preheader = loop->getLoopPreheader();
            if (preheader && touches_message(*loop, plan) && known.dominators.dominates(block, preheader) &&
                (!found || known.dominators.dominates(preheader, found->getLoopPreheader())))
                found = loop;
        }
        return found;
    };
    plan.loop = first(loops_beside(*plan.call));
    if (!plan.loop)
        return refuse(why, "no loop beside it reads the message in this function", {},
                      "read the message by a loop just behind the receive");
    for (Plan start = plan;;) {
        if (!check_shape(plan, why)) return false;
        Marked marked = mark_loop(plan, why);
        if (marked == Marked::yes) return true;
        Loop *inside = marked == Marked::same_part ? first(plan.loop->getSubLoops()) : nullptr;
        if (!inside) return false;
        plan = start;
        plan.loop = inside;
    }
}

// The receive is completed where all paths from it and from the loop have met.
bool Legality::find_end(Plan &plan, Refusal &why) {
    BasicBlock *block = after_call(*plan.call), *end = block;
    const Loop *around = known.loops.getLoopFor(block);
    Loop *outermost = plan.loop;
    while (outermost->getParentLoop() != around) outermost = outermost->getParentLoop();
    for (BasicBlock *exit : exits_of(*outermost))
        if (end) end = known.post_dominators.findNearestCommonDominator(end, exit);
    SmallVector<BasicBlock *, 2> from(successors(block));
    bool turns_first = around && end && forward(from, end, {}).contains(around->getHeader());
    if (!end || end == block || known.loops.getLoopFor(end) != around || !known.dominators.dominates(block, end) ||
        end->isEHPad() || turns_first)
        return refuse(why, "no place after the loop is reached on every path", plan.loop->getStartLoc(),
                      "leave the loop and go on behind it, without return or goto");
    plan.end_block = end;
    return true;
}

// An MPI handle that names a type of MPI's own: such a type has no bytes below its buffer.
static bool is_predefined_type(const Value *type) {
    type = type->stripPointerCasts();
    const auto *variable = dyn_cast<GlobalVariable>(type);
    return isa<ConstantInt>(type) || (variable && starts_with(variable->getName(), "ompi_mpi_"));
}

static bool is_ignored(const Value *status) {
    return isa<ConstantPointerNull>(status) || status->getName() == "mpi_fortran_status_ignore_" ||
           (isa<ConstantExpr>(status) && isa<ConstantInt>(cast<ConstantExpr>(status)->getOperand(0)));
}

// Two receives, then one loop over both: the other one begins while this one is open.
bool Legality::check_crossed_receive(Plan &plan, const Plan &later, const Blocks &region, Refusal &why) {
    DebugLoc line = later.call->getDebugLoc();
    if (region.contains(later.end_block) && later.end_block != plan.end_block)
        return refuse(why, "the messages are read in another order than they are received", line,
                      "receive first what is read first");
    if (!effects.are_apart(plan.buffer(), later.buffer())) {
        if (!is_predefined_type(later.call->getArgOperand(MpiCall::type)) || later.mpi->fortran)
            return refuse(why, "the receive behind it may write the same memory", line,
                          "declare the pointers restrict");
        plan.may_touch.push_back(later.call);
    }
    for (unsigned argument = 0; argument < later.mpi->arguments; ++argument) {
        if (!later.mpi->is_output(argument) || is_ignored(later.call->getArgOperand(argument))) continue;
        if (!effects.are_apart(plan.buffer(), later.call->getArgOperand(argument)))
            return refuse(why, "the status of the receive behind it may lie in the message", line);
        const Value *status = plan.call->getArgOperand(plan.mpi->status);
        if (!is_ignored(status) && !effects.are_apart(status, later.call->getArgOperand(argument)))
            return refuse(why, "the receive behind it uses the same status", line,
                          "use MPI_STATUS_IGNORE, or a status for each");
    }
    plan.crosses.push_back(later.call);
    return true;
}

// A stage of a pipeline: while this receive is open a send has begun. What comes late must be no part of that message, and no argument of
// that send, which is read before its loop.
bool Legality::check_open_sends(Plan &plan, const Plans &others, const Blocks &region, Refusal &why) {
    for (const auto &[call, send] : others) {
        if (!send.is_send() || !region.contains(send.loop->getHeader())) continue;
        DebugLoc line = call->getDebugLoc();
        for (Instruction *instruction : between(*send.loop, *call)) {
            if (!isa<LoadInst>(instruction)) continue;
            bool is_late = touches(*instruction, plan) != Touch::no;
            for (int output : {plan.mpi->status, plan.mpi->ierr()})
                is_late |=
                    output >= 0 && !is_ignored(plan.call->getArgOperand(output)) &&
                    effects.touches(*instruction, plan.call->getArgOperand(output), Of::reads_and_writes) != Touch::no;
            if (is_late)
                return refuse(why, "the send behind it may take an argument from the message or the status", line,
                              "send to a rank that is known before the receive");
        }
        // In place: the transformation says no more to be ready than has come.
        bool in_place = plan.buffer() == send.buffer() && plan.loop == send.loop && plan.direction == send.direction;
        if (in_place || effects.are_apart(plan.buffer(), send.buffer())) continue;
        auto *sent = dyn_cast<Instruction>(send.buffer());
        bool is_known = !sent || known.dominators.dominates(sent, plan.call);
        if (!is_known || send.mpi->fortran || !is_predefined_type(call->getArgOperand(MpiCall::type)))
            return refuse(why, "the send behind it may send the same memory before it has come", line,
                          "declare the pointers restrict");
        plan.sent_meanwhile.push_back(call);
    }
    return true;
}

bool Legality::check_near_receive(Instruction &instruction, Plan &plan, Refusal &why) {
    DebugLoc line = instruction.getDebugLoc();
    for (int output : {plan.mpi->status, plan.mpi->ierr()}) { // written by the end, or by the begin
        if (output < 0 || is_ignored(plan.call->getArgOperand(output))) continue;
        if (effects.touches(instruction, plan.call->getArgOperand(output), Of::reads_and_writes) != Touch::no)
            return refuse(why, "it may use the status or ierr of the receive", line,
                          "look at them after the loop, or use MPI_STATUS_IGNORE");
    }
    if (std::optional<Refusal> because = effects.orders(instruction)) return refuse(why, *because);
    Touch touch = touches(instruction, plan);
    bool in_loop = plan.loop->contains(&instruction);
    const char *in_order = "read the message in order, from one end to the other";
    if (touch == Touch::yes && in_loop) // it has its mark
        return add_runtime_check(instruction, plan, Of::reads_and_writes) ||
               refuse(why, "it may use the message in another order, too", line, in_order);
    if (touch == Touch::maybe && in_loop && add_runtime_check(instruction, plan, Of::reads_and_writes)) return true;
    // Single accesses beside the loop, for example loads that LLVM moved in front of it.
    const Loop *own = known.loops.getLoopFor(instruction.getParent());
    bool is_single =
        isa<LoadInst, StoreInst>(instruction) && !in_loop && (!own || own->contains(plan.loop->getHeader()));
    if (touch == Touch::yes && is_single && isa<LoadInst>(instruction)) {
        plan.loads_of_message.push_back(cast<LoadInst>(&instruction));
        return true;
    }
    if (touch == Touch::maybe && is_single) {
        plan.may_touch.push_back(&instruction);
        return true;
    }
    return touch == Touch::no || refuse(why, "it may use the message outside the loop's order", line, in_order);
}

} // namespace stretto::compiler
