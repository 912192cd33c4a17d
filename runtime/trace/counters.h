#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace stretto {

//! \brief A rule of the message protocol whose uses are counted. STRETTO_COUNTERS=1 prints them all at MPI_Finalize:
//! a test that never met a rule has not tested it.
enum class Rule {
#define RULE(name, text) name,
#include "trace/rules.def"
#undef RULE
    number
};

inline std::array<std::uint64_t, static_cast<std::size_t>(Rule::number)> counters;

inline void count(Rule rule, std::uint64_t n = 1) {
    counters[static_cast<std::size_t>(rule)] += n;
}

//! Print `stretto: counter RANK NAME N` for every rule, used or not.
void print_counters(int rank);

} // namespace stretto
