/// The functions of include/stretto/abi.h, as LLVM is to see them, and the description of a call.
#pragma once

#include "Compat.h"
#include "Plan.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace stretto::compiler {

/// A handle is an integer. As a pointer it would be among the memory that a function works on, though the runtime changes what is behind it.
/// So a store to the message cannot sink below a `ready`, which reads the message; and a load cannot rise above a `need`, which writes it.
class Runtime {
public:
    explicit Runtime(llvm::Module &module)
        : module(module), context(module.getContext()), handle(llvm::Type::getInt64Ty(context)),
          pointer(llvm::PointerType::getUnqual(context)) {}

    llvm::FunctionCallee ready(Direction direction);
    llvm::FunctionCallee need(Direction direction);
    llvm::FunctionCallee need_range();
    llvm::FunctionCallee ready_blocks();
    llvm::FunctionCallee need_blocks();
    llvm::FunctionCallee strip();
    llvm::FunctionCallee hold_unless();
    llvm::FunctionCallee hold_if_overlap();
    llvm::FunctionCallee hold_if_other_overlaps();
    llvm::FunctionCallee other(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);

    /// A static writable `struct stretto_call`. Copies of one call, as inlining makes them, share it.
    llvm::GlobalVariable *describe_call(const llvm::CallBase &call);

private:
    llvm::FunctionCallee note(llvm::StringRef name, llvm::ModRefInfo on_message, llvm::ArrayRef<llvm::Type *> types);

    llvm::Module &module;
    llvm::LLVMContext &context;

public:
    llvm::Type *const handle, *const pointer;
};

} // namespace stretto::compiler
