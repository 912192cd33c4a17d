/// The tokens that take a directive's place: calls of include/stretto/mdmp.h in one block.
#pragma once

#include "Directive.h"

#include "clang/Lex/Preprocessor.h"

namespace stretto::directives {

/// Names of the block's variables: what is checked of a section is their initializers (Types.cpp).
namespace variable {
inline constexpr const char *part = "stretto_mdmp_part_";     // and a number: &piece[lower] of each range
inline constexpr const char *whole = "stretto_mdmp_whole_";   // and a number: &array, where the length was left out
inline constexpr const char *first = "stretto_mdmp_first_";   // the first element's address
inline constexpr const char *lower = "stretto_mdmp_lower_";   // and a number: where the length was left out
inline constexpr const char *count = "stretto_mdmp_count_";   // of each dimension
inline constexpr const char *stride = "stretto_mdmp_stride_"; // in elements
inline constexpr const char *partner = "stretto_mdmp_partner_";
inline constexpr const char *tag = "stretto_mdmp_tag_";
inline constexpr const char *root = "stretto_mdmp_root_";
} // namespace variable

std::vector<clang::Token> calls(clang::Preprocessor &preprocessor, const Directive &directive);

} // namespace stretto::directives
