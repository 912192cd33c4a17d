#include "Transform.h"
#include "Options.h"
#include "Rotation.h"
#include "Runtime.h"
#include "StripMine.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

#include <deque>

using namespace llvm;

namespace stretto::compiler {

namespace {

/// A plan, and what was made of it in front of its loop before anything was moved.
struct Job {
    Plan *plan;
    Instruction *before_loop; // the end of the preheader
    Loop *around;             // both the loop and the call, or null
    DebugLoc line;            // of the call, which will be another one
    Value *waited = nullptr;  // the buffer where a receive is waited for
    SmallVector<Value *, 8>
        near; // the buffer at each load of the message, each access that may touch it, each call aside
    Value *description = nullptr; // struct stretto_call
    Value *buffer = nullptr;
    SmallVector<Value *, 8> arguments;                 // of a send's begin
    SmallVector<std::pair<Value *, Value *>, 4> marks; // offset in the message in iteration 0, and step
    // Of blocks alike: the same of the first one. There are some if this is so (i1).
    SmallVector<std::pair<Value *, Value *>, 4> lowest, highest;
    Value *stride = nullptr, *blocks = nullptr, *are_alike = nullptr;
    SmallVector<std::pair<Value *, Value *>, 4> disjoint, other_disjoint;
    Value *ok = nullptr;     // i1: what can be checked without the runtime; null: nothing is to be checked
    Value *begins = nullptr; // i1: may it begin?
    Value *iterations = nullptr;
    SmallVector<std::pair<CallBase *, Value *>, 2>
        crossed;                      // a send before it, and whether that one goes elsewhere (i1)
    SmallVector<Value *, 2> statuses; // of a receive, at each of its ends

    Value *begun = nullptr;         // the handle where it begins
    BasicBlock *begun_in = nullptr; // from which block on there is one
    Value *handle = nullptr;        // the handle in front of the loop
};

class Transformation {
public:
    Transformation(Analyses &known, Values &values)
        : known(known), values(values), runtime(*known.function.getParent()), expander(known.evolution) {}

    std::vector<std::string> carry_out(Plans &plans);
    std::vector<std::string> carry_out(CollectivePlans &plans);

private:
    Job expand(Plan &plan);
    SmallVector<Value *, 8> started(Plan &plan, Value *buffer, IRBuilder<> &builder);
    Value *is_last_turn(Loop &sweep, Instruction *at);
    Value *per_strip(ArrayRef<Job *> jobs);

    void begin_send(Job &job);
    void begin_receive(Job &job);
    BasicBlock *block_of(const Plan::End &end);
    void begin_waited(Job &job);
    void begin_received(Job &job);
    void hold_where_checks_fail(const Job &job, IRBuilder<> &builder);
    void cut(MutableArrayRef<Job *> jobs);
    void end_send(Job &job);
    CallBase *open(CallBase &call, Job *fed, Job *used);
    void close(CallBase &opened, CallBase &call, Instruction *at);
    void use(Job &job, CallBase &opened);
    Value *value_in(BasicBlock *block, Value *value, BasicBlock *from, const Job &job);
    Value *handle_in(const Job &job, BasicBlock *block);
    Value *frontier(const Job &job, Value *done, IRBuilder<> &builder);
    void say_blocks(const Job &job, Value *low, Value *high, Value *frontier, IRBuilder<> &builder);

