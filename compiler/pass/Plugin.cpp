/// The pass: finds the MPI calls of each function, asks Legality, carries out what is allowed, and says what became of each call.
#include "Compat.h"
#include "Legality.h"
#include "Options.h"
#include "Remarks.h"
#include "Transform.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace stretto::compiler {

namespace {

class Pass : public PassInfoMixin<Pass> {
public:
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager) {
        if (std::string wrong = options::read_environment(); !wrong.empty()) {
            module.getContext().emitError(wrong);
            return PreservedAnalyses::all();
        }
        auto &functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
        made.clear();
        bool changed = false;
        for (Function &function : module)
            if (!function.isDeclaration()) changed |= run_on(function, functions);
        made = one_for_each_call(std::move(made));
        for (const Made &one : made) remark(functions.getResult<OptimizationRemarkEmitterAnalysis>(*one.function), one);
        if (!options::plan_file().empty()) {
            std::vector<Decision> decisions;
            for (Made &one : made) decisions.push_back(one.decision);
            if (std::string wrong = write_plan(options::plan_file(), decisions); !wrong.empty())
                module.getContext().emitError(wrong);
        }
        return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }

private:
    std::vector<Made> made;

    void refused(CallBase &call, const Refusal &why) {
        Decision decision = describe(call);
        add_refusal(decision, why);
        made.push_back({std::move(decision), call.getFunction(), call.getDebugLoc()});
    }

    // Calls in the order of the program; what cannot be asked for at all is refused at once.
    SmallVector<CallBase *, 8> candidates(Function &function) {
        SmallVector<CallBase *, 8> result;
        for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
            for (Instruction &instruction : *block) {
                auto *call = dyn_cast<CallBase>(&instruction);
                if (!call) continue;
                const MpiCall *mpi = lookup(*call);
                if (!mpi && other_point_to_point(*call).empty()) continue;
                if (function.hasOptNone())
                    refused(*call, {"the function is not optimised", {}, "compile it with -O2"});
                else if (!mpi)
                    refused(
                        *call,
                        {"only MPI_Send, MPI_Isend and MPI_Recv are changed", {}, "use one of these where you can"});
                else if (!options::wants(mpi->kind))
                    refused(*call, {"-fstretto=" + options::what() + " leaves it out", {}, ""});
                else
                    result.push_back(call);
            }
        return result;
    }

    // Sends in the order of the program, since one may pass those before it; then receives, the last one first.
    Plans decide(ArrayRef<CallBase *> calls, Legality &legality, DenseMap<CallBase *, Refusal> &refusals) {
        Plans plans;
        auto ask = [&](CallBase *call, Kind kind) {
            const MpiCall &mpi = *lookup(*call);
            if (mpi.kind != kind) return;
            if (std::optional<Plan> plan = legality.check(*call, mpi, plans, refusals[call]))
                plans.insert({call, std::move(*plan)});
        };
        for (CallBase *call : calls) ask(call, Kind::send);
        for (CallBase *call : reverse(calls)) ask(call, Kind::receive);
        while (drop_one(plans, refusals)) {
        }
        Plans in_order;
        for (CallBase *call : calls)
            if (auto found = plans.find(call); found != plans.end()) in_order.insert({call, found->second});
        return in_order;
    }

    // Of two loops, one inside the other, only one can be cut; and a plan that crosses another needs that one.
    bool drop_one(Plans &plans, DenseMap<CallBase *, Refusal> &refusals) {
        for (auto &[call, plan] : plans) {
            for (CallBase *crossed : plan.crosses)
                if (!plans.count(crossed)) {
                    refusals[call] = {"a call that it would have to pass stays as it is", crossed->getDebugLoc(), ""};
                    plans.erase(call);
                    return true;
                }
            for (auto &[other_call, other] : plans)
                if (plan.loop != other.loop && other.loop->contains(plan.loop)) {
                    refusals[call] = {"the loop around is cut for another message", other_call->getDebugLoc(), ""};
                    plans.erase(call);
                    return true;
                }
        }
        return false;
    }

    bool run_on(Function &function, FunctionAnalysisManager &manager) {
        if (function.hasOptNone() || none_of(instructions(function), [](Instruction &instruction) {
                auto *call = dyn_cast<CallBase>(&instruction);
                return call && lookup(*call) && options::wants(lookup(*call)->kind);
            })) {
            candidates(function);
            return false;
        }
        manager.invalidate(function, PreservedAnalyses::none());
        separate_invokes(function);
        reopen_copies(function, manager);
        // The simplifier has run, but what it left need be neither in simplified form nor in LCSSA.
        FunctionPassManager canonical;
        canonical.addPass(LoopSimplifyPass());
        canonical.addPass(LCSSAPass());
        manager.invalidate(function, canonical.run(function, manager));

        SmallVector<CallBase *, 8> calls = candidates(function);
        Analyses analyses(function, manager);
        Effects effects(analyses);
        Values values(analyses, effects);
        Legality legality(analyses, effects, values);
        DenseMap<CallBase *, Refusal> refusals;
        Plans plans = decide(calls, legality, refusals);

        SmallVector<std::size_t, 8> done;
        for (CallBase *call : calls) {
            if (auto found = plans.find(call); found != plans.end()) {
                Decision decision = describe(*call);
                add_plan(decision, found->second, analyses.evolution);
                done.push_back(made.size());
                made.push_back({std::move(decision), &function, call->getDebugLoc()});
            } else {
                refused(*call, refusals[call]);
            }
        }
        std::vector<std::string> strips = transform(analyses, values, plans);
        for (auto [index, strip] : zip(done, strips)) made[index].decision.strip = strip;
        manager.invalidate(function, PreservedAnalyses::none());
        return true;
    }
};

} // namespace

} // namespace stretto::compiler

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo stretto_compiler_info() {
    return {LLVM_PLUGIN_API_VERSION, "stretto", "1", [](PassBuilder &builder) {
                // After inlining and simplification, before vectorisation and unrolling.
                builder.registerOptimizerEarlyEPCallback([](STRETTO_PIPELINE_PARAMETERS) {
                    if (level != OptimizationLevel::O0) passes.addPass(stretto::compiler::Pass());
                });
                builder.registerPipelineParsingCallback(
                    [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
                        if (name != "stretto") return false;
                        passes.addPass(stretto::compiler::Pass());
                        return true;
                    });
            }};
}
