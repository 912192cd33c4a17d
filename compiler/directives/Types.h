/// What sections are made of, once types are known: what cannot be sent is refused, and constants that cannot be right.
#pragma once

#include "Directive.h"

#include "clang/AST/ASTContext.h"

namespace stretto::directives {

/// Of the whole file, with the instances of its templates.
void check_types(clang::ASTContext &context, const Directives &all);

} // namespace stretto::directives
