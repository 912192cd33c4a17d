/// May this call start inside that loop? Everything that can forbid it is decided here. Changes nothing.
#pragma once

#include "Effects.h"
#include "Frontier.h"
#include "Plan.h"
#include "Region.h"
#include "Values.h"

#include "llvm/ADT/MapVector.h"

namespace stretto::compiler {

/// The plans of a function, by call.
using Plans = llvm::MapVector<llvm::CallBase *, Plan>;

class Legality {
public:
    Legality(Analyses &analyses, Effects &effects, Values &values)
        : known(analyses), effects(effects), values(values) {}

    /// A plan, or nothing and the reason. `others`: the plans that there are already. Sends are asked for in the order of the program,
    /// since a send may pass those before it; receives after that, the last one first.
    std::optional<Plan> check(llvm::CallBase &call, const MpiCall &mpi, const Plans &others, Refusal &why);

private:
    // Each returns false and says why, or adds to the plan.
    bool check_shape(Plan &plan, Refusal &why);
    bool check_length(Plan &plan, Refusal &why);

    bool check_send(Plan &plan, const Plans &others, Refusal &why);
    bool find_filling_loop(Plan &plan, Refusal &why);
    bool find_last_sweep(Plan &plan, Refusal &why);
    bool check_conditions(Plan &plan, Refusal &why);
    bool check_filling_loop(Plan &plan, Refusal &why);
    bool check_after_loop(Plan &plan, const Plans &others, Refusal &why);
    bool check_crossed_send(Plan &plan, const Plan &earlier, Refusal &why);
    bool check_arguments(Plan &plan, Refusal &why);

    bool check_receive(Plan &plan, const Plans &others, Refusal &why);
    bool find_reading_loop(Plan &plan, Refusal &why);
    bool find_end(Plan &plan, Refusal &why);
    bool check_crossed_receive(Plan &plan, const Plan &later, const Blocks &region, Refusal &why);
    bool check_open_sends(Plan &plan, const Plans &others, const Blocks &region, Refusal &why);
    bool check_near_receive(llvm::Instruction &instruction, Plan &plan, Refusal &why);

    enum class Marked { yes, no, same_part };
    Marked add_marks(llvm::Instruction &instruction, Plan &plan, Refusal &why);
    Marked mark_loop(Plan &plan, Refusal &why);
    bool add_runtime_check(llvm::Instruction &instruction, Plan &plan, Of of);

    llvm::ArrayRef<llvm::Loop *> loops_beside(const llvm::CallBase &call) const;
    Touch touches(llvm::Instruction &instruction, const Plan &plan) const;
    bool lies_outside(const Access &access, const llvm::Instruction &instruction, const Plan &plan) const;
    bool touches_message(const llvm::Loop &loop, const Plan &plan) const;
    Of of(const Plan &plan) const { return plan.is_send() ? Of::writes : Of::reads_and_writes; }
    Refusal no_filling_loop(const Plan &plan) const;

    Analyses &known;
    Effects &effects;
    Values &values;
};

} // namespace stretto::compiler
