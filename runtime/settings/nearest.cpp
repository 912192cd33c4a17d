#include "settings/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace stretto {

// Levenshtein's distance, one row of its table at a time.
static std::size_t edits(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < from.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); j++) {
            const std::size_t replaced = diagonal + (from[i] != to[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view nearest(std::string_view typed, const std::vector<std::string> &candidates) {
    std::string_view best;
    std::size_t fewest = typed.size() / 2 + 1;
    for (const std::string &candidate : candidates) {
        if (const std::size_t distance = edits(typed, candidate); distance < fewest) {
            fewest = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace stretto
