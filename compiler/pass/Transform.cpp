#include "Transform.h"
#include "Options.h"
#include "Runtime.h"
#include "StripMine.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace stretto::compiler {

namespace {

/// A plan, and what was made of it in front of its loop before anything was moved.
struct Job {
    Plan *plan;
    Instruction *before_loop;     // the end of the preheader
    Loop *around;                 // both the loop and the call, or null
    Value *description = nullptr; // struct stretto_call
    Value *buffer = nullptr;
    SmallVector<Value *, 8> arguments;                 // of a send's begin
    SmallVector<std::pair<Value *, Value *>, 4> marks; // offset in the message in iteration 0, and step
    SmallVector<std::pair<Value *, Value *>, 4> disjoint;
    Value *ok = nullptr;     // i1: what can be checked without the runtime; null: nothing is to be checked
    Value *begins = nullptr; // i1: may it begin?
    Value *iterations = nullptr, *per_strip = nullptr;
    SmallVector<std::pair<CallBase *, Value *>, 2>
        crossed;                   // a send before it, and whether that one goes elsewhere (i1)
    Instruction *end_at = nullptr; // of a receive

    Value *handle = nullptr;
};

class Transformation {
public:
    Transformation(Analyses &known, Values &values)
        : known(known), values(values), runtime(*known.function.getParent()), expander(known.evolution) {}

    std::vector<std::string> carry_out(Plans &plans);

private:
    Job expand(Plan &plan);
    Value *is_last_turn(Loop &sweep, Instruction *at);
    Value *per_strip(const Job &job, IRBuilder<> &builder);

    void begin_send(Job &job);
    void begin_receive(Job &job);
    void hold_where_checks_fail(const Job &job, IRBuilder<> &builder);
    void cut(MutableArrayRef<Job *> jobs);
    void end_send(Job &job);
    void end_receive(Job &job);
    Value *handle_in(const Job &job, BasicBlock *block);
    Value *frontier(const Job &job, Value *done, IRBuilder<> &builder);

