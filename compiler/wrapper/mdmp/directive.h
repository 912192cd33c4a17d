// A directive of MDMP as it stands in a Fortran source (docs/mdmp.md).
#pragma once
#include "operations.h"
#include "source.h"

#include <optional>
#include <string>
#include <vector>

namespace stretto::wrapper::mdmp {

// Characters of a directive's text.
struct Range {
    std::size_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
};

struct Directive {
    enum Kind { region, region_end, send, receive, reduce, bcast } kind = region;
    Text text;
    Range name;
    std::string said; // the section, or the region's name, as it is written
    Range section;
    Range base;  // the array that the section is of; empty where its elements may lie elsewhere, or where it is all
    Range count; // empty: what the section says
    Range partner;
    bool none = false;     // no partner
    Range tag, comm, root; // with their brackets; empty: implied
    Range operation;       // of a reduction, with its colon
    Operation op = Operation::none;
    std::size_t end = 0; // the closing bracket, or the end

    bool joins_exchange() const { return kind == send || kind == receive; }
    bool has_section() const { return joins_exchange() || kind == reduce || kind == bcast; }
};

// Nothing, and a problem, where the directive is wrong.
std::optional<Directive> read_directive(const Text &text, std::vector<Problem> &problems);

} // namespace stretto::wrapper::mdmp
