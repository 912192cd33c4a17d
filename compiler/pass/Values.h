/// Values that the call has, made before the loop.
#pragma once

#include "Effects.h"

namespace stretto::compiler {

/// Pure computations and loads that cannot have changed are cloned in front of the loop with Emit::yes. With Emit::no nothing changes, and
/// the answer is only whether it can be done (not null).
enum class Emit { no, yes };

class Values {
public:
    Values(Analyses &analyses, Effects &effects) : known(analyses), effects(effects) {}

    /// A value as it will be at the call, provided that the call is reached from the loop of this plan in the same turn; or null.
    llvm::Value *before_loop(llvm::Value *value, const Plan &plan, Emit emit) const;

    /// An argument of a call (the plan's own, or one between the loop and it): a Fortran argument is read. What must not lie in what the
    /// loop writes is noted in the plan, if one is given.
    llvm::Value *argument(const llvm::CallBase &call, const MpiCall &mpi, unsigned argument, Plan &plan,
                          Emit emit) const;

    /// Does the memory there, of `of_many` things of so many bytes (null: one), stay as it is from the front of the loop to the call? Where the
    /// loop might write it, the plan compares.
    bool is_kept(llvm::Value *pointer, unsigned bytes, llvm::Value *of_many, Plan &plan) const;

    /// Fortran: what an argument of a call will be, read before the loop.
    llvm::Value *by_reference(llvm::Value *pointer, const llvm::CallBase &call, Plan &plan, Emit emit) const;

    /// Can this be computed in front of the loop? In front of a send's loop also of values that the program computes behind it.
    bool is_expandable(const llvm::SCEV *expression, const Plan &plan) const;

    /// The same expression of values that are there in front of the loop; it must be expandable.
    const llvm::SCEV *early(const llvm::SCEV *expression, const Plan &plan) const;

    /// All bytes that an access touches in the loop, as known before it.
    std::optional<Range> range_of(const Access &access, Plan &plan) const;

private:
    llvm::Value *load_before(llvm::LoadInst &load, const Plan &plan, Emit emit) const;
    bool lies_between_accesses(const llvm::LoadInst &load, const llvm::Instruction *before) const;
    llvm::Value *phi_before(llvm::PHINode &phi, const Plan &plan, Emit emit) const;
    bool may_read_before(llvm::Value *pointer, const llvm::CallBase &call, const Plan &plan) const;
    bool is_kept_in_loop(llvm::Value *pointer, const llvm::MemoryLocation &where, unsigned bytes, llvm::Value *of_many,
                         Plan &plan, Emit emit) const;

    Analyses &known;
    Effects &effects;
};

} // namespace stretto::compiler
