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

/// A branch after the loop that the call depends on, with a condition that is known before the loop.
struct Condition {
    llvm::BranchInst *branch;
    bool taken; // the call is reached where the condition has this value
};

struct Plan {
    llvm::CallBase *call = nullptr;
    const MpiCall *mpi = nullptr;

    llvm::Loop *loop = nullptr; // fills the message, or reads it
    bool counted = false;       // its number of iterations is known before it runs
    std::optional<Direction> direction;
    llvm::SmallVector<Mark, 4> marks;

    /// Sender: loops around `loop` that write the whole message again and again, outermost first. It begins in the last sweep of each.
    llvm::SmallVector<llvm::Loop *, 2> sweeps;
    /// Sender: only where all of them hold does it begin.
    llvm::SmallVector<Condition, 2> conditions;

    /// Sender: sends between the loop and the call, which have begun before. Receiver: receives that begin while this one is open.
    llvm::SmallVector<llvm::CallBase *, 2> crosses;

    // Compared at run time: what may overlap the message; steps of unknown sign; assumptions of scalar evolution, above all that an
    // index of 32 bits does not wrap.
    llvm::SmallVector<Range, 4> must_be_disjoint;
    llvm::SmallVector<const llvm::SCEV *, 4> must_be_positive;
    Predicates must_hold;

    /// Fortran: the loop writes a range, and nothing says that the argument does not lie in it. (The language forbids it, the IR does
    /// not know.) Where it does the send must not begin, for its arguments would be wrong.
    struct Apart {
        llvm::Value *argument;
        Range written;
    };
    llvm::SmallVector<Apart, 4> arguments_apart;

    // Receiver: accesses outside the loop that meet the message, or may; and the block where it is complete.
    llvm::SmallVector<llvm::LoadInst *, 4> loads_of_message;
    llvm::SmallVector<llvm::Instruction *, 4> may_touch;
    llvm::BasicBlock *end_block = nullptr;
    /// Receiver: sends that begin while it is open, whose message may be the same memory: compared at run time.
    llvm::SmallVector<llvm::CallBase *, 2> sent_meanwhile;

    bool is_send() const { return mpi->kind == Kind::send; }
    llvm::Value *buffer() const { return call->getArgOperand(MpiCall::buffer); }
    std::size_t checks() const {
        return must_be_disjoint.size() + must_be_positive.size() + must_hold.size() + arguments_apart.size();
    }
};

/// A place in the source; line 0: not known.
struct Place {
    std::string file;
    unsigned line = 0, column = 0;
};

Place place_of(const llvm::DebugLoc &where);

/// What became of one call: what remarks and other tools read. All of it can be written as YAML.
struct Decision {
    std::string call, what, function; // MPI_Send, send, the name of the function for the linker
    Place at;
    bool done = false;

    // Where it is done: the loop, and which bytes are final (have been read) after t iterations, one function of t per access.
    Place loop;
    std::string direction, strip;
    std::vector<std::string> frontier;
    unsigned last_sweep_of = 0, conditions = 0, checks = 0;

    // Where it is not.
    std::string reason, advice;
    Place blame;
};

/// What is known of a call before anything is decided.
Decision describe(const llvm::CallBase &call);
/// The frontier of a plan, for people; before the loop is changed.
void add_plan(Decision &decision, const Plan &plan, llvm::ScalarEvolution &evolution);
void add_refusal(Decision &decision, const Refusal &why);

/// Writes them as YAML to a file; what is wrong, or nothing.
std::string write_plan(const std::string &file, std::vector<Decision> &decisions);

} // namespace stretto::compiler