    Analyses &known;
    Values &values;
    Runtime runtime;
    Expander expander;
    DenseMap<CallBase *, Job *> by_call;
};

Value *both(Value *one, Value *other, IRBuilder<> &builder) {
    return one ? builder.CreateAnd(one, other) : other;
}

Job Transformation::expand(Plan &plan) {
    Job job{&plan, plan.loop->getLoopPreheader()->getTerminator(), known.loops.getLoopFor(plan.call->getParent())};
    Instruction *at = job.before_loop;
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(plan.call->getDebugLoc());
    auto expand = [&](const SCEV *expression, Type *type) { return expander.expandCodeFor(expression, type, at); };

    job.description = runtime.describe_call(*plan.call);
    job.buffer = values.before_loop(plan.buffer(), plan, Emit::yes);
    auto offset = [&](const SCEV *address) {
        Value *place = builder.CreatePtrToInt(expand(address, runtime.pointer), runtime.handle);
        return builder.CreateSub(place, builder.CreatePtrToInt(job.buffer, runtime.handle));
    };
    for (const Mark &mark : plan.marks) {
        std::pair<Value *, Value *> one{offset(mark.address->getStart()),
                                        expand(mark.address->getStepRecurrence(known.evolution), runtime.handle)};
        if (!is_contained(job.marks, one)) job.marks.push_back(one);
    }
    for (const Range &range : plan.must_be_disjoint)
        job.disjoint.push_back({expand(range.low, runtime.pointer), expand(range.high, runtime.pointer)});
    for (const SCEV *step : plan.must_be_positive) {
        Value *value = expand(step, step->getType());
        job.ok = both(job.ok, builder.CreateICmpSGT(value, ConstantInt::get(step->getType(), 0)), builder);
    }
    for (const SCEVPredicate *assumption : plan.must_hold)
        job.ok = both(job.ok, builder.CreateNot(expander.expandCodeForPredicate(assumption, at)), builder);

    if (plan.is_send()) {
        for (unsigned argument = 0; argument < plan.mpi->arguments; ++argument)
            if (argument == MpiCall::buffer)
                job.arguments.push_back(job.buffer);
            else if (plan.mpi->is_scalar(argument))
                job.arguments.push_back(values.argument(*plan.call, *plan.mpi, argument, plan, Emit::yes));
        for (const Plan::Apart &apart : plan.arguments_apart) {
            Value *end = builder.CreateGEP(builder.getInt32Ty(), apart.argument, builder.getInt64(1));
            Value *below = builder.CreateICmpUGE(expand(apart.written.low, runtime.pointer), end);
            Value *above = builder.CreateICmpULE(expand(apart.written.high, runtime.pointer), apart.argument);
            job.begins = both(job.begins, builder.CreateOr(below, above), builder);
        }
        for (const Condition &condition : plan.conditions) {
            Value *value = builder.CreateFreeze(values.before_loop(condition.branch->getCondition(), plan, Emit::yes),
                                                "stretto.wanted");
            job.begins = both(job.begins, condition.taken ? value : builder.CreateNot(value), builder);
        }
        for (Loop *sweep : plan.sweeps) job.begins = both(job.begins, is_last_turn(*sweep, at), builder);
        // In MPI's order the one before it comes first. Unless it has begun, only a message to another process may begin now.
        for (CallBase *earlier : plan.crosses) {
            const MpiCall &mpi = *lookup(*earlier);
            Plan scratch = plan;
            bool is_known = values.argument(*earlier, mpi, MpiCall::peer, scratch, Emit::no);
            Value *elsewhere = nullptr;
            if (is_known && scratch.arguments_apart.size() == plan.arguments_apart.size())
                elsewhere = builder.CreateICmpNE(values.argument(*earlier, mpi, MpiCall::peer, plan, Emit::yes),
                                                 job.arguments[MpiCall::peer], "stretto.elsewhere");
            job.crossed.push_back({earlier, elsewhere});
        }
    }
    if (plan.counted) {
        ScalarEvolution &evolution = known.evolution;
        const SCEV *turns =
            evolution.getTruncateOrZeroExtend(evolution.getBackedgeTakenCount(plan.loop), runtime.handle);
        job.iterations = expand(evolution.getAddExpr(turns, evolution.getOne(runtime.handle)), runtime.handle);
    }
    job.per_strip = per_strip(job, builder);
    return job;
}

// The loop gets a counter of its own.
Value *Transformation::is_last_turn(Loop &sweep, Instruction *at) {
    Type *integer = runtime.handle;
    const SCEV *turns = known.evolution.getTruncateOrZeroExtend(known.evolution.getBackedgeTakenCount(&sweep), integer);
    Value *last = expander.expandCodeFor(turns, integer, sweep.getLoopPreheader()->getTerminator());
    PHINode *turn = IRBuilder<>(sweep.getHeader(), sweep.getHeader()->begin()).CreatePHI(integer, 2, "stretto.turn");
    Value *next = IRBuilder<>(sweep.getLoopLatch()->getTerminator())
                      .CreateAdd(turn, ConstantInt::get(integer, 1), "stretto.turn.next", true, true);
    turn->addIncoming(ConstantInt::get(integer, 0), sweep.getLoopPreheader());
    turn->addIncoming(next, sweep.getLoopLatch());
    return IRBuilder<>(at).CreateICmpEQ(turn, last, "stretto.last");
}

// Iterations per strip: so many bytes of the message, a multiple of 32 where that leaves the vectoriser no rest.
Value *Transformation::per_strip(const Job &job, IRBuilder<> &builder) {
    std::uint64_t bytes = options::strip_bytes();
    Value *step = job.marks.front().second;
    Type *integer = step->getType();
    Value *one = ConstantInt::get(integer, 1);
    if (auto *constant = dyn_cast<ConstantInt>(step)) {
        std::uint64_t length = std::max<std::uint64_t>(
            1, bytes / std::max<std::uint64_t>(1, constant->getValue().abs().getLimitedValue()));
        return ConstantInt::get(integer, length >= 64 ? length / 32 * 32 : length);
    }
    if (job.plan->direction == Direction::descending) step = builder.CreateNeg(step);
    Value *positive = builder.CreateBinaryIntrinsic(Intrinsic::umax, step, one);
    Value *length = builder.CreateUDiv(ConstantInt::get(integer, bytes), positive);
    return builder.CreateBinaryIntrinsic(Intrinsic::umax, length, one, nullptr, "stretto.per.strip");
}

// The innermost or outermost of all marks after so many iterations: a send is final up to the lowest, a receive needs the highest.
Value *Transformation::frontier(const Job &job, Value *done, IRBuilder<> &builder) {
    bool lowest = (job.plan->direction == Direction::ascending) == job.plan->is_send();
    Value *result = nullptr;
    for (auto [start, step] : job.marks) {
        Value *offset = builder.CreateAdd(start, builder.CreateMul(done, step), "stretto.frontier");
        result =
            result ? builder.CreateBinaryIntrinsic(lowest ? Intrinsic::smin : Intrinsic::smax, result, offset) : offset;
    }
    return result;
}

void Transformation::hold_where_checks_fail(const Job &job, IRBuilder<> &builder) {
    for (auto [low, high] : job.disjoint)
        builder.CreateCall(runtime.hold_if_overlap(), {job.handle, job.buffer, low, high});
    if (job.ok)
        builder.CreateCall(runtime.hold_unless(),
                           {job.handle, job.buffer, builder.CreateZExt(job.ok, builder.getInt32Ty())});
}

// The handle at the beginning of a block: 0 on ways that did not come through the loop, and in each new turn of the loop around. The
// runtime takes 0 as not begun, and the end makes the plain call.
Value *Transformation::handle_in(const Job &job, BasicBlock *block) {
    BasicBlock *begun = cast<Instruction>(job.handle)->getParent();
    if (begun == block) return job.handle;
    SSAUpdater updater;
    updater.Initialize(runtime.handle, "stretto.handle");
    Constant *none = ConstantInt::get(runtime.handle, 0);
    updater.AddAvailableValue(&block->getParent()->getEntryBlock(), none);
    if (job.around) updater.AddAvailableValue(job.around->getHeader(), none);
    updater.AddAvailableValue(begun, job.handle);
    return updater.GetValueInMiddleOfBlock(block);
}

void Transformation::begin_send(Job &job) {
    const Plan &plan = *job.plan;
    IRBuilder<> builder(job.before_loop);
    builder.SetCurrentDebugLocation(plan.call->getDebugLoc());
    Constant *none = ConstantInt::get(runtime.handle, 0);
    for (auto [earlier, elsewhere] : job.crossed) {
        Value *may = builder.CreateICmpNE(handle_in(*by_call[earlier], job.before_loop->getParent()), none);
        job.begins = both(job.begins, elsewhere ? builder.CreateOr(may, elsewhere) : may, builder);
    }
    if (job.begins) {
        BasicBlock *head = job.before_loop->getParent();
        Instruction *inside = SplitBlockAndInsertIfThen(job.begins, job.before_loop, /*Unreachable=*/false);
        builder.SetInsertPoint(inside);
        builder.SetCurrentDebugLocation(plan.call->getDebugLoc());
        BasicBlock *tail = job.before_loop->getParent();
        PHINode *handle = IRBuilder<>(tail, tail->begin()).CreatePHI(runtime.handle, 2, "stretto.begun");
        handle->addIncoming(none, head);
        handle->addIncoming(none, inside->getParent()); // set below
        job.handle = handle;
    }
    SmallVector<Value *, 8> arguments{job.description};
    arguments.append(job.arguments);
    CallInst *begun =
        builder.CreateCall(runtime.other(plan.mpi->begin, runtime.handle, arguments), arguments, "stretto.begin");
    if (auto *handle = cast_or_null<PHINode>(job.handle))
        handle->setIncomingValueForBlock(begun->getParent(), begun);
    else
        job.handle = begun;
    builder.SetInsertPoint(job.before_loop);
    hold_where_checks_fail(job, builder);
}

// What was a call stays one, and what was an invoke goes on and unwinds as before.
CallBase *replace(CallBase &old, FunctionCallee callee, ArrayRef<Value *> arguments) {
    IRBuilder<> builder(&old);
    CallBase *fresh;
    if (auto *invoke = dyn_cast<InvokeInst>(&old))
        fresh = builder.CreateInvoke(callee, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
    else
        fresh = builder.CreateCall(callee, arguments);
    fresh->setDebugLoc(old.getDebugLoc());
    return fresh;
}

void Transformation::begin_receive(Job &job) {
    const Plan &plan = *job.plan;
    SmallVector<Value *, 10> arguments{job.description};
    for (unsigned argument = 0; argument < plan.mpi->arguments; ++argument)
        if (static_cast<int>(argument) != plan.mpi->ierr()) arguments.push_back(plan.call->getArgOperand(argument));
    CallBase *begun = replace(*plan.call, runtime.other(plan.mpi->begin, runtime.handle, arguments), arguments);
    begun->setName("stretto.begin");
    job.handle = begun;
    end_receive(job);

    Value *buffer = begun->getArgOperand(1);
    IRBuilder<> builder(job.before_loop);
    const DataLayout &layout = known.function.getParent()->getDataLayout();
    for (LoadInst *load : plan.loads_of_message) {
        builder.SetInsertPoint(load);
        Value *low = builder.CreateSub(builder.CreatePtrToInt(load->getPointerOperand(), runtime.handle),
                                       builder.CreatePtrToInt(buffer, runtime.handle));
        Value *high =
            builder.CreateAdd(low, builder.getInt64(layout.getTypeStoreSize(load->getType()).getKnownMinValue()));
        builder.CreateCall(runtime.need_range(), {job.handle, buffer, low, high});
    }
    if (!plan.sent_meanwhile.empty()) {
        auto *invoke = dyn_cast<InvokeInst>(begun);
        builder.SetInsertPoint(invoke ? &*invoke->getNormalDest()->getFirstInsertionPt() : begun->getNextNode());
        builder.SetCurrentDebugLocation(begun->getDebugLoc());
        Value *end = builder.CreateIntToPtr(builder.getInt64(~std::uint64_t(0)),
                                            runtime.pointer); // its length is not known here
        for (CallBase *send : plan.sent_meanwhile)
            builder.CreateCall(runtime.hold_if_overlap(),
                               {job.handle, buffer, send->getArgOperand(MpiCall::buffer), end});
    }
    for (Instruction *near : plan.may_touch) {
        Value *low, *high;
        builder.SetInsertPoint(near);
        if (auto *call = dyn_cast<CallBase>(near)) { // a receive behind it, whose length nobody knows
            low = call->getArgOperand(MpiCall::buffer);
            high = builder.CreateIntToPtr(builder.getInt64(~std::uint64_t(0)), runtime.pointer);
        } else {
            low = getLoadStorePointerOperand(near);
            high =
                builder.CreateGEP(builder.getInt8Ty(), low,
                                  builder.getInt64(layout.getTypeStoreSize(getLoadStoreType(near)).getKnownMinValue()));
        }
        builder.SetCurrentDebugLocation(begun->getDebugLoc());
        builder.CreateCall(runtime.hold_if_overlap(), {job.handle, buffer, low, high});
    }
    builder.SetInsertPoint(job.before_loop);
    builder.SetCurrentDebugLocation(begun->getDebugLoc());
    hold_where_checks_fail(job, builder);
}

// All jobs of one loop.
void Transformation::cut(MutableArrayRef<Job *> jobs) {
    Job &first = *jobs.front();
    Loop &loop = *first.plan->loop;
    bool counted = first.plan->counted;
    Strips strips = counted ? strip_mine(loop, first.iterations, first.per_strip) : count_strips(loop, first.per_strip);
    Value *one = ConstantInt::get(runtime.handle, 1), *none = ConstantInt::get(runtime.handle, 0);
    for (Job *job : jobs) {
        const Plan &plan = *job->plan;
        if (plan.is_send()) {
            IRBuilder<> builder(strips.after_strip);
            Value *ready = frontier(*job, strips.done_next, builder);
            for (Job *receive : jobs) { // in place: no more than has come
                if (receive->plan->is_send() || receive->buffer != job->buffer) continue;
                Value *come = frontier(*receive, builder.CreateSub(strips.done_next, one), builder);
                bool ascending = plan.direction == Direction::ascending;
                ready = builder.CreateBinaryIntrinsic(ascending ? Intrinsic::smin : Intrinsic::smax, ready, come);
            }
            builder.CreateCall(runtime.ready(*plan.direction), {job->handle, job->buffer, ready});
            continue;
        }
        auto need = [&](Instruction *before, Value *done) { // all that the last iteration of the strip reads
            IRBuilder<> builder(before);
            Value *last = builder.CreateSub(builder.CreateAdd(done, strips.length), one);
            builder.CreateCall(runtime.need(*plan.direction),
                               {job->handle, job->buffer, frontier(*job, last, builder)});
        };
        if (counted) {
            need(strips.before_strip, strips.done);
        } else {
            need(job->before_loop, none);
            need(strips.after_strip, strips.done_next);
        }
    }
}

void Transformation::end_send(Job &job) {
    CallBase &call = *job.plan->call;
    SmallVector<Value *, 10> arguments{handle_in(job, call.getParent()), job.description};
    arguments.append(call.arg_begin(), call.arg_end());
    CallBase *end = replace(call, runtime.other(job.plan->mpi->end, call.getType(), arguments), arguments);
    if (!call.use_empty()) call.replaceAllUsesWith(end);
    call.eraseFromParent();
}

void Transformation::end_receive(Job &job) {
    const Plan &plan = *job.plan;
    CallBase &call = *plan.call;
    SmallVector<Value *, 3> arguments{job.handle, call.getArgOperand(plan.mpi->status)};
    if (plan.mpi->ierr() >= 0) arguments.push_back(call.getArgOperand(plan.mpi->ierr()));
    FunctionCallee callee = runtime.other(plan.mpi->end, call.getType(), arguments);
    CallBase *end;
    if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
        BasicBlock *here = job.end_at->getParent(), *pad = invoke->getUnwindDest();
        BasicBlock *rest = here->splitBasicBlock(job.end_at, "stretto.received");
        here->getTerminator()->eraseFromParent();
        end = IRBuilder<>(here).CreateInvoke(callee, rest, pad, arguments);
        for (PHINode &phi : pad->phis()) phi.addIncoming(phi.getIncomingValueForBlock(call.getParent()), here);
    } else {
        end = IRBuilder<>(job.end_at).CreateCall(callee, arguments);
    }
    end->setDebugLoc(call.getDebugLoc());
    if (!call.use_empty()) call.replaceAllUsesWith(end);
    call.eraseFromParent();
}

std::vector<std::string> Transformation::carry_out(Plans &plans) {
    std::vector<Job> jobs;
    std::vector<std::string> told;
    for (auto &[call, plan] : plans) jobs.push_back(expand(plan));
    MapVector<Loop *, SmallVector<Job *, 2>> by_loop;
    for (Job &job : jobs) {
        by_loop[job.plan->loop].push_back(&job);
        by_call[job.plan->call] = &job;
        auto *length = dyn_cast<ConstantInt>(by_loop[job.plan->loop].front()->per_strip);
        told.push_back(length ? std::to_string(length->getZExtValue()) + " iterations" : "a length chosen at run time");
        if (!job.plan->is_send()) job.end_at = &*job.plan->end_block->getFirstInsertionPt();
    }
    // From here on nothing asks the analyses any more: blocks appear and calls change.
    for (Job &job : jobs)
        if (job.plan->is_send())
            begin_send(job);
        else
            begin_receive(job);
    for (auto &[loop, of_loop] : by_loop) cut(of_loop);
    for (Job &job : jobs)
        if (job.plan->is_send()) end_send(job);
    return told;
}

} // namespace

