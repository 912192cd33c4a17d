/// Where directives stand: which form one exchange, where regions begin and end, and where none may stand.
#pragma once

#include "Directive.h"

#include "clang/AST/ASTContext.h"

namespace stretto::directives {

/// Of all functions in `declaration`. To be done before code is generated: the last directive of an exchange alone waits for it.
void check_places(clang::ASTContext &context, const Directives &all, clang::Decl *declaration);

} // namespace stretto::directives
