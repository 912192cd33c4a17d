#include "Rotation.h"
#include "Calls.h"
#include "Collectives.h"
#include "Effects.h"
#include "Exchanges.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace stretto::compiler {

// Metadata.
static constexpr const char *rotated = "stretto.rotated", *first_turn = "stretto.first.turn";

bool is_rotated(const CallBase &call) {
    return call.getMetadata(rotated);
}

bool is_first_turn(const CallBase &call) {
    return call.getMetadata(first_turn);
}

namespace {

/// What of a loop's turn goes to its bottom: all that runs from the header on to the cut.
struct Top {
    SmallVector<BasicBlock *, 8> blocks; // the last one is that of the cut
    Instruction *cut = nullptr;          // the first instruction that stays
    SmallVector<CallBase *, 4> sends;
};

enum class Part {
    nothing,  // it may be in the top
    message,  // it starts one, and belongs to the top
    boundary, // it stays, and what is behind it
};

Part part(const Instruction &instruction, Top &top) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || isa<IntrinsicInst>(call)) return Part::nothing;
    if (isa<InvokeInst>(call) || call->isConvergent() || call->cannotDuplicate()) return Part::boundary;
    const MpiCall *mpi = lookup(*call);
    if (lookup_start(*call) || (mpi && !mpi->started && mpi->kind == Kind::send)) {
        top.sends.push_back(const_cast<CallBase *>(call));
        return Part::message;
    }
    if (mpi && mpi->is_waited_for()) return Part::message;
    bool communicates = mpi || lookup_wait(*call) || is_exchange(*call) || !other_point_to_point(*call).empty() ||
                        !name_of_collective(*call).empty();
    return communicates ? Part::boundary : Part::nothing;
}

class Finder {
public:
    Finder(Loop &loop, Analyses &known) : loop(loop), known(known) {}

    /// As far as messages are started, before one is received, waited for or filled.
    std::optional<Top> find() {
        if (!loop.isLoopSimplifyForm() || loop.isInnermost()) return {};
        for (BasicBlock *at = loop.getHeader(); at && walk_through(*at);) at = behind(*at);
        if (!top.cut || top.sends.empty()) return {};
        bool any = any_of(top.sends, [&](const CallBase *send) { return is_filled_below(*send); });
        return any ? std::optional(top) : std::nullopt;
    }

private:
    bool is_own(const BasicBlock *block) const { return known.loops.getLoopFor(block) == &loop; }

    // False at a boundary.
    bool walk_through(BasicBlock &block) {
        if (!is_own(&block) || &block == loop.getLoopLatch()) return false;
        walked.push_back(&block);
        for (Instruction &instruction : block) {
            Part is = part(instruction, top);
            if (is == Part::boundary) return false;
            if (is == Part::message) cut_at(instruction.getNextNode());
        }
        return true;
    }

    void cut_at(Instruction *first) {
        top.blocks = walked;
        top.cut = first;
    }

    // Where all ways from this block come together again, or null. What lies on them is walked through: if (up >= 0) MPI_Isend(...).
    BasicBlock *behind(BasicBlock &block) {
        if (BasicBlock *next = block.getSingleSuccessor()) return next == loop.getHeader() ? nullptr : next;
        auto *node = known.post_dominators.getNode(&block);
        BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
        if (!join || !is_own(join)) return nullptr;
        SmallVector<BasicBlock *, 8> aside, work(successors(&block));
        Top there; // what they add
        bool starts = false;
        while (!work.empty()) {
            BasicBlock *one = work.pop_back_val();
            if (one == join || is_contained(aside, one)) continue;
            if (!is_own(one) || one == loop.getHeader() || one == loop.getLoopLatch()) return nullptr;
            aside.push_back(one);
            for (Instruction &instruction : *one) {
                Part is = part(instruction, there);
                if (is == Part::boundary) return nullptr;
                starts |= is == Part::message;
            }
            append_range(work, successors(one));
        }
        append_range(walked, aside);
        append_range(top.sends, there.sends);
        if (starts) {
            cut_at(&*join->getFirstInsertionPt());
            top.blocks.push_back(join);
        }
        return join;
    }

