#pragma once
#include <string>

//! \brief Names of C++ functions, for people.
namespace stretto::source {

//! "void halo::exchange<double>(halo::Grid<double>&)" of "_ZN4halo8exchange..."; what is no C++ name stays as it is.
std::string demangle(const std::string &symbol);

//! "halo::exchange<double>" of that: no result, no parameters, and no template arguments where they are long.
std::string shortened_name(const std::string &demangled);

} // namespace stretto::source
