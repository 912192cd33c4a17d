#include "Region.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stretto::compiler {

Blocks forward(ArrayRef<BasicBlock *> from, const BasicBlock *stop, const Blocks &barriers) {
    Blocks seen;
    SmallVector<const BasicBlock *, 16> work(from.begin(), from.end());
    while (!work.empty()) {
        const BasicBlock *block = work.pop_back_val();
        if (barriers.contains(block) || !seen.insert(block).second || block == stop) continue;
        for (const BasicBlock *next : successors(block)) work.push_back(next);
    }
    return seen;
}

Blocks backward(const BasicBlock *to, const Blocks &barriers) {
    Blocks seen;
    SmallVector<const BasicBlock *, 16> work{to};
    while (!work.empty()) {
        const BasicBlock *block = work.pop_back_val();
        if (!seen.insert(block).second || barriers.contains(block)) continue;
        for (const BasicBlock *previous : predecessors(block)) work.push_back(previous);
    }
    return seen;
}

BasicBlock *after_call(CallBase &call) {
    auto *invoke = dyn_cast<InvokeInst>(&call);
    return invoke ? invoke->getNormalDest() : call.getParent();
}

Blocks header_of(const Loop *loop) {
    Blocks headers;
    if (loop) headers.insert(loop->getHeader());
    return headers;
}

Blocks headers_around(const Loop *loop) {
    Blocks headers;
    for (const Loop *around = loop->getParentLoop(); around; around = around->getParentLoop())
        headers.insert(around->getHeader());
    return headers;
}

SmallVector<BasicBlock *, 4> exits_of(const Loop &loop) {
    SmallVector<BasicBlock *, 4> exits;
    loop.getUniqueExitBlocks(exits);
    return exits;
}

Blocks blocks_between(const Loop &loop, const CallBase &call) {
    Blocks barriers = headers_around(&loop);
    Blocks after = forward(exits_of(loop), call.getParent(), barriers);
    Blocks both;
    for (const BasicBlock *block : backward(call.getParent(), barriers))
        if (after.contains(block)) both.insert(block);
    return both;
}

SmallVector<Instruction *, 32> between(const Loop &loop, CallBase &call) {
    Blocks region = blocks_between(loop, call);
    SmallVector<Instruction *, 32> result;
    for (BasicBlock &block : *call.getFunction()) { // in the order of the program, so that messages do not vary
        if (!region.contains(&block)) continue;
        for (Instruction &instruction : block) {
            if (&instruction == &call) break;
            result.push_back(&instruction);
        }
    }
    return result;
}

} // namespace stretto::compiler
