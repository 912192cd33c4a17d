/// The few places where LLVM's C++ interface differs between the versions that Stretto is built for.
#pragma once

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Attributes.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

// LLVM 22 moved the header.
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#if LLVM_VERSION_MAJOR < 16
#error "LLVM 16 or newer: MemoryEffects do not exist before"
#endif

// LLVM 20 gave the callback a third parameter, the phase of link-time optimisation.
#if LLVM_VERSION_MAJOR >= 20
#define STRETTO_PIPELINE_PARAMETERS \
    llvm::ModulePassManager &passes, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase
#else
#define STRETTO_PIPELINE_PARAMETERS llvm::ModulePassManager &passes, llvm::OptimizationLevel level
#endif

namespace stretto::compiler {

// LLVM 18 renamed startswith.
inline bool starts_with(llvm::StringRef text, llvm::StringRef prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

// LLVM 21 renamed the attribute nocapture to captures(none).
inline llvm::Attribute no_capture(llvm::LLVMContext &context) {
#if LLVM_VERSION_MAJOR >= 21
    return llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none());
#else
    return llvm::Attribute::get(context, llvm::Attribute::NoCapture);
#endif
}

// LLVM 20 changed the set of predicates into a vector.
#if LLVM_VERSION_MAJOR >= 20
using Predicates = llvm::SmallVector<const llvm::SCEVPredicate *, 4>;
#else
using Predicates = llvm::SmallPtrSet<const llvm::SCEVPredicate *, 4>;
#endif

// LLVM 22 dropped the data layout.
struct Expander : llvm::SCEVExpander {
#if LLVM_VERSION_MAJOR >= 22
    explicit Expander(llvm::ScalarEvolution &evolution) : SCEVExpander(evolution, "stretto") {}
#else
    explicit Expander(llvm::ScalarEvolution &evolution)
        : SCEVExpander(evolution, evolution.getDataLayout(), "stretto") {}
#endif
};

} // namespace stretto::compiler
