/// What the analysis hands to the transformation, and what is told to people: plain data. Nothing in the program has changed yet.
#pragma once

#include "Calls.h"
#include "Compat.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <string>
#include <vector>

namespace stretto::compiler {

/// Why a call stays as it is, which line is to blame (it may be unknown), and what the programmer can do (it may be empty).
struct Refusal {
    std::string reason;
    llvm::DebugLoc blame;
    std::string advice;
};

enum class Direction { ascending, descending };

/// One access to the message in the loop: an address, as a linear function of the loop's counter t.
///
///            ascending                                        descending
///   send     lowest byte that iteration t writes              one past the highest byte that iteration t writes
///   receive  one past the highest byte that iteration t reads  lowest byte that iteration t reads
///
/// Of a send, no later iteration writes below (above) it.
struct Mark {
    const llvm::SCEVAddRecExpr *address;
    const llvm::Instruction *access;
};

/// Bytes [low, high) of memory.
struct Range {
    const llvm::SCEV *low, *high;
};

/// Of a collective: each iteration of the plan's loop goes through as many blocks, `stride` bytes apart, and touches the same part of each.
struct BlocksAlike {
    const llvm::SCEV *stride, *count;
    const llvm::SCEV *extent; // bytes of a block that the whole loop touches: no more than the stride
    /// The lowest byte, and one past the highest, that iteration t touches of the first block; one of each per access.
    llvm::SmallVector<const llvm::SCEVAddRecExpr *, 4> lowest, highest;
};

/// A branch after the loop that the call depends on, with a condition that is known before the loop.
struct Condition {
    llvm::BranchInst *branch;
    bool taken; // the call is reached where the condition has this value
};

struct Plan {
    llvm::CallBase *call = nullptr;
    const MpiCall *mpi = nullptr;
    llvm::Value *message = nullptr;  // null: the call's first argument
    llvm::CallBase *wait = nullptr;  // of a receive that is waited for: there it begins to be open
    llvm::CallBase *start = nullptr; // of a persistent send: the call that starts it

    llvm::Loop *loop = nullptr; // fills the message, or reads it
    bool counted = false;       // its number of iterations is known before it runs
    std::optional<Direction> direction;
    llvm::SmallVector<Mark, 4> marks;
    std::optional<BlocksAlike> blocks;

    /// Sender: loops around `loop` that write the whole message again and again, outermost first. It begins in the last sweep of each.
    llvm::SmallVector<llvm::Loop *, 2> sweeps;
    /// Sender: only where all of them hold does it begin.
    llvm::SmallVector<Condition, 2> conditions;

    /// Sender: sends between the loop and the call, which have begun before. Receiver: receives that begin while this one is open.
    llvm::SmallVector<llvm::CallBase *, 2> crosses;

    // Compared at run time: what may overlap the message; steps of unknown sign; assumptions of scalar evolution, above all that an
    // index of 32 bits does not wrap.
    llvm::SmallVector<Range, 4> must_be_disjoint;
    llvm::SmallVector<Range, 4> other_must_be_disjoint; // of a collective: from its other side
    llvm::SmallVector<const llvm::SCEV *, 4> must_be_positive;
    Predicates must_hold;
    /// Two loads of one pointer, which a call between them may have changed.
    llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>, 2> must_be_same;

    /// Arguments that are read from memory: the loop writes a range, and nothing says that they do not lie in it. (Fortran forbids it, the
    /// IR does not know.) Where they do the send must not begin, for its arguments would be wrong.
    struct Apart {
        llvm::Value *argument;
        unsigned bytes;       // of each
        llvm::Value *of_many; // how many there are, one behind the other; null: one
        Range written;
    };
    llvm::SmallVector<Apart, 4> arguments_apart;

    /// Receiver: it ends wherever the loop is not reached any more: behind the loop, and where the program returns without it, stops, or begins
    /// the next turn of the loop around.
    struct End {
        llvm::BasicBlock *from, *to; // between two blocks; from is null: at the beginning of `to`
    };
    llvm::SmallVector<End, 2> ends;

    llvm::BasicBlock *end_block = nullptr; // of a collective's result: where all of it has been read

    // Receiver: accesses outside the loop that meet the message, or may; calls aside of the way to the loop, before which all has come.
    llvm::SmallVector<llvm::LoadInst *, 4> loads_of_message;
    llvm::SmallVector<llvm::Instruction *, 4> may_touch, aside;
    /// Receiver: sends that begin while it is open, whose message may be the same memory: compared at run time.
    llvm::SmallVector<llvm::CallBase *, 2> sent_meanwhile;

    bool is_send() const { return mpi->kind == Kind::send; }
    /// Where a receive begins to be open, or a send's message is final.
    llvm::CallBase &opens_at() const { return wait ? *wait : start ? *start : *call; }
    llvm::Value *buffer() const { return message ? message : call->getArgOperand(MpiCall::buffer); }
    std::size_t checks() const {
        return must_be_disjoint.size() + other_must_be_disjoint.size() + must_be_positive.size() + must_hold.size() +
               must_be_same.size() + arguments_apart.size();
    }
};

/// A place in the source; line 0: not known.
struct Place {
    std::string file;
    unsigned line = 0, column = 0;
};

Place place_of(const llvm::DebugLoc &where);

/// A mark, for other tools: the mark's address is `first` + t * `step` bytes from the buffer on, where that is known.
struct MarkText {
    Place at;
    std::string first, step;
};

/// What became of one call: what remarks and other tools read. All of it can be written as YAML.
struct Decision {
    std::string call, what, function; // MPI_Send, send, the name of the function for the linker
    std::string says;                 // the remark
    Place at;
    bool done = false;

    // Where it is done: the loop, and which bytes are final (have been read) after t iterations, one function of t per access.
    Place loop;
    std::string direction, strip;
    std::vector<std::string> frontier;
    unsigned last_sweep_of = 0, conditions = 0, checks = 0;
    bool turn_before = false; // of a send at the top of a loop: it starts in the turn before (Rotation.h)

    // Of a collective: is this its result's side? And its result's side, where both are done.
    bool is_result = false;
    std::vector<Decision> result;

    // For who changes the source (stretto annotate), where one loop must be one loop, and nothing is compared at run time.
    std::string name; // of the function in the source
    std::vector<MarkText> marks;
    std::vector<Place> loads; // of the message, outside the loop
    unsigned overlaps = 0;    // checks that memory does not overlap the message
    unsigned crosses = 0;
    bool as_written = true; // the turns of the loop are those of the source, and so it is with each copy of it
    bool everywhere = true; // done in every place where the function was inlined

    // Where it is not.
    std::string reason, advice;
    Place blame;
};

/// What is known of a call before anything is decided.
Decision describe(const llvm::CallBase &call);
/// The frontier of a plan, for people; before the loop is changed.
void add_plan(Decision &decision, const Plan &plan, llvm::ScalarEvolution &evolution);
void add_refusal(Decision &decision, const Refusal &why);

/// Writes them as YAML to a file, or to one of its own in a folder; what is wrong, or nothing.
std::string write_plan(const std::string &file, llvm::StringRef source, std::vector<Decision> &decisions);

} // namespace stretto::compiler
