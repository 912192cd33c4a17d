// A receive may end in a loop that reads its message, where nothing between the call and the end forbids it.
#include "Legality.h"

#include "llvm/IR/CFG.h"

using namespace llvm;

namespace stretto::compiler {

// A request may be waited for in one of several places. Which request it is the runtime finds out.
bool Legality::check_receive(Plan &plan, const Plans &others, Refusal &why) {
    if (!plan.mpi->is_waited_for()) return check_open_receive(plan, others, why);
    const Plan received = plan;
    for (CallBase *wait : calls_with_request(*received.call, lookup_wait)) {
        Refusal because;
        plan = received;
        plan.wait = wait;
        if (check_open_receive(plan, others, because)) return true;
        if (why.reason.empty()) why = because;
    }
    return why.reason.empty()
               ? refuse(why, "no MPI_Wait or MPI_Waitall behind it in this function completes its request", {},
                        "wait for it where it is received, with MPI_Wait or MPI_Waitall")
               : false;
}

bool Legality::check_open_receive(Plan &plan, const Plans &others, Refusal &why) {
    if (!find_reading_loop(plan, why)) return false;
    BasicBlock *block = after_call(plan.opens_at());
    const Blocks region = open_region(plan);
    if (!find_ends(plan, region, why)) return false;

    auto check_one = [&](Instruction &instruction) {
        bool is_crossed = false;
        for (const auto &[call, other] : others) {
            if (other.is_send() || &other.opens_at() != &instruction) continue;
            if (!check_crossed_receive(plan, other, why)) return false;
            is_crossed = true;
        }
        return is_crossed || check_near_receive(instruction, plan, why);
    };
    bool after = isa<InvokeInst>(plan.opens_at());
    for (Instruction &instruction : *block) {
        if (after && !check_one(instruction)) return false;
        after |= &instruction == &plan.opens_at();
    }
    for (BasicBlock &other : known.function)
        if (region.contains(&other) && &other != block)
            for (Instruction &instruction : other) {
                if (!check_one(instruction)) return false;
                if (is_contained(plan.aside, &instruction)) break; // from there on all has come
            }
    if (!check_open_sends(plan, others, region, why)) return false;
    if (isa<InvokeInst>(plan.call) && !plan.wait) // its result is known from there on
        for (User *user : plan.call->users())
            if (isa<PHINode>(user) && cast<PHINode>(user)->getParent() == block)
                return refuse(why, "the result of the receive is used in another way than is understood");
    return check_length(plan, why);
}

// The first loop after the call, beside it, that touches the message; and inside it, where each iteration reads all, the first one there.
bool Legality::find_reading_loop(Plan &plan, Refusal &why) {
    BasicBlock *block = after_call(plan.opens_at());
    SmallVector<BasicBlock *, 2> from(successors(block));
    const Blocks after = forward(from, nullptr, header_of(known.loops.getLoopFor(block)));
    auto first = [&](ArrayRef<Loop *> loops) {
        Loop *found = nullptr;
        for (Loop *loop : loops) {
            if (!loop->getLoopPreheader() || !after.contains(loop->getHeader()) || !touches_message(*loop, plan))
                continue;
            if (!found || forward(exits_of(*loop), nullptr, headers_around(loop)).contains(found->getHeader()))
                found = loop;
        }
        return found;
    };
    plan.loop = first(loops_beside(plan.opens_at()));
    if (!plan.loop)
        return refuse(why, "no loop beside it reads the message in this function", {},
                      plan.wait ? "read the message by a loop just behind the wait"
                                : "read the message by a loop just behind the receive");
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

// What may run between the receive and the last byte that is read: the loop is still to come there, in the same turn of the loop around.
Blocks Legality::open_region(const Plan &plan) const {
    BasicBlock *block = after_call(plan.opens_at());
    const Blocks barriers = header_of(known.loops.getLoopFor(block));
    SmallVector<BasicBlock *, 2> from(successors(block));
    const Blocks before_loop = backward(plan.loop->getHeader(), barriers);
    Blocks region;
    for (const BasicBlock *one : forward(from, nullptr, barriers))
        if (before_loop.contains(one)) region.insert(one);
    return region;
}

bool Legality::find_ends(Plan &plan, const Blocks &region, Refusal &why) {
    BasicBlock *block = after_call(plan.opens_at());
    auto is_open = [&](const BasicBlock *one) { return one == block || region.contains(one); };
    for (BasicBlock &from : known.function) {
        if (!is_open(&from)) continue;
        for (BasicBlock *to : successors(&from)) {
            if (region.contains(to)) continue;
            bool is_plain = isa<BranchInst, SwitchInst>(from.getTerminator()) && !to->isEHPad();
            if (!is_plain)
                return refuse(why, "an exception or a computed jump may leave the loop", plan.loop->getStartLoc());
            BasicBlock *edge = all_of(predecessors(to), is_open) ? nullptr : &from;
            if (none_of(plan.ends, [&](const Plan::End &end) { return end.from == edge && end.to == to; }))
                plan.ends.push_back({edge, to});
        }
    }
    return true;
}

// An MPI handle that names a type of MPI's own: such a type has no bytes below its buffer.
static bool is_predefined_type(const Value *type) {
    const auto *variable = dyn_cast<GlobalVariable>(type->stripPointerCasts());
    return constant_handle(type) || (variable && starts_with(variable->getName(), "ompi_mpi_"));
}

// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE: small numbers in C; in Fortran variables of Open MPI's, and parts of MPICH's common blocks.
static bool is_ignored(const Value *status) {
    if (constant_handle(status) || isa<ConstantPointerNull>(status)) return true;
    StringRef name = status->stripInBoundsConstantOffsets()->getName();
    return is_contained({"mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_", "mpipriv1_", "mpipriv2_"}, name);
}

// Null: it has none, as a collective.
static const Value *status_of(const Plan &plan) {
    if (plan.wait) return plan.wait->getArgOperand(lookup_wait(*plan.wait)->statuses);
    return plan.mpi->status < 0 ? nullptr : plan.call->getArgOperand(plan.mpi->status);
}

// The status is written by the begin or by the end.
bool Legality::may_use_status(const Instruction &instruction, const Plan &plan) const {
    const Value *status = status_of(plan);
    return status && !is_ignored(status) && effects.touches(instruction, status, Of::reads_and_writes) != Touch::no;
}

// What a call that opens a receive writes beside the message.
static SmallVector<const Value *, 4> outputs_of(const Plan &plan) {
    const CallBase &call = plan.opens_at();
    SmallVector<const Value *, 4> outputs{status_of(plan)};
    if (plan.wait) outputs.push_back(call.getArgOperand(lookup_wait(call)->requests));
    if (plan.mpi->fortran) outputs.push_back(call.getArgOperand(call.arg_size() - 1));
    return outputs;
}

// Two receives, then one loop over both: the other one begins while this one is open.
bool Legality::check_crossed_receive(Plan &plan, const Plan &later, Refusal &why) {
    DebugLoc line = later.opens_at().getDebugLoc();
    // Of two that are posted at the same time MPI says that they are apart.
    if (!later.wait && !effects.are_apart(plan.buffer(), later.buffer())) {
        if (!is_predefined_type(later.call->getArgOperand(MpiCall::type)) || later.mpi->fortran)
            return refuse(why, "the receive behind it may write the same memory", line,
                          "declare the pointers restrict");
        plan.may_touch.push_back(later.call);
    }
    const Value *status = status_of(plan);
    for (const Value *output : outputs_of(later)) {
        if (is_ignored(output)) continue;
        if (!effects.are_apart(plan.buffer(), output))
            return refuse(why, "the status of the receive behind it may lie in the message", line);
        if (!is_ignored(status) && !effects.are_apart(status, output))
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
        for (Instruction *instruction : between(*send.loop, send.opens_at())) {
            if (!isa<LoadInst>(instruction)) continue;
            if (touches(*instruction, plan) != Touch::no || may_use_status(*instruction, plan))
                return refuse(why, "the send behind it may take an argument from the message or the status", line,
                              "send to a rank that is known before the receive");
        }
        // In place: the transformation says no more to be ready than has come.
        bool in_place = plan.buffer() == send.buffer() && plan.loop == send.loop && plan.direction == send.direction;
        if (in_place || effects.are_apart(plan.buffer(), send.buffer())) continue;
        auto *sent = dyn_cast<Instruction>(send.buffer());
        bool is_known = !sent || known.dominators.dominates(sent, &plan.opens_at());
        if (!is_known || send.mpi->fortran || !is_predefined_type(call->getArgOperand(MpiCall::type)))
            return refuse(why, "the send behind it may send the same memory before it has come", line,
                          "declare the pointers restrict");
        plan.sent_meanwhile.push_back(call);
    }
    return true;
}

bool Legality::check_near_receive(Instruction &instruction, Plan &plan, Refusal &why) {
    DebugLoc line = instruction.getDebugLoc();
    if (may_use_status(instruction, plan))
        return refuse(why, "it may use the status of the receive", line,
                      "look at it after the loop, or use MPI_STATUS_IGNORE");
    if (std::optional<Refusal> because = effects.orders(instruction)) {
        // if (wanted) print(): all is there before, and this way goes on as ever.
        const BasicBlock *block = instruction.getParent(), *opened = plan.opens_at().getParent();
        bool is_aside = known.loops.getLoopFor(block) == known.loops.getLoopFor(opened) &&
                        block != after_call(plan.opens_at()) &&
                        !known.dominators.dominates(block, plan.loop->getHeader()) && !block->isEHPad() &&
                        !isa<InvokeInst>(instruction);
        if (!is_aside) return refuse(why, *because);
        plan.aside.push_back(&instruction);
        return true;
    }
    Touch touch = touches(instruction, plan);
    bool in_loop = plan.loop->contains(&instruction);
    if (touch == Touch::yes && in_loop) // it has its mark
        return add_runtime_check(instruction, plan, Of::reads_and_writes) ||
               refuse(why, "it may use the message in another order, too", line, read_in_order);
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
    return touch == Touch::no || refuse(why, "it may use the message outside the loop's order", line, read_in_order);
}

} // namespace stretto::compiler