    Analyses &known;
    Values &values;
    Runtime runtime;
    Expander expander;
    DenseMap<CallBase *, Job *> by_call;
    DenseMap<std::pair<BasicBlock *, BasicBlock *>, BasicBlock *> made; // blocks on edges
};

Value *both(Value *one, Value *other, IRBuilder<> &builder) {
    return one ? builder.CreateAnd(one, other) : other;
}

Job Transformation::expand(Plan &plan) {
    Job job{&plan, plan.loop->getLoopPreheader()->getTerminator(), known.loops.getLoopFor(plan.opens_at().getParent()),
            plan.call->getDebugLoc()};
    Instruction *at = job.before_loop;
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(plan.call->getDebugLoc());
    auto expand = [&](const SCEV *expression, Type *type) {
        return expander.expandCodeFor(values.early(expression, plan), type, at);
    };

    job.description = runtime.describe_call(*plan.call);
    // The value of something that the call of a receive has.
    auto received = [&](Value *value, const Instruction *where) {
        auto *made = dyn_cast<Instruction>(value);
        if (!made || known.dominators.dominates(made, where)) return value;
        return value_in(const_cast<BasicBlock *>(where->getParent()), value, made->getParent(), job);
    };
    job.buffer = plan.is_send() ? values.before_loop(plan.buffer(), plan, Emit::yes) : received(plan.buffer(), at);
    if (plan.wait) job.waited = received(plan.buffer(), plan.wait);
    for (LoadInst *load : plan.loads_of_message) job.near.push_back(received(plan.buffer(), load));
    for (Instruction *one : plan.may_touch) job.near.push_back(received(plan.buffer(), one));
    for (Instruction *one : plan.aside) job.near.push_back(received(plan.buffer(), one));
    if (!plan.is_send() && (plan.wait || plan.mpi->status >= 0)) {
        Value *status = plan.wait ? plan.wait->getArgOperand(lookup_wait(*plan.wait)->statuses)
                                  : plan.call->getArgOperand(plan.mpi->status);
        for (const Plan::End &end : plan.ends)
            job.statuses.push_back(
                received(status, end.from ? end.from->getTerminator() : &*end.to->getFirstInsertionPt()));
    }
    auto offset = [&](const SCEV *address) {
        Value *place = builder.CreatePtrToInt(expand(address, runtime.pointer), runtime.handle);
        return builder.CreateSub(place, builder.CreatePtrToInt(job.buffer, runtime.handle));
    };
    auto add_mark = [&](SmallVector<std::pair<Value *, Value *>, 4> &marks, const SCEVAddRecExpr *address) {
        std::pair<Value *, Value *> one{offset(address->getStart()),
                                        expand(address->getStepRecurrence(known.evolution), runtime.handle)};
        if (!is_contained(marks, one)) marks.push_back(one);
    };
    for (const Mark &mark : plan.marks) add_mark(job.marks, mark.address);
    if (plan.blocks) {
        for (const SCEVAddRecExpr *address : plan.blocks->lowest) add_mark(job.lowest, address);
        for (const SCEVAddRecExpr *address : plan.blocks->highest) add_mark(job.highest, address);
        job.stride = expand(plan.blocks->stride, runtime.handle);
        job.blocks = expand(plan.blocks->count, runtime.handle);
        Value *extent = expand(plan.blocks->extent, runtime.handle);
        job.are_alike = builder.CreateICmpSGE(job.stride, extent, "stretto.alike");
    }
    for (const Range &range : plan.must_be_disjoint)
        job.disjoint.push_back({expand(range.low, runtime.pointer), expand(range.high, runtime.pointer)});
    for (const Range &range : plan.other_must_be_disjoint)
        job.other_disjoint.push_back({expand(range.low, runtime.pointer), expand(range.high, runtime.pointer)});
    for (const SCEV *step : plan.must_be_positive) {
        Value *value = expand(step, step->getType());
        job.ok = both(job.ok, builder.CreateICmpSGT(value, ConstantInt::get(step->getType(), 0)), builder);
    }
    for (const SCEVPredicate *assumption : plan.must_hold)
        job.ok = both(job.ok, builder.CreateNot(expander.expandCodeForPredicate(assumption, at)), builder);

    for (auto [one, other] : plan.must_be_same) {
        Value *early = values.before_loop(one, plan, Emit::yes);
        Value *message = plan.is_send() ? values.before_loop(other, plan, Emit::yes) : received(other, at);
        job.ok = both(job.ok, builder.CreateICmpEQ(early, message, "stretto.same"), builder);
    }
    if (plan.is_send()) {
        if (plan.start) job.arguments = started(plan, job.buffer, builder);
        for (unsigned argument = 0; !plan.start && argument < plan.mpi->arguments; ++argument)
            if (argument == MpiCall::buffer)
                job.arguments.push_back(job.buffer);
            else if (!plan.mpi->is_output(argument))
                job.arguments.push_back(values.argument(*plan.call, *plan.mpi, argument, plan, Emit::yes));
        for (const Plan::Apart &apart : plan.arguments_apart) {
            Value *bytes = builder.getInt64(apart.bytes);
            if (apart.of_many) {
                Value *many = plan.mpi->fortran ? values.by_reference(apart.of_many, plan.opens_at(), plan, Emit::yes)
                                                : values.before_loop(apart.of_many, plan, Emit::yes);
                bytes = builder.CreateMul(bytes, builder.CreateSExt(many, builder.getInt64Ty()));
            }
            Value *end = builder.CreateGEP(builder.getInt8Ty(), apart.argument, bytes);
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
    return job;
}

// What is told of the requests that will be started.
SmallVector<Value *, 8> Transformation::started(Plan &plan, Value *buffer, IRBuilder<> &builder) {
    const WaitCall &mpi = *lookup_start(*plan.start);
    Value *count = builder.getInt32(1);
    if (mpi.count >= 0) {
        count = plan.start->getArgOperand(static_cast<unsigned>(mpi.count));
        count = mpi.fortran ? values.by_reference(count, *plan.start, plan, Emit::yes)
                            : values.before_loop(count, plan, Emit::yes);
    }
    Value *requests = plan.start->getArgOperand(static_cast<unsigned>(mpi.requests));
    return {buffer, count, values.before_loop(requests, plan, Emit::yes)};
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

// Iterations per strip: so many bytes of the message, a multiple of 32 where that leaves the vectoriser no rest. The runtime says how many, or the
// user does. Where nothing has begun, the loop is one strip.
Value *Transformation::per_strip(ArrayRef<Job *> jobs) {
    IRBuilder<> builder(jobs.front()->before_loop);
    builder.SetCurrentDebugLocation(jobs.front()->line);
    auto at_most = [&](Value *a, Value *b) { return builder.CreateBinaryIntrinsic(Intrinsic::umin, a, b); };
    Value *bytes = nullptr;
    for (Job *job : jobs) {
        Value *its = builder.getInt64(options::strip_bytes());
        if (!options::strip_bytes()) its = builder.CreateCall(runtime.strip(), {job->handle});
        bytes = bytes ? at_most(bytes, its) : its;
    }
    // More than any message: so no offset of a strip's end can be too large for an integer.
    bytes = at_most(bytes, builder.getInt64(std::uint64_t(1) << 48));
    Value *step = jobs.front()->marks.front().second, *one = builder.getInt64(1);
    if (jobs.front()->plan->direction == Direction::descending) step = builder.CreateNeg(step);
    step = builder.CreateBinaryIntrinsic(Intrinsic::umax, step, one);
    Value *length = builder.CreateBinaryIntrinsic(Intrinsic::umax, builder.CreateUDiv(bytes, step), one);
    Value *even = builder.CreateAnd(length, builder.getInt64(~std::uint64_t(31)));
    return builder.CreateSelect(builder.CreateICmpUGE(length, builder.getInt64(64)), even, length, "stretto.per.strip");
}

// The lowest or highest of marks after so many iterations.
Value *extreme(ArrayRef<std::pair<Value *, Value *>> marks, bool lowest, Value *done, IRBuilder<> &builder) {
    Value *result = nullptr;
    for (auto [start, step] : marks) {
        Value *offset = builder.CreateAdd(start, builder.CreateMul(done, step), "stretto.frontier");
        result =
            result ? builder.CreateBinaryIntrinsic(lowest ? Intrinsic::smin : Intrinsic::smax, result, offset) : offset;
    }
    return result;
}

// The innermost or outermost of all marks after so many iterations: a send is final up to the lowest, a receive needs the highest.
Value *Transformation::frontier(const Job &job, Value *done, IRBuilder<> &builder) {
    bool lowest = (job.plan->direction == Direction::ascending) == job.plan->is_send();
    return extreme(job.marks, lowest, done, builder);
}

// Of blocks that turn out not to be alike: one block, from the message's begin to its frontier.
void Transformation::say_blocks(const Job &job, Value *low, Value *high, Value *frontier, IRBuilder<> &builder) {
    auto choose = [&](Value *alike, Value *otherwise) { return builder.CreateSelect(job.are_alike, alike, otherwise); };
    FunctionCallee callee = job.plan->is_send() ? runtime.ready_blocks() : runtime.need_blocks();
    Value *from = job.plan->is_send() ? low : choose(low, builder.getInt64(0));
    builder.CreateCall(callee, {job.handle, job.buffer, from, choose(high, frontier), job.stride,
                                choose(job.blocks, builder.getInt64(1))});
}

void Transformation::hold_where_checks_fail(const Job &job, IRBuilder<> &builder) {
    for (auto [low, high] : job.disjoint)
        builder.CreateCall(runtime.hold_if_overlap(), {job.handle, job.buffer, low, high});
    for (auto [low, high] : job.other_disjoint)
        builder.CreateCall(runtime.hold_if_other_overlaps(), {job.handle, job.buffer, low, high});
    if (job.ok)
        builder.CreateCall(runtime.hold_unless(),
                           {job.handle, job.buffer, builder.CreateZExt(job.ok, builder.getInt32Ty())});
}

// A value at the beginning of a block: 0 on ways that did not come through where it is made, and in each new turn of the loop around.
Value *Transformation::value_in(BasicBlock *block, Value *value, BasicBlock *from, const Job &job) {
    if (from == block) return value;
    SSAUpdater updater;
    updater.Initialize(value->getType(), "stretto.handle");
    Constant *none = Constant::getNullValue(value->getType());
    updater.AddAvailableValue(&block->getParent()->getEntryBlock(), none);
    if (job.around) updater.AddAvailableValue(job.around->getHeader(), none);
    updater.AddAvailableValue(from, value);
    return updater.GetValueInMiddleOfBlock(block);
}

// The runtime takes 0 as not begun: a send's end makes the plain call, a receive's has nothing to do.
Value *Transformation::handle_in(const Job &job, BasicBlock *block) {
    return value_in(block, job.begun, job.begun_in, job);
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
    job.begun = job.handle;
    job.begun_in = cast<Instruction>(job.handle)->getParent();
    builder.SetInsertPoint(job.before_loop);
    hold_where_checks_fail(job, builder);
}

// Where it goes on.
Instruction *after(CallBase &call) {
    auto *invoke = dyn_cast<InvokeInst>(&call);
    return invoke ? &*invoke->getNormalDest()->getFirstInsertionPt() : call.getNextNode();
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

// In front of the wait, which then finds no request.
void Transformation::begin_waited(Job &job) {
    CallBase &wait = *job.plan->wait;
    const WaitCall &mpi = *lookup_wait(wait);
    IRBuilder<> builder(&wait);
    builder.SetCurrentDebugLocation(job.line);
    Value *count = mpi.count < 0 ? builder.getInt32(1) : wait.getArgOperand(mpi.count);
    if (mpi.count >= 0 && mpi.fortran) count = builder.CreateLoad(builder.getInt32Ty(), count);
    SmallVector<Value *, 4> arguments{job.description, job.waited, count, wait.getArgOperand(mpi.requests)};
    job.begun =
        builder.CreateCall(runtime.other(job.plan->mpi->begin, runtime.handle, arguments), arguments, "stretto.begin");
}

void Transformation::begin_received(Job &job) {
    CallBase &call = *job.plan->call;
    SmallVector<Value *, 10> arguments{job.description};
    arguments.append(call.arg_begin(), call.arg_end());
    CallBase *begun = replace(call, runtime.other(job.plan->mpi->begin, runtime.handle, arguments), arguments);
    begun->setName("stretto.begin");
    job.begun = begun;
    if (!call.use_empty()) {
        IRBuilder<> builder(after(*begun));
        builder.SetCurrentDebugLocation(call.getDebugLoc());
        SmallVector<Value *, 1> handle{begun};
        call.replaceAllUsesWith(
            builder.CreateCall(runtime.other("stretto_recv_error", call.getType(), handle), handle));
    }
    call.eraseFromParent();
}

// The block that it begins; an edge gets one, for all messages that end there.
BasicBlock *Transformation::block_of(const Plan::End &end) {
    auto [from, to] = end;
    if (!from) return to;
    BasicBlock *&between = made[{from, to}];
    if (between) return between;
    between = BasicBlock::Create(to->getContext(), "stretto.end", to->getParent(), to);
    IRBuilder<>(between).CreateBr(to)->setDebugLoc(from->getTerminator()->getDebugLoc());
    from->getTerminator()->replaceSuccessorWith(to, between);
    for (PHINode &phi : to->phis()) {
        phi.setIncomingBlock(phi.getBasicBlockIndex(from), between);
        for (int other; (other = phi.getBasicBlockIndex(from)) >= 0;) phi.removeIncomingValue(other, false);
    }
    return between;
}

void Transformation::begin_receive(Job &job) {
    const Plan &plan = *job.plan;
    const DebugLoc line = job.line;
    Value *message = plan.wait ? job.waited : plan.buffer();
    Type *result = plan.mpi->fortran ? Type::getVoidTy(known.function.getContext()) : plan.call->getType();
    if (plan.wait)
        begin_waited(job);
    else
        begin_received(job);
    Instruction *opened = after(plan.wait ? *plan.wait : *cast<CallBase>(job.begun));
    job.begun_in = opened->getParent();
    job.handle = handle_in(job, job.before_loop->getParent());
    for (auto [end, status] : zip(plan.ends, job.statuses)) {
        BasicBlock *block = block_of(end);
        SmallVector<Value *, 2> arguments{handle_in(job, block), status};
        IRBuilder<>(block, block->getFirstInsertionPt())
            .CreateCall(runtime.other(plan.mpi->end, result, arguments), arguments)
            ->setDebugLoc(line);
    }

    IRBuilder<> builder(job.before_loop);
    const DataLayout &layout = known.function.getParent()->getDataLayout();
    auto at = job.near.begin();
    for (LoadInst *load : plan.loads_of_message) {
        builder.SetInsertPoint(load);
        Value *buffer = *at++;
        Value *low = builder.CreateSub(builder.CreatePtrToInt(load->getPointerOperand(), runtime.handle),
                                       builder.CreatePtrToInt(buffer, runtime.handle));
        Value *high =
            builder.CreateAdd(low, builder.getInt64(layout.getTypeStoreSize(load->getType()).getKnownMinValue()));
        builder.CreateCall(runtime.need_range(), {handle_in(job, load->getParent()), buffer, low, high});
    }
    Value *last = builder.getInt64(~std::uint64_t(0)); // of a message whose length is not known here
    for (CallBase *send : plan.sent_meanwhile) {
        builder.SetInsertPoint(opened);
        builder.SetCurrentDebugLocation(line);
        builder.CreateCall(runtime.hold_if_overlap(), {job.begun, message, send->getArgOperand(MpiCall::buffer),
                                                       builder.CreateIntToPtr(last, runtime.pointer)});
    }
    for (Instruction *near : plan.may_touch) {
        Value *low, *high;
        builder.SetInsertPoint(near);
        if (auto *call = dyn_cast<CallBase>(near)) { // a receive behind it
            low = call->getArgOperand(MpiCall::buffer);
            high = builder.CreateIntToPtr(last, runtime.pointer);
        } else {
            low = getLoadStorePointerOperand(near);
            high =
                builder.CreateGEP(builder.getInt8Ty(), low,
                                  builder.getInt64(layout.getTypeStoreSize(getLoadStoreType(near)).getKnownMinValue()));
        }
        builder.SetCurrentDebugLocation(line);
        builder.CreateCall(runtime.hold_if_overlap(), {handle_in(job, near->getParent()), *at++, low, high});
    }
    for (Instruction *aside : plan.aside) {
        builder.SetInsertPoint(aside);
        builder.CreateCall(runtime.hold_unless(), {handle_in(job, aside->getParent()), *at++, builder.getInt32(0)});
    }
    builder.SetInsertPoint(job.before_loop);
    builder.SetCurrentDebugLocation(line);
    hold_where_checks_fail(job, builder);
}

// All jobs of one loop.
void Transformation::cut(MutableArrayRef<Job *> jobs) {
    Job &first = *jobs.front();
    Loop &loop = *first.plan->loop;
    bool counted = first.plan->counted;
    Value *length = per_strip(jobs);
    Strips strips = counted ? strip_mine(loop, first.iterations, length) : count_strips(loop, length);
    Value *one = ConstantInt::get(runtime.handle, 1), *none = ConstantInt::get(runtime.handle, 0);
    for (Job *job : jobs) {
        const Plan &plan = *job->plan;
        if (plan.is_send()) {
            IRBuilder<> builder(strips.after_strip);
            Value *ready = frontier(*job, strips.done_next, builder);
            if (plan.blocks) {
                Value *done = builder.CreateSub(strips.done_next, strips.length);
                say_blocks(*job, extreme(job->lowest, true, done, builder),
                           extreme(job->lowest, true, strips.done_next, builder), ready, builder);
                continue;
            }
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
            if (plan.blocks) {
                say_blocks(*job, extreme(job->lowest, true, done, builder), extreme(job->highest, false, last, builder),
                           frontier(*job, last, builder), builder);
                return;
            }
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
    if (CallBase *start = job.plan->start) { // which then finds its message begun
        SmallVector<Value *, 1> handle{handle_in(job, start->getParent())};
        Type *none = Type::getVoidTy(known.function.getContext());
        IRBuilder<>(start).CreateCall(runtime.other(job.plan->mpi->end, none, handle), handle)->setDebugLoc(job.line);
        return;
    }
    CallBase &call = *job.plan->call;
    SmallVector<Value *, 10> arguments{handle_in(job, call.getParent()), job.description};
    arguments.append(call.arg_begin(), call.arg_end());
    CallBase *end = replace(call, runtime.other(job.plan->mpi->end, call.getType(), arguments), arguments);
    if (!call.use_empty()) call.replaceAllUsesWith(end);
    call.eraseFromParent();
}

// Behind another call, which unwinds as this one does.
CallBase *insert_as(CallBase &call, FunctionCallee callee, ArrayRef<Value *> arguments, Instruction *at) {
    CallBase *fresh;
    if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
        BasicBlock *here = at->getParent(), *pad = invoke->getUnwindDest();
        BasicBlock *rest = here->splitBasicBlock(at, "stretto.received");
        here->getTerminator()->eraseFromParent();
        fresh = IRBuilder<>(here).CreateInvoke(callee, rest, pad, arguments);
        for (PHINode &phi : pad->phis()) phi.addIncoming(phi.getIncomingValueForBlock(call.getParent()), here);
    } else {
        fresh = IRBuilder<>(at).CreateCall(callee, arguments);
    }
    fresh->setDebugLoc(call.getDebugLoc());
    return fresh;
}

// As per_strip() has it. step: bytes, 0 where it is not known.
std::string strip_text(std::uint64_t step) {
    if (!options::strip_bytes() || !step) return "a length chosen at run time";
    const std::uint64_t length = std::max<std::uint64_t>(1, options::strip_bytes() / step);
    return std::to_string(length >= 64 ? length / 32 * 32 : length) + " iterations";
}

std::vector<std::string> Transformation::carry_out(Plans &plans) {
    std::vector<Job> jobs;
    std::vector<std::string> told;
    for (auto &[call, plan] : plans) jobs.push_back(expand(plan));
    MapVector<Loop *, SmallVector<Job *, 2>> by_loop;
    for (Job &job : jobs) {
        by_loop[job.plan->loop].push_back(&job);
        by_call[job.plan->call] = &job;
        auto *step = dyn_cast<ConstantInt>(by_loop[job.plan->loop].front()->marks.front().second);
        told.push_back(step ? strip_text(step->getValue().abs().getLimitedValue()) : strip_text(0));
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

// --- collectives: one call becomes the one that opens it and the one that closes it ---------------------------------------------------

CallBase *Transformation::open(CallBase &call, Job *fed, Job *used) {
    const Collective &mpi = *lookup_collective(call);
    IRBuilder<> builder(&call);
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    SmallVector<Value *, 12> arguments{builder.getInt64(0), (fed ? fed : used)->description};
    for (unsigned argument = 0; argument < mpi.fed.arguments; ++argument) {
        if (mpi.fed.is_output(argument)) continue;
        Value *value = call.getArgOperand(argument);
        bool is_read = mpi.fed.fortran && mpi.fed.is_scalar(argument);
        arguments.push_back(is_read ? builder.CreateLoad(builder.getInt32Ty(), value, "stretto.argument") : value);
    }
    CallBase *opened = replace(call, runtime.other(mpi.open, runtime.handle, arguments), arguments);
    opened->setName("stretto.open");
    for (Job *job : {fed, used})
        if (job) job->plan->call = opened;
    return opened;
}

void Transformation::close(CallBase &opened, CallBase &call, Instruction *at) {
    const Collective &mpi = *lookup_collective(call);
    SmallVector<Value *, 2> arguments{&opened};
    if (mpi.used.ierr() >= 0) arguments.push_back(call.getArgOperand(mpi.used.ierr()));
    CallBase *closed = insert_as(call, runtime.other(mpi.used.end, call.getType(), arguments), arguments, at);
    if (!call.use_empty()) call.replaceAllUsesWith(closed);
    call.eraseFromParent();
}

// As a receive, which it is from where it is open.
void Transformation::use(Job &job, CallBase &opened) {
    const Plan &plan = *job.plan;
    job.handle = &opened;
    Value *buffer = plan.buffer();
    IRBuilder<> builder(job.before_loop);
    const DataLayout &layout = known.function.getParent()->getDataLayout();
    auto bytes_of = [&](Instruction *access) {
        return builder.getInt64(layout.getTypeStoreSize(getLoadStoreType(access)).getKnownMinValue());
    };
    for (LoadInst *load : plan.loads_of_message) {
        builder.SetInsertPoint(load);
        Value *low = builder.CreateSub(builder.CreatePtrToInt(load->getPointerOperand(), runtime.handle),
                                       builder.CreatePtrToInt(buffer, runtime.handle));
        builder.CreateCall(runtime.need_range(), {job.handle, buffer, low, builder.CreateAdd(low, bytes_of(load))});
    }
    for (Instruction *near : plan.may_touch) {
        builder.SetInsertPoint(near);
        builder.SetCurrentDebugLocation(opened.getDebugLoc());
        Value *low = getLoadStorePointerOperand(near);
        Value *high = builder.CreateGEP(builder.getInt8Ty(), low, bytes_of(near));
        builder.CreateCall(runtime.hold_if_overlap(), {job.handle, buffer, low, high});
    }
    builder.SetInsertPoint(job.before_loop);
    builder.SetCurrentDebugLocation(opened.getDebugLoc());
    hold_where_checks_fail(job, builder);
}

std::vector<std::string> Transformation::carry_out(CollectivePlans &plans) {
    std::deque<Job> jobs; // which stay where they are
    std::vector<std::string> told;
    struct Work {
        CallBase *call;
        Job *fed, *used;
        Instruction *close_at;
    };
    SmallVector<Work, 4> all;
    MapVector<Loop *, SmallVector<Job *, 2>> by_loop;
    auto add = [&](std::optional<Plan> &plan) -> Job * {
        if (!plan) return nullptr;
        Job &job = jobs.emplace_back(expand(*plan));
        by_loop[plan->loop].push_back(&job);
        auto *step = dyn_cast<ConstantInt>(by_loop[plan->loop].front()->marks.front().second);
        told.push_back(step ? strip_text(step->getValue().abs().getLimitedValue()) : strip_text(0));
        return &job;
    };
    for (auto &[call, plan] : plans) {
        Job *fed = add(plan.fed), *used = add(plan.used);
        if (fed || used)
            all.push_back({call, fed, used, used ? &*plan.used->end_block->getFirstInsertionPt() : nullptr});
    }
    // From here on nothing asks the analyses any more: blocks appear and calls change.
    for (Work &work : all) {
        CallBase *opened = open(*work.call, work.fed, work.used);
        auto *invoke = dyn_cast<InvokeInst>(opened);
        Instruction *behind = invoke ? &*invoke->getNormalDest()->getFirstInsertionPt() : opened->getNextNode();
        close(*opened, *work.call,
              work.close_at         ? work.close_at
              : behind == work.call ? behind->getNextNode()
                                    : behind);
        work.call = opened;
    }
    for (Work &work : all) {
        if (work.fed) begin_send(*work.fed);
        if (work.used) use(*work.used, *work.call);
    }
    for (auto &[loop, of_loop] : by_loop) cut(of_loop);
    for (Work &work : all)
        if (work.fed) work.call->setArgOperand(0, handle_in(*work.fed, work.call->getParent()));
    return told;
}

} // namespace

std::vector<std::string> transform(Analyses &analyses, Values &values, Plans &plans) {
    return Transformation(analyses, values).carry_out(plans);
}

std::vector<std::string> transform(Analyses &analyses, Values &values, CollectivePlans &plans) {
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
    constexpr std::uint64_t usual = 8 << 10;
    const std::uint64_t strip_bytes = options::strip_bytes() ? options::strip_bytes() : usual;
    auto &post_dominators = manager.getResult<PostDominatorTreeAnalysis>(function);
    auto &dominators = manager.getResult<DominatorTreeAnalysis>(function);
    auto &loops = manager.getResult<LoopAnalysis>(function);
    SmallVector<MemIntrinsic *, 4> copies;
    SmallVector<const CallBase *, 4> starts;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && lookup_start(*call)) starts.push_back(call);
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        const MpiCall *mpi = call ? lookup(*call) : nullptr;
        if (!mpi || !options::wants(mpi->kind)) continue;
        const Value *message = getUnderlyingObject(call->getArgOperand(MpiCall::buffer), 0);
        auto is_part = [&](const MemIntrinsic &copy) {  // of what is sent, or of what is done with what was received
            auto is_sent = [&](const CallBase *where) { // in this turn, or if there is another one
                return post_dominators.dominates(where->getParent(), copy.getParent()) ||
                       (is_rotated(*where) &&
                        loops.getLoopFor(where->getParent()) == loops.getLoopFor(copy.getParent()));
            };
            if (mpi->kind == Kind::send)
                return (mpi->started ? any_of(starts, is_sent) : is_sent(call)) &&
                       is_taken_for(getUnderlyingObject(copy.getRawDest(), 0), message) &&
                       !is_overwritten(copy, message, loops, dominators);
            const auto *transfer = dyn_cast<MemCpyInst>(&copy);
            return transfer && dominators.dominates(call, transfer) &&
                   is_taken_for(getUnderlyingObject(transfer->getRawSource(), 0), message);
        };
        for (Instruction &other : instructions(function)) { // of a memmove the order matters
            auto *copy = dyn_cast<MemIntrinsic>(&other);
            if (!copy || isa<MemMoveInst>(copy) || copy->isVolatile() || is_contained(copies, copy) || !is_part(*copy))
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
        if (auto *invoke = dyn_cast<InvokeInst>(&instruction);
            invoke && (lookup(*invoke) || lookup_wait(*invoke) || lookup_start(*invoke) || lookup_collective(*invoke)))
            invokes.push_back(invoke);
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