std::vector<std::string> transform(Analyses &analyses, Values &values, Plans &plans) {
    return Transformation(analyses, values).carry_out(plans);
}

// --- preparation ----------------------------------------------------------------------------------------------------------------------

// Does a loop that comes after the copy write the message, too? Then the copy is no part of it.
static bool is_overwritten(const MemIntrinsic &copy, const Value *message, LoopInfo &loops, DominatorTree &dominators) {
    const Loop *around = loops.getLoopFor(copy.getParent());
    ArrayRef<Loop *> beside = around ? around->getSubLoops() : loops.getTopLevelLoops();
    for (const Loop *loop : beside) {
        if (!dominators.dominates(copy.getParent(), loop->getHeader())) continue;
        for (const BasicBlock *block : loop->blocks())
            for (const Instruction &instruction : *block)
                if (auto *store = dyn_cast<StoreInst>(&instruction);
                    store && getUnderlyingObject(store->getPointerOperand(), 0) == message)
                    return true;
    }
    return false;
}

bool reopen_copies(Function &function, FunctionAnalysisManager &manager) {
    std::uint64_t strip_bytes = options::strip_bytes();
    auto &post_dominators = manager.getResult<PostDominatorTreeAnalysis>(function);
    auto &dominators = manager.getResult<DominatorTreeAnalysis>(function);
    auto &loops = manager.getResult<LoopAnalysis>(function);
    SmallVector<MemIntrinsic *, 4> copies;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        const MpiCall *mpi = call ? lookup(*call) : nullptr;
        if (!mpi || mpi->kind == Kind::receive || !options::wants(mpi->kind)) continue;
        const Value *message = getUnderlyingObject(call->getArgOperand(MpiCall::buffer), 0);
        for (Instruction &other : instructions(function)) { // of a memmove the order matters
            auto *copy = dyn_cast<MemIntrinsic>(&other);
            if (!copy || isa<MemMoveInst>(copy) || copy->isVolatile() || is_contained(copies, copy) ||
                !post_dominators.dominates(call->getParent(), copy->getParent()) ||
                getUnderlyingObject(copy->getRawDest(), 0) != message ||
                is_overwritten(*copy, message, loops, dominators))
                continue;
            auto *length = dyn_cast<ConstantInt>(copy->getLength());
            if (!length || length->getZExtValue() > strip_bytes) copies.push_back(copy);
        }
    }
    for (MemIntrinsic *copy : copies) {
        // for (at = 0; at < length; at += strip) mem...(to + at, ..., min(strip, length - at))
        BasicBlock *before = copy->getParent();
        BasicBlock *body = before->splitBasicBlock(copy, "stretto.copy");
        BasicBlock *after = body->splitBasicBlock(std::next(copy->getIterator()), "stretto.copied");
        Value *length = copy->getLength();
        Type *integer = length->getType();
        IRBuilder<> builder(copy);
        PHINode *at = IRBuilder<>(body, body->begin()).CreatePHI(integer, 2, "stretto.at");
        Value *strip = ConstantInt::get(integer, strip_bytes);
        copy->setLength(builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateSub(length, at), strip));
        copy->setDest(builder.CreateGEP(builder.getInt8Ty(), copy->getRawDest(), at));
        copy->setDestAlignment(Align(1)); // of the first strip it may have been more
        if (auto *transfer = dyn_cast<MemCpyInst>(copy)) {
            transfer->setSource(builder.CreateGEP(builder.getInt8Ty(), transfer->getRawSource(), at));
            transfer->setSourceAlignment(Align(1));
        }
        Instruction *jump = body->getTerminator();
        builder.SetInsertPoint(jump);
        Value *next = builder.CreateAdd(at, strip, "stretto.at.next", true);
        builder.CreateCondBr(builder.CreateICmpULT(next, length), body, after);
        jump->eraseFromParent();
        at->addIncoming(ConstantInt::get(integer, 0), before);
        at->addIncoming(next, body);
    }
    if (!copies.empty()) manager.invalidate(function, PreservedAnalyses::none());
    return !copies.empty();
}

void separate_invokes(Function &function) {
    SmallVector<InvokeInst *, 4> invokes;
    for (Instruction &instruction : instructions(function))
        if (auto *invoke = dyn_cast<InvokeInst>(&instruction); invoke && lookup(*invoke)) invokes.push_back(invoke);
    for (InvokeInst *invoke : invokes) {
        BasicBlock *from = invoke->getParent(), *to = invoke->getNormalDest();
        if (to->getSinglePredecessor()) continue;
        BasicBlock *between = BasicBlock::Create(function.getContext(), "stretto.normal", &function, to);
        IRBuilder<>(between).CreateBr(to)->setDebugLoc(invoke->getDebugLoc());
        invoke->setNormalDest(between);
        to->replacePhiUsesWith(from, between);
    }
}

} // namespace stretto::compiler
