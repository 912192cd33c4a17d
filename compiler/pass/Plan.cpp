#include "Plan.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using stretto::compiler::Decision;
using stretto::compiler::Place;

LLVM_YAML_IS_SEQUENCE_VECTOR(Decision)

namespace llvm::yaml {

template <>
struct MappingTraits<Place> {
    static void mapping(IO &io, Place &place) {
        io.mapRequired("file", place.file);
        io.mapRequired("line", place.line);
        io.mapRequired("column", place.column);
    }
};

template <>
struct MappingTraits<Decision> {
    static void mapping(IO &io, Decision &decision) {
        io.mapRequired("call", decision.call);
        io.mapRequired("what", decision.what);
        io.mapRequired("function", decision.function);
        io.mapRequired("at", decision.at);
        io.mapRequired("done", decision.done);
        if (decision.done) {
            io.mapRequired("loop", decision.loop);
            io.mapRequired("direction", decision.direction);
            io.mapRequired("strip", decision.strip);
            io.mapRequired("frontier", decision.frontier);
            io.mapRequired("last_sweep_of", decision.last_sweep_of);
            io.mapRequired("conditions", decision.conditions);
            io.mapRequired("checks", decision.checks);
        } else {
            io.mapRequired("reason", decision.reason);
            io.mapRequired("advice", decision.advice);
            io.mapRequired("blame", decision.blame);
        }
    }
};

} // namespace llvm::yaml

namespace stretto::compiler {

Place place_of(const DebugLoc &where) {
    if (!where) return {};
    return {cast<DIScope>(where.getScope())->getFilename().str(), where.getLine(), where.getCol()};
}

// As the linker knows it. Where the call was inlined: of the function that it was written in.
static std::string function_of(const CallBase &call) {
    const DebugLoc &where = call.getDebugLoc();
    if (where && where.getInlinedAt())
        if (const DISubprogram *subprogram = cast<DILocalScope>(where.getScope())->getSubprogram())
            return (subprogram->getLinkageName().empty() ? subprogram->getName() : subprogram->getLinkageName()).str();
    return call.getFunction()->getName().str();
}

Decision describe(const CallBase &call) {
    Decision decision;
    const MpiCall *mpi = lookup(call);
    decision.call = mpi ? mpi->name : other_point_to_point(call);
    decision.what = !mpi ? decision.call : mpi->kind == Kind::send ? "send" : "receive";
    decision.function = function_of(call);
    decision.at = place_of(call.getDebugLoc());
    return decision;
}

static std::string text_of(const SCEV *expression) {
    std::string text;
    raw_string_ostream out(text);
    out << *expression;
    return out.str();
}

void add_plan(Decision &decision, const Plan &plan, ScalarEvolution &evolution) {
    decision.done = true;
    decision.loop = place_of(plan.loop->getStartLoc());
    decision.direction = plan.direction == Direction::descending ? "descending" : "ascending";
    const SCEV *buffer = evolution.getSCEV(plan.buffer());
    for (const Mark &mark : plan.marks) { // bytes from the buffer on, where both are known to be of one object
        const SCEV *start = mark.address->getStart(), *offset = evolution.getMinusSCEV(start, buffer);
        std::string first = isa<SCEVCouldNotCompute>(offset) ? text_of(start) : text_of(offset);
        decision.frontier.push_back(first + " + t * " + text_of(mark.address->getStepRecurrence(evolution)));
    }
    decision.last_sweep_of = static_cast<unsigned>(plan.sweeps.size());
    decision.conditions = static_cast<unsigned>(plan.conditions.size());
    decision.checks = static_cast<unsigned>(plan.checks());
}

void add_refusal(Decision &decision, const Refusal &why) {
    decision.reason = why.reason;
    decision.advice = why.advice;
    decision.blame = place_of(why.blame);
}

std::string write_plan(const std::string &file, std::vector<Decision> &decisions) {
    std::error_code error;
    raw_fd_ostream out(file, error, sys::fs::OF_Text);
    if (error) return "cannot write the plan to " + file + ": " + error.message();
    yaml::Output yaml(out);
    yaml << decisions;
    return {};
}

} // namespace stretto::compiler
