/// Carries out the plans of one function.
#pragma once

#include "Collectives.h"
#include "Legality.h"

namespace stretto::compiler {

/// None of the plans' loops may contain another. The plans of one loop share its strips: a receive, the loop and a send become a stage of
/// a pipeline. Plans stand in the order of the program. Returns what each plan's strips are, in words.
std::vector<std::string> transform(Analyses &analyses, Values &values, Plans &plans);

/// The same of collectives: of each call its contribution's strips, if it is fed, then its result's.
std::vector<std::string> transform(Analyses &analyses, Values &values, CollectivePlans &plans);

/// A loop that LLVM has turned into one memcpy or memset gets its loop back, a strip per iteration.
bool reopen_copies(llvm::Function &function, llvm::FunctionAnalysisManager &manager);

/// An invoke of a known MPI call gets a way of its own to where it goes on, on which a receive's handle can be used.
void separate_invokes(llvm::Function &function);

} // namespace stretto::compiler
