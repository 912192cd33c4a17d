#include "Collectives.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"

#include <deque>

using namespace llvm;

namespace stretto::compiler {

// --- the table ------------------------------------------------------------------------------------------------------------------------

namespace {

struct Row {
    const char *name;
    unsigned arguments, result; // of C
    std::initializer_list<unsigned> counts;
};

const Row rows[] = {
    {"Bcast", 5, 0, {}},
    {"Gather", 8, 3, {}},
    {"Gatherv", 9, 3, {4, 5}},
    {"Scatter", 8, 3, {}},
    {"Scatterv", 9, 4, {1, 2}},
    {"Allgather", 7, 3, {}},
    {"Allgatherv", 8, 3, {4, 5}},
    {"Alltoall", 7, 3, {}},
    {"Alltoallv", 9, 4, {1, 2, 5, 6}},
    {"Reduce", 7, 1, {}},
    {"Allreduce", 6, 1, {}},
    {"Reduce_scatter", 6, 1, {2}},
    {"Reduce_scatter_block", 6, 1, {}},
};

// MPI 4.1, chapters 6 and 8.
const char *const all[] = {
    "Barrier",
    "Bcast",
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Alltoallw",
    "Reduce",
    "Allreduce",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Scan",
    "Exscan",
    "Neighbor_allgather",
    "Neighbor_allgatherv",
    "Neighbor_alltoall",
    "Neighbor_alltoallv",
    "Neighbor_alltoallw",
};

std::deque<Collective> make_table() {
    std::deque<Collective> table; // whose entries stay where they are: names point into them
    for (const Row &row : rows)
        for (bool fortran : {false, true}) {
            std::string lower = StringRef(row.name).lower(), suffix = fortran ? "_f" : "";
            Collective &one = table.emplace_back();
            one.name = std::string("MPI_") + row.name;
            one.symbol = fortran ? "mpi_" + lower + "_" : one.name;
            one.begin = "stretto_" + lower + "_begin" + suffix;
            one.open = "stretto_" + lower + "_open" + suffix;
            one.result = row.result;
            one.counts = 0;
            for (unsigned argument : row.counts) one.counts |= 1u << argument;
            unsigned memory = one.counts | (row.result ? 1u << row.result : 0);
            unsigned arguments = row.arguments + (fortran ? 1 : 0);
            const char *close = fortran ? "stretto_collective_close_f" : "stretto_collective_close";
            one.fed = {one.symbol.c_str(), Kind::send, fortran, arguments, -1, -1, one.begin.c_str(), one.open.c_str()};
            one.used = {one.symbol.c_str(), Kind::receive, fortran, arguments, -1, -1, one.open.c_str(), close};
            one.fed.memory = one.used.memory = memory;
            one.fed.collective = one.used.collective = true;
        }
    return table;
}

} // namespace

const Collective *lookup_collective(const CallBase &call) {
    static const std::deque<Collective> table = make_table();
    if (!isa<CallInst, InvokeInst>(call)) return nullptr;
    StringRef name = name_of(call);
    for (const Collective &entry : table)
        if (name == entry.symbol && call.arg_size() == entry.fed.arguments) return &entry;
    return nullptr;
}

// Forms: MPI_X, MPI_Ix, MPI_X_init, each with large counts too.
std::string name_of_collective(const CallBase &call) {
    StringRef name = name_of(call);
    bool c = name.consume_front("PMPI_") || name.consume_front("MPI_");
    if (!c && !name.consume_front("pmpi_") && !name.consume_front("mpi_")) return {};
    for (const char *collective : all) {
        std::string form[] = {collective, "I" + StringRef(collective).lower(), std::string(collective) + "_init"};
        for (const std::string &one : form) {
            if (c && (name == one || name == one + "_c")) return ("MPI_" + name).str();
            for (const char *suffix : {"_", "__", "_f08_", "_f08ts_"})
                if (!c && name == StringRef(one).lower() + suffix) return "MPI_" + one;
        }
    }
    return {};
}

// --- legality -------------------------------------------------------------------------------------------------------------------------

/// \brief What is asked of a collective's sides beside what Legality asks of a message.
class CollectiveLegality {
public:
    CollectiveLegality(Analyses &analyses, Effects &effects, Values &values)
        : known(analyses), effects(effects), values(values), legality(analyses, effects, values) {}

