#include "Plan.h"
#include "Collectives.h"
#include "Directives.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;
using stretto::compiler::Decision;
using stretto::compiler::MarkText;
using stretto::compiler::Place;

LLVM_YAML_IS_SEQUENCE_VECTOR(Decision)
LLVM_YAML_IS_SEQUENCE_VECTOR(MarkText)
LLVM_YAML_IS_SEQUENCE_VECTOR(Place)

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
struct MappingTraits<MarkText> {
    static void mapping(IO &io, MarkText &mark) {
        io.mapRequired("at", mark.at);
        io.mapRequired("first", mark.first);
        io.mapRequired("step", mark.step);
    }
};

template <>
struct MappingTraits<Decision> {
    static void mapping(IO &io, Decision &decision) {
        io.mapRequired("call", decision.call);
        io.mapRequired("what", decision.what);
        io.mapRequired("function", decision.function);
        io.mapRequired("at", decision.at);
        io.mapRequired("says", decision.says);
        io.mapRequired("done", decision.done);
        if (decision.done) {
            io.mapRequired("loop", decision.loop);
            io.mapRequired("direction", decision.direction);
            io.mapRequired("strip", decision.strip);
            io.mapRequired("frontier", decision.frontier);
            io.mapRequired("last_sweep_of", decision.last_sweep_of);
            io.mapRequired("conditions", decision.conditions);
            io.mapRequired("checks", decision.checks);
            io.mapOptional("is_result", decision.is_result, false);
            io.mapOptional("result", decision.result);
            io.mapRequired("name", decision.name);
            io.mapRequired("marks", decision.marks);
            io.mapRequired("loads", decision.loads);
            io.mapRequired("overlaps", decision.overlaps);
            io.mapRequired("crosses", decision.crosses);
            io.mapRequired("turn_before", decision.turn_before);
            io.mapRequired("as_written", decision.as_written);
            io.mapRequired("everywhere", decision.everywhere);
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

// The function that a call was written in, which may have been inlined; null: not known.
static const DISubprogram *written_in(const CallBase &call) {
    const DebugLoc &where = call.getDebugLoc();
    return where ? cast<DILocalScope>(where.getScope())->getSubprogram() : nullptr;
}

// As the linker knows it.
static std::string function_of(const CallBase &call) {
    const DISubprogram *subprogram =
        call.getDebugLoc() && call.getDebugLoc().getInlinedAt() ? written_in(call) : nullptr;
    if (!subprogram) return call.getFunction()->getName().str();
    return (subprogram->getLinkageName().empty() ? subprogram->getName() : subprogram->getLinkageName()).str();
}

Decision describe(const CallBase &call) {
    Decision decision;
    const MpiCall *mpi = lookup(call);
    decision.call = mpi ? mpi->name : other_point_to_point(call);
    decision.what = !mpi ? decision.call : mpi->kind == Kind::send ? "send" : "receive";
    if (std::string collective = name_of_collective(call); !collective.empty())
        decision.call = decision.what = std::move(collective);
    if (std::string directive = text_of_directive(call); !directive.empty()) {
        decision.call = std::move(directive);
        decision.what = kind_of_directive(call) == Kind::send ? "send" : "receive";
    }
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
        std::string step = text_of(mark.address->getStepRecurrence(evolution));
        decision.frontier.push_back(first + " + t * " + step);
        decision.marks.push_back({place_of(mark.access->getDebugLoc()), std::move(first), std::move(step)});
    }
    decision.last_sweep_of = static_cast<unsigned>(plan.sweeps.size());
    decision.conditions = static_cast<unsigned>(plan.conditions.size());
    decision.checks = static_cast<unsigned>(plan.checks());
    if (const DISubprogram *subprogram = written_in(*plan.call)) decision.name = subprogram->getName().str();
    for (const LoadInst *load : plan.loads_of_message) decision.loads.push_back(place_of(load->getDebugLoc()));
    decision.overlaps =
        static_cast<unsigned>(plan.must_be_disjoint.size() + plan.may_touch.size() + plan.sent_meanwhile.size());
    decision.crosses = static_cast<unsigned>(plan.crosses.size());
}

void add_refusal(Decision &decision, const Refusal &why) {
    decision.reason = why.reason;
    decision.advice = why.advice;
    decision.blame = place_of(why.blame);
}

// /home/me/src/halo.c in the folder plans: plans/_home_me_src_halo.c.yaml, whatever folder it is compiled in.
static std::string plan_file_of(const std::string &given, StringRef source) {
    if (!sys::fs::is_directory(given)) return given;
    SmallString<128> name = source;
    sys::fs::make_absolute(name);
    sys::path::remove_dots(name, /*remove_dot_dot=*/true);
    std::replace(name.begin(), name.end(), '/', '_');
    return given + "/" + std::string(name) + ".yaml";
}

std::string write_plan(const std::string &given, StringRef source, std::vector<Decision> &decisions) {
    const std::string file = plan_file_of(given, source);
    std::error_code error;
    raw_fd_ostream out(file, error, sys::fs::OF_Text);
    if (error) return "cannot write the plan to " + file + ": " + error.message();
    yaml::Output yaml(out);
    yaml << decisions;
    return {};
}

} // namespace stretto::compiler
