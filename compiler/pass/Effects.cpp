#include "Effects.h"
#include "Directives.h"
#include "Options.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stretto::compiler {

Analyses::Analyses(Function &function, FunctionAnalysisManager &manager)
    : function(function), aliases(manager.getResult<AAManager>(function)),
      evolution(manager.getResult<ScalarEvolutionAnalysis>(function)), loops(manager.getResult<LoopAnalysis>(function)),
      dominators(manager.getResult<DominatorTreeAnalysis>(function)),
      post_dominators(manager.getResult<PostDominatorTreeAnalysis>(function)),
      library(manager.getResult<TargetLibraryAnalysis>(function)) {}

// Calls that neither communicate nor write the message, although LLVM does not know it: with -fmath-errno every sin() writes errno, and
// nobody minds when a clock is read.
bool Effects::is_harmless(const CallBase &call) const {
    const Function *callee = call.getCalledFunction();
    if (!callee) return false;
    if (options::is_harmless(callee->getName())) return true;
    if (is_contained<StringRef>({"MPI_Wtime", "MPI_Wtick", "mpi_wtime_", "mpi_wtick_"}, callee->getName())) return true;
    LibFunc which;
    if (!known.library.getLibFunc(*callee, which) || !known.library.has(which)) return false;
    StringRef name = callee->getName();
    auto is_math = [](StringRef name) {
        return StringSwitch<bool>(name)
            .Cases("sin", "cos", "tan", "asin", true)
            .Cases("acos", "atan", "atan2", "sinh", true)
            .Cases("cosh", "tanh", "asinh", "acosh", true)
            .Cases("atanh", "exp", "exp2", "expm1", true)
            .Cases("log", "log2", "log10", "log1p", true)
            .Cases("pow", "sqrt", "cbrt", "hypot", true)
            .Cases("fmod", "remainder", "erf", "erfc", true)
            .Cases("floor", "ceil", "round", "trunc", true)
            .Cases("tgamma", "fmin", "fmax", "fabs", true)
            .Default(false);
    };
    return is_math(name) || (name.consume_back("f") && is_math(name));
}

static const Value *choice_besides_null(const Value *object, unsigned depth) {
    const auto *phi = dyn_cast<PHINode>(object);
    if (!phi || depth == 0) return object;
    const Value *only = nullptr;
    for (const Value *incoming : phi->incoming_values()) {
        const Value *one = choice_besides_null(getUnderlyingObject(incoming, 0), depth - 1);
        if (isa<ConstantPointerNull, UndefValue>(one) || one == phi) continue;
        if (only && only != one) return object;
        only = one;
    }
    return only ? only : object;
}

const Value *Effects::object(const Value *pointer) const {
    if (!known.evolution.isSCEVable(pointer->getType())) return pointer;
    const SCEV *address = known.evolution.getSCEV(const_cast<Value *>(pointer));
    if (const auto *base = dyn_cast<SCEVUnknown>(known.evolution.getPointerBase(address))) pointer = base->getValue();
    return choice_besides_null(getUnderlyingObject(pointer, 0), 3);
}

static bool is_same_place(const Value *one, const Value *other, unsigned depth) {
    if (one == other) return true;
    auto *a = dyn_cast<Instruction>(one), *b = dyn_cast<Instruction>(other);
    if (depth == 0 || !a || !b || !isa<LoadInst, GetElementPtrInst>(a) || !a->isSameOperationAs(b)) return false;
    return all_of(zip(a->operands(), b->operands()),
                  [&](const auto &both) { return is_same_place(std::get<0>(both), std::get<1>(both), depth - 1); });
}

bool is_taken_for(const Value *one, const Value *other) {
    return one == other || (isa<LoadInst>(one) && isa<LoadInst>(other) && is_same_place(one, other, 6));
}

bool Effects::are_apart(const Value *one, const Value *other) const {
    return known.aliases.isNoAlias(MemoryLocation::getBeforeOrAfter(object(one)),
                                   MemoryLocation::getBeforeOrAfter(object(other)));
}