    std::optional<Plan> feed(CallBase &call, const Collective &mpi, Refusal &why);
    std::optional<Plan> use(CallBase &call, const Collective &mpi, Refusal &why);

    /// Does the contribution begin while that result is open, and may take an argument from what has not come?
    bool takes_argument_of(const Plan &fed, const Plan &used);

private:
    void find_blocks(Plan &plan);
    bool check_other_side(Plan &plan, Instruction &instruction, Value *other, Of of, bool in_loop, Refusal &why);
    bool find_end(Plan &plan, Refusal &why);
    SmallVector<Instruction *, 32> while_open(const Plan &plan) const;

    Analyses &known;
    Effects &effects;
    Values &values;
    Legality legality;
};

// While the plan is under way the runtime writes the result, or reads the contribution.
bool CollectiveLegality::check_other_side(Plan &plan, Instruction &instruction, Value *other, Of of, bool in_loop,
                                          Refusal &why) {
    Touch touch = effects.touches(instruction, other, of);
    if (touch == Touch::no) return true;
    const DebugLoc line = instruction.getDebugLoc();
    if (touch == Touch::yes)
        return plan.is_send() ? refuse(why, "it may use the result of the last call while the next one comes", line,
                                       "use it before the loop, or another buffer")
                              : refuse(why, "it may write the contribution before all of it has left", line,
                                       "write it behind the loop that reads the result");
    SmallVector<Access, 2> all = effects.accesses(instruction);
    bool can_be_compared = !all.empty() && in_loop;
    for (const Access &access : all) {
        if ((!access.writes && of == Of::writes) || effects.are_apart(access.pointer, other)) continue;
        std::optional<Range> range = can_be_compared ? values.range_of(access, plan) : std::nullopt;
        if (!range) {
            can_be_compared = false;
            break;
        }
        if (none_of(plan.other_must_be_disjoint,
                    [&](const Range &one) { return one.low == range->low && one.high == range->high; }))
            plan.other_must_be_disjoint.push_back(*range);
    }
    return can_be_compared || refuse(why,
                                     plan.is_send() ? "it may use the result and cannot be checked at run time"
                                                    : "it may write the contribution and cannot be checked at run time",
                                     line, "declare the pointers restrict");
}

// MPI_IN_PLACE of C, or nothing.
static bool is_in_place(const Value *contribution) {
    contribution = contribution->stripPointerCasts();
    return isa<ConstantPointerNull>(contribution) || isa<ConstantExpr>(contribution);
}

std::optional<Plan> CollectiveLegality::feed(CallBase &call, const Collective &mpi, Refusal &why) {
    Plan plan;
    plan.call = &call;
    plan.mpi = &mpi.fed;
    if (is_in_place(call.getArgOperand(MpiCall::buffer))) {
        refuse(why, "the contribution is in place", {}, "give it a buffer of its own");
        return std::nullopt;
    }
    if (!legality.allows(plan, why)) return std::nullopt;

    Value *result = mpi.result ? call.getArgOperand(mpi.result) : nullptr; // of a broadcast it comes elsewhere
    SmallVector<std::pair<Instruction *, bool>, 32> meanwhile;
    for (BasicBlock *block : plan.loop->blocks())
        for (Instruction &instruction : *block) meanwhile.push_back({&instruction, true});
    for (Instruction *instruction : between(*plan.loop, call)) meanwhile.push_back({instruction, true});
    for (auto [instruction, in_loop] : meanwhile) {
        if (result && !check_other_side(plan, *instruction, result, Of::reads_and_writes, in_loop, why))
            return std::nullopt;
        for (unsigned argument = 0; argument < mpi.fed.arguments; ++argument)
            if (mpi.counts >> argument & 1 &&
                effects.may_write(*instruction, MemoryLocation::getBeforeOrAfter(call.getArgOperand(argument)))) {
                refuse(why, "an array of counts or displacements may be written", instruction->getDebugLoc(),
                       "fill it before the loop");
                return std::nullopt;
            }
    }
    for (const User *user : call.users()) // its result comes from a call behind it
        if (isa<PHINode>(user) && isa<InvokeInst>(call)) {
            refuse(why, "its result is used where the program goes on");
            return std::nullopt;
        }
    find_blocks(plan);
    return plan;
}

// The same expression in the first turn of a loop.
static const SCEV *in_first_turn(const SCEV *address, const Loop &loop, ScalarEvolution &evolution) {
    const auto *recurrence = dyn_cast<SCEVAddRecExpr>(address);
    if (!recurrence) return address;
    const SCEV *start = in_first_turn(recurrence->getStart(), loop, evolution);
    if (recurrence->getLoop() == &loop) return start;
    return evolution.getAddRecExpr(start, recurrence->getStepRecurrence(evolution), recurrence->getLoop(),
                                   SCEV::FlagAnyWrap);
}

// The loop inside `around` by which an address goes from block to block: the one of the largest stride, as far as that can be told; and
// where it cannot, the first one that does not count elements.
static const SCEVAddRecExpr *from_block_to_block(const SCEV *address, const Loop &around, ScalarEvolution &evolution) {
    const SCEVAddRecExpr *found = nullptr;
    while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(address)) {
        if (!around.contains(recurrence->getLoop()) || recurrence->getLoop() == &around) break;
        if (!isa<SCEVConstant>(recurrence->getStepRecurrence(evolution)) || !found) found = recurrence;
        address = recurrence->getStart();
    }
    return found;
}

