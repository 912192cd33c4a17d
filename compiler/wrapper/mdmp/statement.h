// What a Fortran statement is, as far as it matters where a directive may stand.
#pragma once
#include "source.h"

#include <string>
#include <vector>

namespace stretto::wrapper::mdmp {

struct Token {
    std::string text; // in lower case; of a text in quotes only the quotes
    Place where;
    bool is_name() const { return !text.empty() && is_letter(text[0]); }
};

struct Statement {
    enum Kind {
        action,      // all that is not told apart
        declaration, // may not stand behind an action
        use,         // name: the module
        unit,        // name: of the program, module or procedure that begins
        unit_end,    // name: what ends, or empty
        interface,   // of procedures
        type,        // a derived type's definition
        contains,
        construct,    // name: its word: do, if, block, ...
        construct_end // likewise
    } kind = action;
    std::string name;
    std::string word; // of a unit: program, module, submodule, subroutine, function, procedure, blockdata
    bool pure = false;
    std::string label;    // of the statement
    std::string do_label; // of a loop that ends at a label
    std::string leaves;   // return, exit or cycle; what it names is in `name`
    Place where{};
    Place module{}; // of a use: where the module's name stands
};

// One for each statement of the text: `;` stands between them.
std::vector<Statement> statements_of(const Text &text);

} // namespace stretto::wrapper::mdmp
