/// Reads the tokens behind a directive's name.
#pragma once

#include "Directive.h"

#include "clang/Lex/Preprocessor.h"

#include <optional>

namespace stretto::directives {

/// What the tokens say; nothing, and a message to the user, where they are wrong. `end` is the end of the line.
std::optional<Directive> read(clang::Preprocessor &preprocessor, Kind kind, clang::SourceLocation where,
                              llvm::ArrayRef<clang::Token> tokens, clang::SourceLocation end);

} // namespace stretto::directives