// for i: for p: a[p * n + i]: after some turns of i a part of each block is final, or is needed.
void CollectiveLegality::find_blocks(Plan &plan) {
    ScalarEvolution &evolution = known.evolution;
    if (plan.direction != Direction::ascending || !plan.counted) return;
    Plan scratch = plan;
    Frontier frontier(evolution, scratch);
    BlocksAlike blocks{};
    const SCEV *buffer = evolution.getSCEV(plan.buffer()), *low = nullptr, *high = nullptr;
    const Loop *over = nullptr;
    for (const Mark &mark : plan.marks)
        for (const Access &access : effects.accesses(const_cast<Instruction &>(*mark.access))) {
            if (effects.object(access.pointer) != effects.object(plan.buffer())) continue;
            const SCEV *address = evolution.getSCEV(access.pointer);
            const SCEVAddRecExpr *step = from_block_to_block(address, *plan.loop, evolution);
            if (!step || !step->isAffine() || (over && step->getLoop() != over)) return;
            over = step->getLoop();
            const SCEV *stride = step->getStepRecurrence(evolution), *turns = evolution.getBackedgeTakenCount(over);
            if (isa<SCEVCouldNotCompute>(turns) || (blocks.stride && stride != blocks.stride)) return;
            Type *wide = stride->getType();
            blocks.stride = stride;
            blocks.count = evolution.getAddExpr(evolution.getTruncateOrZeroExtend(turns, wide), evolution.getOne(wide));
            const SCEV *first = in_first_turn(address, *over, evolution);
            const SCEV *lowest = frontier.extreme(first, true, Frontier::Over::loop);
            const SCEV *highest = frontier.extreme(first, false, Frontier::Over::loop);
            const auto *mark_low = dyn_cast_or_null<SCEVAddRecExpr>(frontier.extreme(first, true));
            const SCEV *high_of_turn = frontier.extreme(first, false);
            const auto *mark_high = dyn_cast_or_null<SCEVAddRecExpr>(
                high_of_turn ? evolution.getAddExpr(high_of_turn, access.bytes) : nullptr);
            auto is_mark = [&](const SCEVAddRecExpr *one) {
                return one && one->getLoop() == plan.loop && one->isAffine() &&
                       frontier.direction(one->getStepRecurrence(evolution)) == Direction::ascending &&
                       values.is_expandable(one->getStart(), plan) &&
                       values.is_expandable(one->getStepRecurrence(evolution), plan);
            };
            if (!lowest || !highest || !is_mark(mark_low) || !is_mark(mark_high)) return;
            lowest = evolution.getMinusSCEV(lowest, buffer);
            highest = evolution.getMinusSCEV(evolution.getAddExpr(highest, access.bytes), buffer);
            if (isa<SCEVCouldNotCompute>(lowest) || isa<SCEVCouldNotCompute>(highest)) return;
            low = low ? evolution.getSMinExpr(low, lowest) : lowest;
            high = high ? evolution.getSMaxExpr(high, highest) : highest;
            blocks.lowest.push_back(mark_low);
            blocks.highest.push_back(mark_high);
        }
    if (!over || scratch.checks() != plan.checks()) return;
    blocks.extent = evolution.getMinusSCEV(high, low);
    for (const SCEV *one : {blocks.stride, blocks.count, blocks.extent})
        if (!evolution.isLoopInvariant(one, plan.loop) || !values.is_expandable(one, plan)) return;
    plan.blocks = std::move(blocks);
}

