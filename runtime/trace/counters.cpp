#include "trace/counters.h"

#include <cinttypes>
#include <cstdio>

namespace stretto {

void print_counters(int rank) {
    static constexpr const char *names[] = {
#define RULE(name, text) #name,
#include "trace/rules.def"
#undef RULE
    };
    for (std::size_t k = 0; k < counters.size(); k++)
        std::fprintf(stderr, "stretto: counter %d %s %" PRIu64 "\n", rank, names[k], counters[k]);
}

} // namespace stretto
