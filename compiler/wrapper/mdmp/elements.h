// Takes a source apart into statements, directives and lines of the preprocessor. Comments are none of these.
#pragma once
#include "source.h"

#include <vector>

namespace stretto::wrapper::mdmp {

struct Element {
    enum Kind {
        statement,    // one or more, with `;` between them
        directive,    // of MDMP; its text has no sentinel
        preprocessor, // #if and the like
        other         // a directive that is compiled, too: of OpenMP, say
    } kind;
    std::size_t first, last; // rows
    Text text;
};

std::vector<Element> elements_of(const Source &source, std::vector<Problem> &problems);

} // namespace stretto::wrapper::mdmp
