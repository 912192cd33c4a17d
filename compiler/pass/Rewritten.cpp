#include "Rewritten.h"
#include "Compat.h"
#include "Options.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stretto::compiler {

namespace {

bool is_rewritten(const DIFile &file, StringRef folder) {
    return starts_with(file.getFilename(), folder) || starts_with(file.getDirectory(), folder) ||
           starts_with(file.getFilename(), folder.drop_front()); // flang leaves the first slash out
}

/// The file that the lines of this unit's first procedure name.
DIFile *users_file(const Module &module, const DICompileUnit &unit, StringRef folder) {
    for (const Function &function : module)
        if (DISubprogram *procedure = function.getSubprogram(); procedure && procedure->getUnit() == &unit)
            if (DIFile *file = procedure->getFile(); file && !is_rewritten(*file, folder)) return file;
    return nullptr;
}

} // namespace

PreservedAnalyses NameUsersFile::run(Module &module, ModuleAnalysisManager &) {
    options::read_environment(); // what is wrong there the other pass tells
    const std::string folder = options::rewritten_folder();
    if (folder.empty()) return PreservedAnalyses::all();
    for (DICompileUnit *unit : module.debug_compile_units()) {
        DIFile *file = unit->getFile();
        const DIFile *users = file && is_rewritten(*file, folder) ? users_file(module, *unit, folder) : nullptr;
        if (!users) continue;
        file->replaceOperandWith(0, users->getRawFilename()); // for all that refer to it
        file->replaceOperandWith(1, users->getRawDirectory());
    }
    return PreservedAnalyses::all();
}

// clang's modules have the name of their source. Those of flang are all called alike, but have a unit of debug information, if only for lines.
std::string source_of(const Module &module) {
    const NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu");
    if (module.getSourceFileName() != "FIRModule" || !units || units->getNumOperands() == 0)
        return module.getSourceFileName();
    const auto *unit = cast<DICompileUnit>(units->getOperand(0));
    const std::string folder = options::rewritten_folder();
    const DIFile *users = nullptr;
    if (!folder.empty() && is_rewritten(*unit->getFile(), folder)) users = users_file(module, *unit, folder);
    return (users ? users : unit->getFile())->getFilename().str();
}

} // namespace stretto::compiler
