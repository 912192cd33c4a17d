/// A source with MDMP's directives, which stretto-fc has compiled from a file of its own (compiler/wrapper/mdmp/): debug information is to name
/// the user's file alone. The lines do so already; the compile unit has the name of the file that the compiler was given.
#pragma once

#include "llvm/IR/PassManager.h"

#include <string>

namespace stretto::compiler {

class NameUsersFile : public llvm::PassInfoMixin<NameUsersFile> {
public:
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &manager);
    static bool isRequired() { return true; } // without optimisation, too
};

/// The user's source, as the compiler was given it.
std::string source_of(const llvm::Module &module);

} // namespace stretto::compiler
