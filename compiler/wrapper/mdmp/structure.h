// Where directives stand in a program: in which procedure, in which region, in which exchange; and where they may not.
#pragma once
#include "directive.h"
#include "elements.h"

#include <string>
#include <vector>

namespace stretto::wrapper::mdmp {

struct Placed {
    Directive directive;
    std::size_t first, last; // rows
    std::string procedure;
    bool ends_exchange = false; // all of its exchange are waited for behind it
};

struct Program {
    std::vector<Placed> directives; // in their order
    std::vector<Place> uses;        // where `use` names the module stretto_mdmp
};

Program read_program(const Source &source, const std::vector<Element> &elements, std::vector<Problem> &problems);

} // namespace stretto::wrapper::mdmp