// From the call to where all of its result has been read.
SmallVector<Instruction *, 32> CollectiveLegality::while_open(const Plan &plan) const {
    BasicBlock *block = after_call(*plan.call);
    SmallVector<BasicBlock *, 2> from(successors(block));
    Blocks region = forward(from, plan.end_block, header_of(known.loops.getLoopFor(block)));
    SmallVector<Instruction *, 32> result;
    bool after = isa<InvokeInst>(plan.call);
    for (Instruction &instruction : *block) {
        if (after) result.push_back(&instruction);
        after |= &instruction == plan.call;
    }
    for (BasicBlock &other : known.function)
        if (region.contains(&other) && &other != plan.end_block)
            for (Instruction &instruction : other) result.push_back(&instruction);
    return result;
}

// One call closes it, and tells its result: where all ways from it, and from the loop, have met.
bool CollectiveLegality::find_end(Plan &plan, Refusal &why) {
    BasicBlock *block = after_call(*plan.call), *end = nullptr;
    const Loop *around = known.loops.getLoopFor(block);
    for (const Plan::End &one : plan.ends) {
        end = end ? known.post_dominators.findNearestCommonDominator(end, one.to) : one.to;
        if (!end) break;
    }
    SmallVector<BasicBlock *, 2> from(successors(block));
    bool turns_first = around && end && forward(from, end, {}).contains(around->getHeader());
    if (!end || end == block || end->isEHPad() || turns_first || !plan.aside.empty() || !plan.must_be_same.empty() ||
        !known.dominators.dominates(block, plan.loop->getLoopPreheader()) || !known.dominators.dominates(block, end) ||
        known.loops.getLoopFor(end) != around)
        return refuse(why, "no place after the loop is reached on every path", plan.loop->getStartLoc(),
                      "leave the loop and go on behind it, without return or goto");
    plan.end_block = end;
    const Blocks before_loop = backward(plan.loop->getHeader(), header_of(around));
    for (Instruction *instruction : while_open(plan)) { // behind the loop, and not yet at the end
        if (instruction->getParent() == block || before_loop.contains(instruction->getParent())) continue;
        if (std::optional<Refusal> because = effects.orders(*instruction)) return refuse(why, *because);
        if (effects.touches(*instruction, plan.message, Of::reads_and_writes) != Touch::no)
            return refuse(why, "it may use the message outside the loop's order", instruction->getDebugLoc(),
                          read_in_order);
    }
    for (User *user : plan.call->users()) { // its result comes from the end
        auto *instruction = cast<Instruction>(user);
        auto *phi = dyn_cast<PHINode>(user);
        if (phi ? phi->getParent() == end || !known.dominators.dominates(end, phi->getParent())
                : !known.dominators.dominates(end, instruction->getParent()))
            return refuse(why, "its result is used before the message has been read", instruction->getDebugLoc(),
                          "look at it after the loop");
    }
    return true;
}

