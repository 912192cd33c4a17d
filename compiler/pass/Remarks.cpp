#include "Remarks.h"

#include "llvm/IR/Function.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace llvm;

namespace stretto::compiler {

// "line 12", or "line 3 of halo.h" when it is in another file than the call.
static std::string words(const Place &place, const Place &call) {
    if (!place.line) return "an unknown line";
    return "line " + std::to_string(place.line) + (place.file != call.file ? " of " + place.file : "");
}

std::vector<Made> one_for_each_call(std::vector<Made> all) {
    std::map<std::tuple<std::string, unsigned, unsigned, std::string>, std::size_t> seen;
    std::vector<Made> result;
    for (Made &made : all) {
        const Place &at = made.decision.at;
        auto [found, is_new] = seen.try_emplace({at.file, at.line, at.column, made.decision.call}, result.size());
        if (is_new || !at.line)
            result.push_back(std::move(made));
        else if (made.decision.done && !result[found->second].decision.done)
            result[found->second] = std::move(made);
    }
    std::stable_sort(result.begin(), result.end(), [](const Made &one, const Made &other) {
        const Place &a = one.decision.at, &b = other.decision.at;
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    return result;
}

static std::string text(const Decision &decision) {
    const Place &at = decision.at;
    std::string text = decision.what + " at " + words(at, at);
    if (!decision.done) {
        text += " stays as it is: " + decision.reason;
        if (decision.blame.line) text += " (" + words(decision.blame, at) + ")";
        return decision.advice.empty() ? text : text + "; " + decision.advice;
    }
    text += decision.what == "receive" ? " ends inside the loop at " : " starts inside the loop at ";
    text += words(decision.loop, at);
    if (decision.last_sweep_of) text += ", in the last sweep";
    text += ", strips of " + decision.strip;
    if (decision.direction == "descending") text += ", from the end to the beginning";
    if (decision.conditions) text += ", where its condition holds";
    if (decision.checks)
        text += ", " + std::to_string(decision.checks) + (decision.checks == 1 ? " check" : " checks") + " at run time";
    return text;
}

void remark(OptimizationRemarkEmitter &emitter, const Made &made) {
    const BasicBlock *block = &made.function->getEntryBlock();
    DiagnosticLocation line(made.line);
    bool is_receive = made.decision.what == "receive";
    if (made.decision.done)
        emitter.emit(OptimizationRemark("stretto", is_receive ? "ReceiveSplit" : "SendSplit", line, block)
                     << text(made.decision));
    else
        emitter.emit(OptimizationRemarkMissed("stretto", "NotSplit", line, block) << text(made.decision));
}

} // namespace stretto::compiler
