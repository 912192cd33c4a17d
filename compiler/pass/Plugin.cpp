/// The pass: finds the MPI calls of each function, asks Legality, carries out what is allowed, and says what became of each call.
#include "Callees.h"
#include "Collectives.h"
#include "Compat.h"
#include "Directives.h"
#include "Exchanges.h"
#include "Legality.h"
#include "Options.h"
#include "Remarks.h"
#include "Rewritten.h"
#include "Rotation.h"
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
            if (!function.isDeclaration()) {
                changed |= run_on(function, functions);
                changed |= run_on_collectives(function, functions);
            }
        made = one_for_each_call(std::move(made));
        for (const Made &one : made) remark(functions.getResult<OptimizationRemarkEmitterAnalysis>(*one.function), one);
        if (!options::plan_file().empty()) {
            std::vector<Decision> decisions;
            for (Made &one : made) {
                decisions.push_back(one.decision);
                decisions.back().says = text(one.decision);
            }
            if (std::string wrong = write_plan(options::plan_file(), source_of(module), decisions); !wrong.empty())
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
                const bool is_directive = !text_of_directive(*call).empty();
                if (!mpi && !is_directive && other_point_to_point(*call).empty()) continue;
                if (function.hasOptNone())
                    refused(*call, {"the function is not optimised", {}, "compile it with -O2"});
                else if (!mpi && is_directive && !options::wants_directives())
                    refused(*call, {"it is done at its place, as the command line says", {}, ""});
                else if (!mpi && is_directive)
                    refused(*call, why_not_apart(*call));
                else if (!mpi && StringRef(other_point_to_point(*call)).contains("endrecv_replace"))
                    refused(*call, {"one buffer is for both messages: what comes may not overwrite what has not left",
                                    {},
                                    "use MPI_Sendrecv with two buffers"});
                else if (!mpi && lookup_start(*call))
                    refused(*call, {"what becomes of its message is told where the request is made", {}, ""});
                else if (!mpi)
                    refused(*call, {"only MPI_Send, MPI_Isend, MPI_Recv, MPI_Irecv and MPI_Sendrecv are changed",
                                    {},
                                    "use one of these where you can"});
                else if (!options::wants(mpi->kind))
                    refused(*call, {"-fstretto=" + options::what() + " leaves it out", {}, ""});
                else
                    result.push_back(call);
            }
        return result;
    }

    // What is received into the same buffer in the first turn of a loop that was rotated: one plan is for both.
    static bool is_planned(const CallBase &call, const Plans &plans) {
        return is_first_turn(call) && any_of(plans, [&](const auto &other) {
                   const Plan &plan = other.second;
                   return is_rotated(*plan.call) && plan.wait && plan.call->getDebugLoc() == call.getDebugLoc() &&
                          plan.buffer() == call.getArgOperand(MpiCall::buffer);
               });
    }

    // Sends in the order of the program, since one may pass those before it; then receives, the last one first.
    Plans decide(ArrayRef<CallBase *> calls, Legality &legality, DenseMap<CallBase *, Refusal> &refusals) {
        Plans plans;
        auto ask = [&](CallBase *call, Kind kind) {
            const MpiCall &mpi = *lookup(*call);
            if (mpi.kind != kind || is_planned(*call, plans)) return;
            if (std::optional<Plan> plan = legality.check(*call, mpi, plans, refusals[call]))
                plans.insert({call, std::move(*plan)});
        };
        for (CallBase *call : calls) ask(call, Kind::send);
        for (CallBase *call : reverse(calls)) ask(call, Kind::receive);
        // Some of MPI_Irecv are waited for in another order than they are posted in.
        for (CallBase *call : reverse(calls))
            if (!plans.count(call)) ask(call, Kind::receive);
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

    // The simplifier has run, but what it left need be neither in simplified form nor in LCSSA.
    static void make_canonical(Function &function, FunctionAnalysisManager &manager) {
        FunctionPassManager canonical;
        canonical.addPass(LoopSimplifyPass());
        canonical.addPass(LCSSAPass());
        manager.invalidate(function, canonical.run(function, manager));
    }

    // LLVM peels iterations off a loop, and makes two loops of one where a condition in it does not change. (Where it unrolls the loop
    // around, each copy has a call and a plan of its own.)
    static bool is_as_written(const Plan &plan, const Plans &plans, LoopInfo &loops) {
        const DebugLoc start = plan.loop->getStartLoc(), call = plan.call->getDebugLoc();
        if (!start || !call || findStringMetadataForLoop(plan.loop, "llvm.loop.peeled.count")) return false;
        auto same = [](const DebugLoc &one, const DebugLoc &other) {
            return one && one.getLine() == other.getLine() && one.getCol() == other.getCol();
        };
        return all_of(loops.getLoopsInPreorder(), [&](const Loop *other) {
            return plan.loop->contains(other) || !same(other->getStartLoc(), start) ||
                   any_of(plans, [&](const auto &its) {
                       return its.second.loop == other && same(its.first->getDebugLoc(), call);
                   });
        });
    }

    static bool wants_apart(const CallBase &call) {
        return options::wants(Kind::send) && options::wants(Kind::receive) && is_exchange(call);
    }

    // Where neither half is split, the call is what it was.
    void put_back(Exchange &exchange, SmallVectorImpl<CallBase *> &calls, DenseMap<CallBase *, Refusal> &refusals) {
        const Refusal send = refusals[exchange.send], receive = refusals[exchange.receive];
        erase_if(calls, [&](CallBase *call) { return call == exchange.send || call == exchange.receive; });
        put_together(exchange);
        refused(*exchange.whole, {"of its send: " + send.reason + "; of its receive: " + receive.reason,
                                  send.blame ? send.blame : receive.blame, send.advice});
    }

    SmallVector<Exchange, 2> prepare(Function &function, FunctionAnalysisManager &manager) {
        separate_invokes(function);
        SmallVector<Exchange, 2> exchanges;
        if (options::wants(Kind::send) && options::wants(Kind::receive)) exchanges = take_apart(function);
        reopen_copies(function, manager);
        make_canonical(function, manager);
        return exchanges;
    }

    // A function made ready, its point-to-point calls, and what would become of each.
    struct Look {
        Look(Pass &pass, Function &function, FunctionAnalysisManager &manager)
            : exchanges(pass.prepare(function, manager)), calls(pass.candidates(function)), analyses(function, manager),
              plans(pass.decide(calls, legality, refusals)) {}

        SmallVector<Exchange, 2> exchanges;
        SmallVector<CallBase *, 8> calls;
        Analyses analyses;
        Effects effects{analyses};
        Values values{analyses, effects};
        Legality legality{analyses, effects, values};
        DenseMap<CallBase *, Refusal> refusals;
        Plans plans;
    };

    // Which of these calls would be split? The function is a copy, and nothing is told of it.
    SmallVector<bool, 8> would_be_split(Function &copy, ArrayRef<CallBase *> asked, FunctionAnalysisManager &manager) {
        const std::size_t told = made.size();
        Look look(*this, copy, manager);
        for (Exchange &exchange : look.exchanges) exchange.whole->deleteValue();
        made.erase(made.begin() + static_cast<std::ptrdiff_t>(told), made.end());
        SmallVector<bool, 8> result;
        for (CallBase *call : asked) result.push_back(look.plans.count(call) != 0);
        return result;
    }

    // What lets more messages be split: a callee's loop brought in, a turn that begins elsewhere.
    void open_up(Function &function, FunctionAnalysisManager &manager) {
        SmallVector<CallBase *, 8> messages;
        for (Instruction &instruction : instructions(function))
            if (auto *call = dyn_cast<CallBase>(&instruction))
                if (const MpiCall *mpi = lookup(*call); mpi && options::wants(mpi->kind)) messages.push_back(call);
        auto splits = [&](Function &copy, ArrayRef<CallBase *> asked) { return would_be_split(copy, asked, manager); };
        inline_callees(function, messages, manager, splits);
        if (!options::wants(Kind::send)) return;
        separate_invokes(function);
        make_canonical(function, manager);
        rotate_loops(function, messages, manager, splits);
    }

    bool run_on(Function &function, FunctionAnalysisManager &manager) {
        const bool apart = options::wants_directives() && !function.hasOptNone() && take_directives_apart(function);
        if (function.hasOptNone() || none_of(instructions(function), [](Instruction &instruction) {
                auto *call = dyn_cast<CallBase>(&instruction);
                return call && ((lookup(*call) && options::wants(lookup(*call)->kind)) || wants_apart(*call));
            })) {
            candidates(function);
            return apart;
        }
        manager.invalidate(function, PreservedAnalyses::none());
        open_up(function, manager);
        Look look(*this, function, manager);
        for (Exchange &exchange : look.exchanges)
            if (look.plans.count(exchange.send) || look.plans.count(exchange.receive))
                exchange.whole->deleteValue();
            else
                put_back(exchange, look.calls, look.refusals);

        SmallVector<std::size_t, 8> done;
        for (CallBase *call : look.calls) {
            if (auto found = look.plans.find(call); found != look.plans.end()) {
                Decision decision = describe(*call);
                add_plan(decision, found->second, look.analyses.evolution);
                decision.turn_before = found->second.is_send() && is_rotated(found->second.opens_at());
                decision.as_written =
                    !decision.turn_before && is_as_written(found->second, look.plans, look.analyses.loops);
                done.push_back(made.size());
                made.push_back({std::move(decision), &function, call->getDebugLoc()});
            } else {
                refused(*call, look.refusals[call]);
            }
        }
        std::vector<std::string> strips = transform(look.analyses, look.values, look.plans);
        for (auto [index, strip] : zip(done, strips)) made[index].decision.strip = strip;
        manager.invalidate(function, PreservedAnalyses::none());
        return true;
    }

    SmallVector<CallBase *, 4> collective_candidates(Function &function) {
        SmallVector<CallBase *, 4> result;
        for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
            for (Instruction &instruction : *block) {
                auto *call = dyn_cast<CallBase>(&instruction);
                if (!call || name_of_collective(*call).empty()) continue;
                if (function.hasOptNone())
                    refused(*call, {"the function is not optimised", {}, "compile it with -O2"});
                else if (name_of_collective(*call) == "MPI_Barrier")
                    refused(*call, {"it moves no data", {}, ""});
                else if (!lookup_collective(*call))
                    refused(*call, {"it is not fed or used by strips yet", {}, "use the blocking call where you can"});
                else if (!options::wants_collectives())
                    refused(*call, {"-fstretto=" + options::what() + " leaves it out", {}, ""});
                else
                    result.push_back(call);
            }
        return result;
    }

    // After messages, whose loops have been cut.
    bool run_on_collectives(Function &function, FunctionAnalysisManager &manager) {
        if (none_of(instructions(function), [](Instruction &instruction) {
                auto *call = dyn_cast<CallBase>(&instruction);
                return call && !name_of_collective(*call).empty();
            }))
            return false;
        if (!function.hasOptNone() && options::wants_collectives()) {
            manager.invalidate(function, PreservedAnalyses::none());
            separate_invokes(function);
            make_canonical(function, manager);
        }
        SmallVector<CallBase *, 4> calls = collective_candidates(function);
        if (calls.empty()) return false;
        Analyses analyses(function, manager);
        Effects effects(analyses);
        Values values(analyses, effects);
        CollectivePlans plans = plan_collectives(calls, analyses, effects, values);

        SmallVector<std::pair<std::size_t, bool>, 8> sides; // the decision, and whether this is the second side of it
        for (auto &[call, plan] : plans) {
            if (!plan.fed && !plan.used) {
                refused(*call, plan.why());
                continue;
            }
            Decision decision = describe(*call);
            if (plan.fed) add_plan(decision, *plan.fed, analyses.evolution);
            if (plan.used) {
                Decision result = describe(*call);
                result.is_result = true;
                add_plan(result, *plan.used, analyses.evolution);
                if (plan.fed)
                    decision.result.push_back(std::move(result));
                else
                    decision = std::move(result);
            }
            sides.push_back({made.size(), false});
            if (plan.fed && plan.used) sides.push_back({made.size(), true});
            made.push_back({std::move(decision), &function, call->getDebugLoc()});
        }
        std::vector<std::string> strips = transform(analyses, values, plans);
        for (auto [side, strip] : zip(sides, strips)) {
            Decision &decision = made[side.first].decision;
            (side.second ? decision.result.front() : decision).strip = strip;
        }
        manager.invalidate(function, PreservedAnalyses::none());
        return true;
    }
};

} // namespace

} // namespace stretto::compiler

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo stretto_compiler_info() {
    return {LLVM_PLUGIN_API_VERSION, "stretto", "1", [](PassBuilder &builder) {
                // After inlining and simplification, before vectorisation and unrolling.
                builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
                    passes.addPass(stretto::compiler::NameUsersFile());
                });
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
