/// Collectives: their table, and what is asked beside what is asked of a message.
///
/// A collective has two sides, each a plan of its own. Its contribution is filled by a loop before the call, as a message that is sent; its
/// result is read by a loop behind it, as one that is received. What is said of a message holds for each; and the other side is the runtime's
/// meanwhile.
#pragma once

#include "Legality.h"

namespace stretto::compiler {

struct Collective {
    std::string name;        // in MPI's spelling
    std::string symbol;      // as the linker knows it
    std::string begin, open; // functions of include/stretto/abi.h
    MpiCall fed, used; // as a send of its contribution, which is always the first argument; as a receive of its result
    unsigned result;   // which argument
    unsigned counts;   // a bit for each: arguments that are arrays, one element for each rank
};

/// The entry of the table for a direct call of a blocking collective that can be fed or used by strips, or null.
const Collective *lookup_collective(const llvm::CallBase &call);

/// The name, in MPI's spelling, of any collective that moves or adds up data, or of MPI_Barrier, so that no call goes without a remark;
/// empty: it is none.
std::string name_of_collective(const llvm::CallBase &call);

/// The plans of a collective call.
struct CollectivePlan {
    std::optional<Plan> fed, used;
    Refusal not_fed, not_used; // why there is none
    Refusal why() const;       // of both
};
using CollectivePlans = llvm::MapVector<llvm::CallBase *, CollectivePlan>;

/// All collective calls of a function. Changes nothing.
CollectivePlans plan_collectives(llvm::ArrayRef<llvm::CallBase *> calls, Analyses &analyses, Effects &effects,
                                 Values &values);

} // namespace stretto::compiler
