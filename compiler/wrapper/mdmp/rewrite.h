// Writes calls in place of directives.
#pragma once
#include "structure.h"

#include <string>

namespace stretto::wrapper::mdmp {

// The source for flang. Every line says by a marker (`# 12 "solver.f90"`) where it comes from, and what the user wrote keeps its column.
std::string rewritten(const Source &source, const Program &program);

} // namespace stretto::wrapper::mdmp
