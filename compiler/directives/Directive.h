/// A directive of MDMP as it stands in the source (docs/mdmp.md): what is read of its tokens, and what is known of it later.
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace stretto::directives {

using Tokens = llvm::SmallVector<clang::Token, 8>;

enum class Kind { region, region_end, send, receive, reduce, bcast };

/// Of a reduction, as STRETTO_OP_* of include/stretto/mdmp.h count them.
enum class Operation { none, add, multiply, min, max, logical_and, logical_or, bits_and, bits_or, bits_xor };

/// [lower:length:stride]; what was left out is empty.
struct Range {
    clang::SourceLocation where; // its bracket
    Tokens lower, length, stride;
};

/// piece [range] piece [range] ... piece. The pieces have no colon: `old`, `[1]`, `.pressure`; all but the first may be empty.
struct Section {
    std::vector<Tokens> pieces;
    std::vector<Range> ranges; // one less than pieces
};

struct Directive {
    Kind kind;
    clang::SourceLocation where; // its name; the tokens that take its place are there, too
    std::string text;            // the section, or the region's name, as it is written
    Section section;
    Tokens count;     // empty: what the ranges say; without ranges the whole object
    Tokens partner;   // of `none` MPI_PROC_NULL
    Tokens tag, comm; // empty: implied
    Tokens root;      // likewise: of a reduction all ranks have the result
    Operation operation = Operation::none;

    bool placed = false;                     // it was met as a statement
    bool complained = false, warned = false; // once is enough

    bool joins_exchange() const { return kind == Kind::send || kind == Kind::receive; }
    bool is_collective() const { return kind == Kind::reduce || kind == Kind::bcast; }
    bool has_section() const { return joins_exchange() || is_collective(); }
    const char *name() const {
        static const char *const names[] = {"commregion", "commregionfinished", "send", "recv", "reduce", "bcast"};
        return names[static_cast<int>(kind)];
    }
    const char *operation_name() const {
        static const char *const names[] = {"", "+", "*", "min", "max", "&&", "||", "&", "|", "^"};
        return names[static_cast<int>(operation)];
    }
    /// What the running program calls it, beside its name.
    std::string told() const { return operation == Operation::none ? text : operation_name() + (": " + text); }
};

/// The directives of a file that is compiled, by the place of their names. A statement that begins at such a place is the directive's.
class Directives {
public:
    Directive &add(Directive directive) {
        auto &slot = all_[directive.where.getRawEncoding()];
        slot = std::make_unique<Directive>(std::move(directive));
        order_.push_back(slot.get());
        return *slot;
    }
    Directive *at(clang::SourceLocation where) const {
        auto found = all_.find(where.getRawEncoding());
        return found == all_.end() ? nullptr : found->second.get();
    }
    const std::vector<Directive *> &in_order() const { return order_; }

    /// Some directive was wrong and is not here: what belongs to it is not complained about.
    bool some_refused = false;

private:
    llvm::DenseMap<clang::SourceLocation::UIntTy, std::unique_ptr<Directive>> all_;
    std::vector<Directive *> order_;
};

} // namespace stretto::directives
