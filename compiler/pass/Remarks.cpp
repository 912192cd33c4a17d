#include "Remarks.h"

#include "llvm/ADT/STLExtras.h"
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
        if (is_new || !at.line) {
            result.push_back(std::move(made));
            continue;
        }
        Made &before = result[found->second];
        const bool same_place =
            made.function == before.function && made.line.getInlinedAt() == before.line.getInlinedAt();
        const bool everywhere =
            before.decision.everywhere && (same_place || (made.decision.done && before.decision.done));
        const bool as_written = made.decision.as_written && before.decision.as_written;
        if (made.decision.done && (!before.decision.done || made.decision.turn_before)) before = std::move(made);
        before.decision.as_written = as_written;
        before.decision.everywhere = everywhere;
    }
    // A call that is taken apart is told by its halves, whatever became of its other copies.
    erase_if(result, [&](const Made &whole) {
        const Place &at = whole.decision.at;
        return !whole.decision.done && at.line && any_of(result, [&](const Made &half) {
            const Place &other = half.decision.at;
            return half.decision.done && half.decision.call != whole.decision.call &&
                   whole.decision.what == whole.decision.call &&
                   std::tie(at.file, at.line, at.column) == std::tie(other.file, other.line, other.column);
        });
    });
    std::stable_sort(result.begin(), result.end(), [](const Made &one, const Made &other) {
        const Place &a = one.decision.at, &b = other.decision.at;
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    return result;
}

// Where it starts or ends, by strips.
static std::string how(const Decision &decision, const Place &at) {
    bool ends = decision.what == "receive" || decision.is_result;
    std::string text = ends ? " ends inside the loop at " : " starts inside the loop at ";
    text += words(decision.loop, at);
    if (decision.turn_before) text += ", in the turn before";
    if (decision.last_sweep_of) text += ", in the last sweep";
    text += ", strips of " + decision.strip;
    if (decision.direction == "descending") text += ", from the end to the beginning";
    if (decision.conditions) text += ", where its condition holds";
    if (decision.checks)
        text += ", " + std::to_string(decision.checks) + (decision.checks == 1 ? " check" : " checks") + " at run time";
    return text;
}

std::string text(const Decision &decision) {
    const Place &at = decision.at;
    std::string text = decision.what + " at " + words(at, at);
    if (!decision.done) {
        text += " stays as it is: " + decision.reason;
        if (decision.blame.line) text += " (" + words(decision.blame, at) + ")";
        return decision.advice.empty() ? text : text + "; " + decision.advice;
    }
    text += how(decision, at);
    for (const Decision &result : decision.result) text += ", and" + how(result, at);
    return text;
}

void remark(OptimizationRemarkEmitter &emitter, const Made &made) {
    const BasicBlock *block = &made.function->getEntryBlock();
    DiagnosticLocation line(made.line);
    const std::string &what = made.decision.what;
    const char *name = what == "receive" ? "ReceiveSplit" : what == "send" ? "SendSplit" : "CollectiveSplit";
    if (made.decision.done)
        emitter.emit(OptimizationRemark("stretto", name, line, block) << text(made.decision));
    else
        emitter.emit(OptimizationRemarkMissed("stretto", "NotSplit", line, block) << text(made.decision));
}

} // namespace stretto::compiler