    // Does a loop below the cut write what is sent, or a copy, which is a loop that LLVM has found? Of a request that is started nobody asks.
    bool is_filled_below(const CallBase &send) const {
        const Value *message =
            lookup_start(send) ? nullptr : getUnderlyingObject(send.getArgOperand(MpiCall::buffer), 0);
        return any_of(loop.blocks(), [&](const BasicBlock *block) {
            return !is_contained(top.blocks, block) && any_of(*block, [&](const Instruction &instruction) {
                const Value *written = nullptr;
                if (const auto *copy = dyn_cast<MemIntrinsic>(&instruction))
                    written = copy->getRawDest();
                else if (const auto *store = dyn_cast<StoreInst>(&instruction); store && !is_own(block))
                    written = store->getPointerOperand();
                return written && (!message || is_taken_for(getUnderlyingObject(written, 0), message));
            });
        });
    }

    Loop &loop;
    Analyses &known;
    SmallVector<BasicBlock *, 8> walked;
    Top top;
};

void rotate(Loop &loop, Top &top) {
    BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader();
    BasicBlock *last = top.cut->getParent();
    last->splitBasicBlock(top.cut, "stretto.turn");

    // The copy in front of the loop is for the first turn.
    ValueToValueMapTy first;
    SmallVector<BasicBlock *, 8> copies;
    for (BasicBlock *block : top.blocks) {
        copies.push_back(CloneBasicBlock(block, first, ".first", header->getParent()));
        first[block] = copies.back();
    }
    for (PHINode &phi : header->phis()) {
        cast<PHINode>(first[&phi])->eraseFromParent();
        first[&phi] = phi.getIncomingValueForBlock(before);
        phi.removeIncomingValue(before, /*DeletePHIIfEmpty=*/false);
    }
    remapInstructionsInBlocks(copies, first);
    MDNode *const mark = MDNode::get(header->getContext(), {});
    for (BasicBlock *block : top.blocks)
        for (Instruction &instruction : *block)
            if (auto *call = dyn_cast<CallBase>(&instruction); call && (lookup(*call) || lookup_start(*call))) {
                cast<CallBase>(first[call])->setMetadata(first_turn, mark);
                call->setMetadata(rotated, mark);
            }
    before->getTerminator()->replaceSuccessorWith(header, copies.front());

    // What is used below comes from one or the other.
    const SmallPtrSet<BasicBlock *, 8> inside(top.blocks.begin(), top.blocks.end());
    for (BasicBlock *block : top.blocks)
        for (Instruction &value : *block) {
            SmallVector<Use *, 8> below;
            for (Use &use : value.uses()) {
                const auto *user = cast<Instruction>(use.getUser());
                const auto *phi = dyn_cast<PHINode>(user);
                if (!inside.contains(phi ? phi->getIncomingBlock(use) : user->getParent())) below.push_back(&use);
            }
            SSAUpdater updater;
            if (value.getType()->isVoidTy()) continue;
            updater.Initialize(value.getType(), value.getName());
            updater.AddAvailableValue(block, &value);
            updater.AddAvailableValue(cast<BasicBlock>(first[block]), first[&value]);
            for (Use *use : below) updater.RewriteUse(*use);
#if LLVM_VERSION_MAJOR >= 19
            updater.UpdateDebugValues(&value);
#endif
        }
    FoldSingleEntryPHINodes(header);
}

} // namespace

bool rotate_loops(Function &function, ArrayRef<CallBase *> messages, FunctionAnalysisManager &manager, Splits splits) {
    constexpr unsigned most = 8; // loops that are tried: each costs as much as the function
    bool changed = false;
    SmallVector<bool, 8> now;
    SmallPtrSet<const BasicBlock *, 8> tried;
    while (tried.size() < most) {
        Analyses known(function, manager);
        std::optional<Top> top;
        Loop *loop = nullptr;
        for (Loop *one : known.loops.getLoopsInPreorder()) {
            loop = one;
            if (!tried.contains(one->getHeader()) && (top = Finder(*one, known).find())) break;
        }
        if (!top) break;
        tried.insert(loop->getHeader());
        if (now.empty()) now = Trial(function, messages, manager).result(splits);
        if (all_of(now, [](bool is_split) { return is_split; })) break;

        Trial trial(function, messages, manager);
        {
            Analyses its(trial.function(), manager);
            Loop *same = its.loops.getLoopFor(trial.of(loop->getHeader()));
            if (std::optional<Top> its_top = Finder(*same, its).find()) rotate(*same, *its_top);
            manager.invalidate(trial.function(), PreservedAnalyses::none());
        }
        SmallVector<bool, 8> then = trial.result(splits);
        if (!is_better(now, then)) continue;
        rotate(*loop, *top);
        manager.invalidate(function, PreservedAnalyses::none());
        now = then;
        changed = true;
    }
    return changed;
}

} // namespace stretto::compiler
