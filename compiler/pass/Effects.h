/// What single instructions do: which memory they read and write, and whether an operation may be moved across them.
#pragma once

#include "Calls.h"
#include "Plan.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"

namespace stretto::compiler {

/// The analyses of one function.
struct Analyses {
    Analyses(llvm::Function &function, llvm::FunctionAnalysisManager &manager);

    llvm::Function &function;
    llvm::AAResults &aliases;
    llvm::ScalarEvolution &evolution;
    llvm::LoopInfo &loops;
    llvm::DominatorTree &dominators;
    llvm::PostDominatorTree &post_dominators;
    llvm::TargetLibraryInfo &library;
};

/// Bytes that one load, store or memory intrinsic reads or writes.
struct Access {
    llvm::Value *pointer;
    const llvm::SCEV *bytes;
    bool writes;
};

enum class Touch { no, maybe, yes };

/// Does an access count that only reads?
enum class Of { writes, reads_and_writes };

/// Are these objects one? Two loads of a pointer from one place (s->b before and after a call) are taken to give the same object, and a plan
/// that rests upon it compares them when the program runs.
bool is_taken_for(const llvm::Value *one, const llvm::Value *other);

class Effects {
public:
    explicit Effects(Analyses &analyses) : known(analyses) {}

    /// The object that a pointer points into; looks through induction variables (*p++) and through a choice between an object and null,
    /// as an empty std::vector makes it.
    const llvm::Value *object(const llvm::Value *pointer) const;

    /// Do both point into one object, as far as is_taken_for() knows?
    bool are_taken_for_one(const llvm::Value *one, const llvm::Value *other) const {
        return is_taken_for(object(one), object(other));
    }

    bool are_apart(const llvm::Value *one, const llvm::Value *other) const;

    /// Does the instruction write (or read) the object that a pointer points into?
    Touch touches(const llvm::Instruction &instruction, const llvm::Value *memory, Of of) const;
    /// All that it reads and writes; empty: not known.
    llvm::SmallVector<Access, 2> accesses(llvm::Instruction &instruction) const;
    /// May it write there? An MPI send writes nothing but its request and ierr; nor does MPI_Irecv, since nobody may look at its message until
    /// it has been waited for.
    bool may_write(llvm::Instruction &instruction, const llvm::MemoryLocation &where) const;

    /// Why no operation may be moved across the instruction: it may communicate, order memory between threads, or not come back.
    std::optional<Refusal> orders(const llvm::Instruction &instruction) const;

private:
    bool is_harmless(const llvm::CallBase &call) const;

    Analyses &known;
};

} // namespace stretto::compiler
