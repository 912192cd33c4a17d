#include "StripMine.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace stretto::compiler {

// preheader -> head -> [header ... latch] -> tail -> exit
//               ^                             |
//               +-----------------------------+
//
// The inner loop keeps its blocks, its metadata and its induction variables; only its exit test changes, to a counter of its own from 0 to
// the strip's length. So the vectoriser sees a plain counted loop.
Strips strip_mine(Loop &loop, Value *iterations, Value *per_strip) {
    BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader();
    BasicBlock *latch = loop.getLoopLatch(), *exit = loop.getExitBlock();
    Function *function = header->getParent();
    LLVMContext &context = function->getContext();
    Type *integer = Type::getInt64Ty(context);
    DebugLoc line = loop.getStartLoc();

    BasicBlock *head = BasicBlock::Create(context, "stretto.strip", function, header);
    BasicBlock *tail = BasicBlock::Create(context, "stretto.strip.end", function, exit);
    IRBuilder<> at_head(head), at_tail(tail);
    at_head.SetCurrentDebugLocation(line);
    at_tail.SetCurrentDebugLocation(line);

    // The loop's own variables go on from strip to strip.
    for (PHINode &phi : header->phis()) {
        PHINode *carried = at_head.CreatePHI(phi.getType(), 2, phi.getName() + ".strip");
        PHINode *out = at_tail.CreatePHI(phi.getType(), 1, phi.getName() + ".out");
        out->addIncoming(phi.getIncomingValueForBlock(latch), latch);
        carried->addIncoming(phi.getIncomingValueForBlock(preheader), preheader);
        carried->addIncoming(out, tail);
        int entry = phi.getBasicBlockIndex(preheader);
        phi.setIncomingValue(entry, carried);
        phi.setIncomingBlock(entry, head);
    }
    // Values that leave the loop pass through the tail.
    for (PHINode &phi : exit->phis()) {
        PHINode *out = at_tail.CreatePHI(phi.getType(), 1, phi.getName() + ".out");
        int entry = phi.getBasicBlockIndex(latch);
        out->addIncoming(phi.getIncomingValue(entry), latch);
        phi.setIncomingValue(entry, out);
        phi.setIncomingBlock(entry, tail);
    }

    PHINode *done = at_head.CreatePHI(integer, 2, "stretto.done");
    Value *left = at_head.CreateSub(iterations, done, "stretto.left");
    Value *length = at_head.CreateBinaryIntrinsic(Intrinsic::umin, left, per_strip, nullptr, "stretto.length");
    Instruction *end_of_head = at_head.CreateBr(header);
    Value *done_next = at_tail.CreateAdd(done, length, "stretto.done.next", /*HasNUW=*/true);
    Instruction *end_of_tail = at_tail.CreateCondBr(at_tail.CreateICmpEQ(done_next, iterations), exit, head);
    done->addIncoming(ConstantInt::get(integer, 0), preheader);
    done->addIncoming(done_next, tail);
    preheader->getTerminator()->replaceUsesOfWith(header, head);

    // The inner loop's new exit test.
    PHINode *k = IRBuilder<>(header, header->begin()).CreatePHI(integer, 2, "stretto.k");
    auto *old = cast<BranchInst>(latch->getTerminator());
    IRBuilder<> at_latch(old);
    Value *k_next = at_latch.CreateAdd(k, ConstantInt::get(integer, 1), "stretto.k.next", true, true);
    k->addIncoming(ConstantInt::get(integer, 0), head);
    k->addIncoming(k_next, latch);
    BranchInst *fresh = at_latch.CreateCondBr(at_latch.CreateICmpEQ(k_next, length), tail, header);
    fresh->copyMetadata(*old, {LLVMContext::MD_loop});
    Value *old_test = old->getCondition();
    old->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(old_test);
    return {end_of_head, done, length, end_of_tail, done_next};
}

// latch -> count -> back -> header       The first strip begins in the preheader, each other one in `full`.
//            |       ^
//            +> full +
Strips count_strips(Loop &loop, Value *per_strip) {
    BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader(), *latch = loop.getLoopLatch();
    Function *function = header->getParent();
    LLVMContext &context = function->getContext();
    Type *integer = Type::getInt64Ty(context);
    Constant *zero = ConstantInt::get(integer, 0);

    BasicBlock *count = BasicBlock::Create(context, "stretto.count", function, latch->getNextNode());
    BasicBlock *full = BasicBlock::Create(context, "stretto.full", function, count->getNextNode());
    BasicBlock *back = BasicBlock::Create(context, "stretto.back", function, full->getNextNode());
    IRBuilder<> at_header(header, header->begin()), at_count(count), at_full(full), at_back(back);
    for (IRBuilder<> *builder : {&at_count, &at_full, &at_back}) builder->SetCurrentDebugLocation(loop.getStartLoc());

    for (PHINode &phi : header->phis()) phi.replaceIncomingBlockWith(latch, back);
    PHINode *k = at_header.CreatePHI(integer, 2, "stretto.k"), *done = at_header.CreatePHI(integer, 2, "stretto.done");
    Value *k_next = at_count.CreateAdd(k, ConstantInt::get(integer, 1), "stretto.k.next", true, true);
    at_count.CreateCondBr(at_count.CreateICmpEQ(k_next, per_strip), full, back);
    Value *done_next = at_full.CreateAdd(done, per_strip, "stretto.done.next", true);
    Instruction *end_of_full = at_full.CreateBr(back);
    PHINode *k_back = at_back.CreatePHI(integer, 2), *done_back = at_back.CreatePHI(integer, 2);
    BranchInst *jump = at_back.CreateBr(header);
    jump->copyMetadata(*latch->getTerminator(), {LLVMContext::MD_loop});
    latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    latch->getTerminator()->replaceSuccessorWith(header, count);

    k_back->addIncoming(zero, full);
    k_back->addIncoming(k_next, count);
    done_back->addIncoming(done_next, full);
    done_back->addIncoming(done, count);
    k->addIncoming(zero, preheader);
    k->addIncoming(k_back, back);
    done->addIncoming(zero, preheader);
    done->addIncoming(done_back, back);
    return {nullptr, nullptr, per_strip, end_of_full, done_next};
}

} // namespace stretto::compiler
