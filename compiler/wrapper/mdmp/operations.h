// The operations of a reduction, and what Fortran calls them.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace stretto::wrapper::mdmp {

// The numbers are those of STRETTO_OP_* (include/stretto/mdmp.h, which needs an MPI).
enum class Operation { none, add, multiply, min, max, logical_and, logical_or, bits_and, bits_or, bits_xor };

constexpr std::array<std::string_view, 10> names_of_operations = {"",      "+",    "*",    "min", "max",
                                                                  ".and.", ".or.", "iand", "ior", "ieor"};

// By its name in lower case; none: there is no such.
inline Operation operation_of(std::string_view name) {
    const auto found = std::find(names_of_operations.begin() + 1, names_of_operations.end(), name);
    return found == names_of_operations.end() ? Operation::none
                                              : static_cast<Operation>(found - names_of_operations.begin());
}

// "+ * min ..."
inline std::string all_operations() {
    std::string all;
    for (const std::string_view name : names_of_operations) all += (all.empty() ? "" : " ") + std::string(name);
    return all;
}

} // namespace stretto::wrapper::mdmp
