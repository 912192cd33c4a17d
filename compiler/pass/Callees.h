/// A loop that fills a message, or reads one, in a function that LLVM has not inlined: its call is inlined where that lets the message be
/// split, and nowhere else.
#pragma once

#include "Trial.h"

namespace stretto::compiler {

/// `messages`: the calls that send or receive. Tries each call of a function that is given such a message in a copy of the whole function.
bool inline_callees(llvm::Function &function, llvm::ArrayRef<llvm::CallBase *> messages,
                    llvm::FunctionAnalysisManager &manager, Splits splits);

/// May it be inlined, as far as the program's language and the linker say?
bool may_be_inlined(const llvm::CallBase &call);

} // namespace stretto::compiler