std::optional<Refusal> Effects::orders(const Instruction &instruction) const {
    DebugLoc line = instruction.getDebugLoc();
    if (instruction.isAtomic()) return Refusal{"an atomic operation orders memory", line, "move it before the loop"};
    if (instruction.isVolatile())
        return Refusal{"a volatile access is seen from outside", line, "move it before the loop"};
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || isa<IntrinsicInst>(call) || is_harmless(*call)) return std::nullopt;
    // A function that touches only memory behind its arguments, or only reads, cannot call MPI. It must come back, too: otherwise the
    // message would be half sent.
    bool confined = call->onlyReadsMemory() || call->onlyAccessesArgMemory();
    if (confined && call->doesNotThrow() && call->hasFnAttr(Attribute::WillReturn)) return std::nullopt;
    const Function *callee = call->getCalledFunction();
    std::string name = callee ? demangle(callee->getName().str()) : "a function pointer";
    if (std::string directive = text_of_directive(*call); !directive.empty()) name = std::move(directive);
    std::string advice =
        lookup(*call) || !other_point_to_point(*call).empty() || starts_with(name, "MPI_") || starts_with(name, "mpi_")
            ? "move it before the loop that fills the message, or behind the one that reads it"
            : "let the compiler inline it (static, -flto), declare it pure, or move it out of the way";
    return Refusal{"the call of " + name + " may communicate or write the message", line, advice};
}

Touch Effects::touches(const Instruction &instruction, const Value *memory, Of of) const {
    bool reads_count = of == Of::reads_and_writes;
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
        if (intrinsic->isLifetimeStartOrEnd()) // LLVM 22 dropped the size: the pointer is the last argument
            return object(intrinsic->getArgOperand(intrinsic->arg_size() - 1)) == object(memory) ? Touch::yes
                                                                                                 : Touch::no;
        if (intrinsic->isAssumeLikeIntrinsic()) return Touch::no;
    }
    if (!instruction.mayWriteToMemory() && !(reads_count && instruction.mayReadFromMemory())) return Touch::no;
    if (const auto *call = dyn_cast<CallBase>(&instruction); call && is_harmless(*call)) return Touch::no;

    SmallVector<Access, 2> all = accesses(const_cast<Instruction &>(instruction));
    if (all.empty()) {
        ModRefInfo effect = known.aliases.getModRefInfo(&instruction, MemoryLocation::getBeforeOrAfter(object(memory)));
        return isModSet(effect) || (reads_count && isRefSet(effect)) ? Touch::maybe : Touch::no;
    }
    Touch result = Touch::no;
    for (const Access &access : all) {
        if (!access.writes && !reads_count) continue;
        if (are_taken_for_one(access.pointer, memory)) return Touch::yes;
        if (!are_apart(access.pointer, memory)) result = Touch::maybe;
    }
    return result;
}

SmallVector<Access, 2> Effects::accesses(Instruction &instruction) const {
    const DataLayout &layout = known.function.getParent()->getDataLayout();
    ScalarEvolution &evolution = known.evolution;
    auto size = [&](Type *type) {
        return evolution.getConstant(APInt(64, layout.getTypeStoreSize(type).getKnownMinValue()));
    };
    if (auto *store = dyn_cast<StoreInst>(&instruction))
        return {{store->getPointerOperand(), size(store->getValueOperand()->getType()), true}};
    if (auto *load = dyn_cast<LoadInst>(&instruction))
        return {{load->getPointerOperand(), size(load->getType()), false}};
    if (auto *copy = dyn_cast<MemIntrinsic>(&instruction)) {
        Type *wide = Type::getInt64Ty(known.function.getContext());
        const SCEV *bytes = evolution.getTruncateOrZeroExtend(evolution.getSCEV(copy->getLength()), wide);
        SmallVector<Access, 2> all{{copy->getRawDest(), bytes, true}};
        if (auto *transfer = dyn_cast<MemTransferInst>(copy)) all.push_back({transfer->getRawSource(), bytes, false});
        return all;
    }
    return {};
}

bool Effects::may_write(Instruction &instruction, const MemoryLocation &where) const {
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
        if (is_harmless(*call)) return false;
        if (const MpiCall *mpi = lookup(*call); mpi && (mpi->kind == Kind::send || mpi->is_waited_for())) {
            for (unsigned argument = 0; argument < mpi->arguments; ++argument)
                if (mpi->is_output(argument) &&
                    !known.aliases.isNoAlias(MemoryLocation::getBeforeOrAfter(call->getArgOperand(argument)), where))
                    return true;
            return false;
        }
    }
    return isModSet(known.aliases.getModRefInfo(&instruction, where));
}

} // namespace stretto::compiler
