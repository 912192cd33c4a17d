/// MDMP's directives (include/stretto/mdmp.h), whose exchanges are taken apart so that each send and receive may be split.
#pragma once

#include "Plan.h"

#include "llvm/IR/Function.h"

#include <string>

namespace stretto::compiler {

/// `send(old[1][1])`, as it stands in the source; empty: the call is of no directive that sends or receives.
std::string text_of_directive(const llvm::CallBase &call);

/// The kind of such a directive.
Kind kind_of_directive(const llvm::CallBase &call);

/// Exchanges of ranges become calls that the table knows: all receives start, then all sends, and one call waits for all. The others stay.
bool take_directives_apart(llvm::Function &function);

/// Of a directive that has stayed.
Refusal why_not_apart(const llvm::CallBase &call);

} // namespace stretto::compiler
