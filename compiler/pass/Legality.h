/// May this call start inside that loop? Everything that can forbid it is decided here. Changes nothing.
#pragma once

#include "Effects.h"
#include "Frontier.h"
#include "Plan.h"
#include "Region.h"
#include "Values.h"

#include "llvm/ADT/MapVector.h"

namespace stretto::compiler {

inline constexpr const char *read_in_order = "read the message in order, from one end to the other"; // advice

inline bool refuse(Refusal &why, Refusal because) {
    why = std::move(because);
    return false;
}

inline bool refuse(Refusal &why, std::string reason, llvm::DebugLoc blame = {}, std::string advice = {}) {
    return refuse(why, Refusal{std::move(reason), std::move(blame), std::move(advice)});
}

/// The plans of a function, by call.
using Plans = llvm::MapVector<llvm::CallBase *, Plan>;

class Legality {
public:
    Legality(Analyses &analyses, Effects &effects, Values &values)
        : known(analyses), effects(effects), values(values) {}

    /// A plan, or nothing and the reason. `others`: the plans that there are already. Sends are asked for in the order of the program,
    /// since a send may pass those before it; receives after that, the last one first.
    std::optional<Plan> check(llvm::CallBase &call, const MpiCall &mpi, const Plans &others, Refusal &why);

    /// The same, of one side of a collective (Collectives.h), which stands for a message: what is asked of any message.
    bool allows(Plan &plan, Refusal &why);

private:
    // Each returns false and says why, or adds to the plan. LegalSends.cpp and LegalReceives.cpp have those of a kind.
    bool is_allowed(Plan &plan, const Plans &others, Refusal &why);
    bool check_shape(Plan &plan, Refusal &why);
    bool check_length(Plan &plan, Refusal &why);

    bool check_send(Plan &plan, const Plans &others, Refusal &why);
    bool check_filled_send(Plan &plan, const Plans &others, Refusal &why);
    bool find_filling_loop(Plan &plan, Refusal &why);
    bool find_last_sweep(Plan &plan, Refusal &why);
    bool check_conditions(Plan &plan, Refusal &why);
    bool check_filling_loop(Plan &plan, Refusal &why);
    bool check_after_loop(Plan &plan, const Plans &others, Refusal &why);
    bool may_pass(const llvm::CallBase &call, const Plan &plan) const;
    bool check_crossed_send(Plan &plan, const Plan &earlier, Refusal &why);
    bool check_arguments(Plan &plan, Refusal &why);
    bool check_started(Plan &plan, Refusal &why);

    bool check_receive(Plan &plan, const Plans &others, Refusal &why);
    bool check_open_receive(Plan &plan, const Plans &others, Refusal &why);
    bool find_reading_loop(Plan &plan, Refusal &why);
    Blocks open_region(const Plan &plan) const;
    bool find_ends(Plan &plan, const Blocks &region, Refusal &why);
    bool check_crossed_receive(Plan &plan, const Plan &later, Refusal &why);
    bool check_open_sends(Plan &plan, const Plans &others, const Blocks &region, Refusal &why);
    bool check_near_receive(llvm::Instruction &instruction, Plan &plan, Refusal &why);
    bool may_use_status(const llvm::Instruction &instruction, const Plan &plan) const;

    enum class Marked { yes, no, same_part };
    Marked add_marks(llvm::Instruction &instruction, Plan &plan, Refusal &why);
    Marked mark_loop(Plan &plan, Refusal &why);
    bool add_comparison(const llvm::Value *pointer, Plan &plan);
    bool add_runtime_check(llvm::Instruction &instruction, Plan &plan, Of of);

    /// The calls behind it that wait for its request, or start it.
    llvm::SmallVector<llvm::CallBase *, 2>
    calls_with_request(const llvm::CallBase &call, const WaitCall *lookup_such(const llvm::CallBase &)) const;
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
