// A send may start in a loop that fills its message, where nothing between the loop and the call forbids it.
#include "Legality.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stretto::compiler {

// A persistent one may be started in one of several places. Which request is started the runtime finds out.
bool Legality::check_send(Plan &plan, const Plans &others, Refusal &why) {
    if (!plan.mpi->started) return check_filled_send(plan, others, why);
    const Plan made = plan;
    for (CallBase *start : calls_with_request(*made.call, lookup_start)) {
        Refusal because;
        plan = made;
        plan.start = start;
        if (check_filled_send(plan, others, because)) return true;
        if (why.reason.empty()) why = because;
    }
    return why.reason.empty()
               ? refuse(why, "no MPI_Start or MPI_Startall behind it in this function starts its request", {},
                        "start it where it is made, with MPI_Start or MPI_Startall")
               : false;
}

bool Legality::check_filled_send(Plan &plan, const Plans &others, Refusal &why) {
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
            if (!callee || !known.dominators.dominates(&instruction, &plan.opens_at()) ||
                !other_point_to_point(*call).empty() || starts_with(callee->getName(), "MPI_"))
                continue;
            if (callee->getName() == "__kmpc_fork_call") // clang and flang, -fopenmp
                return {"the message may be filled by the threads of an OpenMP region", call->getDebugLoc(),
                        "fill it by one thread, or let each thread say its part (MPIX_Delta_send_data)"};
            if (any_of(call->args(), [&](const Use &argument) {
                    return argument->getType()->isPointerTy() &&
                           effects.object(argument) == effects.object(plan.buffer());
                }))
                return {"the message may be written in " + demangle(callee->getName().str()) + ", which is not inlined",
                        call->getDebugLoc(),
                        callee->hasFnAttribute(Attribute::NoInline)
                            ? "leave out noinline"
                            : "make it static inline, or compile and link with -flto"};
        }
    return {
        "no loop beside it writes the message in this function", {}, "fill the message by a loop just before the send"};
}

// The last loop before the call, beside it, that writes the message.
bool Legality::find_filling_loop(Plan &plan, Refusal &why) {
    SmallVector<Loop *, 4> fills;
    for (Loop *loop : loops_beside(plan.opens_at()))
        if (touches_message(*loop, plan) && forward(exits_of(*loop), plan.opens_at().getParent(), headers_around(loop))
                                                .contains(plan.opens_at().getParent()))
            fills.push_back(loop);
    for (Loop *loop : fills) {
        Blocks after = blocks_between(*loop, plan.opens_at());
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
    BasicBlock *reached = plan.opens_at().getParent();
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
    const Loop *around = known.loops.getLoopFor(plan.opens_at().getParent());
    if (around && forward(exits_of(*plan.loop), plan.opens_at().getParent(), decided).contains(around->getHeader()))
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
    for (Instruction *instruction : between(*plan.loop, plan.opens_at())) {
        if (auto *call = dyn_cast<CallBase>(instruction)) {
            auto found = others.find(call);
            bool is_crossed = found != others.end() && found->second.is_send() && !found->second.start && !plan.start;
            if (is_crossed && !check_crossed_send(plan, found->second, why)) return false;
            if (is_crossed || may_pass(*call, plan)) continue;
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

// MPI_Irecv says only that a message may come, and where: nobody can tell whether a send was before it or behind it.
bool Legality::may_pass(const CallBase &call, const Plan &plan) const {
    const MpiCall *mpi = lookup(call);
    if (!mpi || !mpi->is_waited_for()) return false;
    for (unsigned argument = 0; argument < mpi->arguments; ++argument)
        if (mpi->is_output(argument) && !effects.are_apart(call.getArgOperand(argument), plan.buffer())) return false;
    return true;
}

// pack, pack, send, send: the second message begins after the first one has, and ends after it.
bool Legality::check_crossed_send(Plan &plan, const Plan &earlier, Refusal &why) {
    DebugLoc line = earlier.call->getDebugLoc();
    if (earlier.loop != plan.loop && blocks_between(*plan.loop, plan.opens_at()).contains(earlier.loop->getHeader()))
        return refuse(why, "the messages are filled in another order than they are sent", line,
                      "send first what is filled first");
    for (unsigned argument = 0; argument < earlier.mpi->arguments; ++argument)
        if (earlier.mpi->is_output(argument) &&
            !effects.are_apart(earlier.call->getArgOperand(argument), plan.buffer()))
            return refuse(why, "the send before it may write the message: its request or ierr may lie there", line);
    plan.crosses.push_back(earlier.call);
    return true;
}

// The requests that are started are read before the loop, too.
bool Legality::check_started(Plan &plan, Refusal &why) {
    const WaitCall &mpi = *lookup_start(*plan.start);
    Value *count = mpi.count < 0 ? nullptr : plan.start->getArgOperand(static_cast<unsigned>(mpi.count));
    bool is_known = values.before_loop(plan.buffer(), plan, Emit::no) &&
                    (!count || (mpi.fortran ? values.by_reference(count, *plan.start, plan, Emit::no)
                                            : values.before_loop(count, plan, Emit::no))) &&
                    values.is_kept(plan.start->getArgOperand(static_cast<unsigned>(mpi.requests)), mpi.fortran ? 4 : 8,
                                   count, plan);
    return is_known || refuse(why, "the request that is started is not known before the loop",
                              plan.start->getDebugLoc(), "make it before the loop, in a variable of its own");
}

bool Legality::check_arguments(Plan &plan, Refusal &why) {
    if (plan.start) return check_started(plan, why);
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

} // namespace stretto::compiler
