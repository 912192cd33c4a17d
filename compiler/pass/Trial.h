/// A change that is made where more messages are split with it than without: tried first, in a copy of the function.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace stretto::compiler {

/// Which of these calls would be split? It may change the function, which is a copy.
using Splits = llvm::function_ref<llvm::SmallVector<bool, 8>(llvm::Function &, llvm::ArrayRef<llvm::CallBase *> calls)>;

class Trial {
public:
    /// `messages`: the calls that send or receive.
    Trial(llvm::Function &function, llvm::ArrayRef<llvm::CallBase *> messages, llvm::FunctionAnalysisManager &manager)
        : copy(*llvm::CloneFunction(&function, map)), manager(manager) {
        for (llvm::CallBase *message : messages) its_messages.push_back(of(message));
    }
    ~Trial() {
        manager.clear(copy, copy.getName());
        copy.eraseFromParent();
    }
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;

    /// What stands for it in the copy.
    template <class Part>
    Part *of(Part *part) const {
        return llvm::cast<Part>(map.lookup(part));
    }
    llvm::Function &function() { return copy; }
    llvm::SmallVector<bool, 8> result(Splits splits) { return splits(copy, its_messages); }

private:
    llvm::ValueToValueMapTy map;
    llvm::Function &copy;
    llvm::FunctionAnalysisManager &manager;
    llvm::SmallVector<llvm::CallBase *, 8> its_messages;
};

/// Is any message split that was not, and none whole that was split?
inline bool is_better(llvm::ArrayRef<bool> before, llvm::ArrayRef<bool> after) {
    bool gains = false, loses = false;
    for (auto [had, has] : llvm::zip(before, after)) gains |= has && !had, loses |= had && !has;
    return gains && !loses;
}

} // namespace stretto::compiler