std::optional<Plan> CollectiveLegality::use(CallBase &call, const Collective &mpi, Refusal &why) {
    Plan plan;
    plan.call = &call;
    plan.mpi = &mpi.used;
    plan.message = call.getArgOperand(mpi.result);
    if (!legality.allows(plan, why) || !find_end(plan, why)) return std::nullopt;
    Value *contribution = call.getArgOperand(MpiCall::buffer);
    for (Instruction *instruction : while_open(plan)) {
        bool in_loop = plan.loop->contains(instruction);
        if (mpi.used.ierr() >= 0 &&
            effects.touches(*instruction, call.getArgOperand(mpi.used.ierr()), Of::reads_and_writes) != Touch::no) {
            refuse(why, "it may use ierr", instruction->getDebugLoc(), "look at it after the loop");
            return std::nullopt;
        }
        // What has come is passed on from where it lies.
        if (effects.touches(*instruction, plan.message, Of::writes) == Touch::yes) {
            refuse(why, "the result is written while it is passed on to other ranks", instruction->getDebugLoc(),
                   "only read it in the loop");
            return std::nullopt;
        }
        if (mpi.result && !is_in_place(contribution) &&
            !check_other_side(plan, *instruction, contribution, Of::writes, in_loop, why))
            return std::nullopt;
    }
    find_blocks(plan);
    return plan;
}

bool CollectiveLegality::takes_argument_of(const Plan &fed, const Plan &used) {
    SmallVector<Instruction *, 32> open = while_open(used);
    if (none_of(open, [&](Instruction *one) { return one->getParent() == fed.loop->getHeader(); })) return false;
    for (Instruction *instruction : between(*fed.loop, *fed.call))
        if (isa<LoadInst>(instruction) &&
            effects.touches(*instruction, used.message, Of::reads_and_writes) != Touch::no)
            return true;
    for (unsigned argument = 0; argument < fed.mpi->arguments; ++argument) {
        const Value *value = fed.call->getArgOperand(argument);
        bool is_read = fed.mpi->fortran ? fed.mpi->is_scalar(argument)
                                        : fed.mpi->memory >> argument & 1 && value->getType()->isPointerTy();
        if (is_read && !effects.are_apart(value, used.message) && !isa<Constant>(value)) return true;
    }
    return false;
}

Refusal CollectivePlan::why() const {
    auto words = [](const Refusal &side) {
        const unsigned line = place_of(side.blame).line;
        return side.reason + (line ? " (line " + std::to_string(line) + ")" : "");
    };
    return {"of its contribution, " + words(not_fed) + "; of its result, " + words(not_used), {}, not_fed.advice};
}

CollectivePlans plan_collectives(ArrayRef<CallBase *> calls, Analyses &analyses, Effects &effects, Values &values) {
    CollectiveLegality legality(analyses, effects, values);
    CollectivePlans plans;
    for (CallBase *call : calls) {
        const Collective &mpi = *lookup_collective(*call);
        CollectivePlan &plan = plans[call];
        plan.fed = legality.feed(*call, mpi, plan.not_fed);
        plan.used = legality.use(*call, mpi, plan.not_used);
    }
    auto drop_feed = [](CollectivePlan &plan, const char *reason, const CallBase &because) {
        plan.fed.reset();
        refuse(plan.not_fed, reason, because.getDebugLoc());
    };
    for (auto &[call, plan] : plans)
        for (auto &[other_call, other] : plans) {
            if (plan.fed && other.used && legality.takes_argument_of(*plan.fed, *other.used))
                drop_feed(plan, "it may take an argument from a result that has not come", *other_call);
            // Of two loops, one inside the other, only one can be cut.
            auto lies_in = [](const std::optional<Plan> &one, const std::optional<Plan> &around) {
                return one && around && one->loop != around->loop && around->loop->contains(one->loop);
            };
            for (auto *around : {&other.fed, &other.used}) {
                if (lies_in(plan.fed, *around))
                    drop_feed(plan, "the loop around is cut for another message", *other_call);
                if (lies_in(plan.used, *around)) {
                    plan.used.reset();
                    refuse(plan.not_used, "the loop around is cut for another message", other_call->getDebugLoc());
                }
            }
        }
    return plans;
}

} // namespace stretto::compiler
