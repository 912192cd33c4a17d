#include "collective/choice.h"

#include "settings/settings.h"
#include "trace/counters.h"
#include "tune/delta_size.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace stretto::collective {

constinit Policy policy;

namespace {

constexpr std::size_t least = 4 << 10;      // bytes of a message that is worth being ours,
constexpr std::size_t least_of_slow = 1024; // and where the library's are slow
constexpr std::size_t short_ones = 8 << 10; // below, few hops count more than what each link carries
constexpr std::size_t many_ranks = 32;      // above, one partner at a time

std::span<const Algorithm> of(std::string_view collective) {
    const auto all = algorithms();
    const auto its = [&](const Algorithm &a) { return a.collective == collective; };
    const auto begin = std::find_if(all.begin(), all.end(), its);
    return {begin, std::find_if_not(begin, all.end(), its)};
}

const Algorithm *find(std::string_view collective, std::string_view name) {
    for (const Algorithm &algorithm : of(collective))
        if (algorithm.name == name) return &algorithm;
    return nullptr;
}

bool can(const Algorithm &algorithm, const Facts &facts, const Arguments &arguments) {
    return (facts.relays || !algorithm.relays) && (!algorithm.can || algorithm.can(arguments));
}

bool take(Policy &policy, const std::string &word) {
    if (word == "off") return policy.ours = Policy::Ours::off, true;
    if (word == "auto") return policy.ours = Policy::Ours::automatic, true;
    if (word == "all") return policy.ours = Policy::Ours::all, true;
    if (word == "reorder") return policy.reorders = true;
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return false;
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "lane") {
        const double bytes = bytes_asked(value.c_str()).value_or(0);
        if (bytes >= 1) policy.lane = static_cast<std::size_t>(bytes);
        return bytes >= 1;
    }
    const Algorithm *algorithm = find(name, value);
    if (algorithm) policy.wanted.push_back(algorithm);
    return algorithm;
}

// What is best, and second best; who is not of these is third.
std::vector<std::string_view> by_size(const Facts &facts, const Arguments &call) {
    const std::string_view name = facts.collective;
    const std::size_t bytes = facts.bytes.value_or(SIZE_MAX), p = static_cast<std::size_t>(call.ranks);
    const bool is_short = bytes < short_ones;
    if (name == "bcast" || name == "reduce") return {is_short ? "binomial" : "chain"};
    if (name == "gather" || name == "scatter") return {bytes < 1024 ? "binomial" : "linear"};
    if (name == "allgather") return {facts.bytes && bytes * p < least ? "bruck" : p > many_ranks ? "ring" : "linear"};
    if (name == "alltoall") return {bytes < 256 && p > 8 ? "bruck" : p > many_ranks ? "pairwise" : "linear"};
    if (name == "allreduce")
        return {bytes < least      ? "recursive_doubling"
                : bytes < 16 << 10 ? "rabenseifner"
                                   : "ring",
                "recursive_doubling"};
    if (name == "reduce_scatter") return {"ring", "in_order"};
    if (name == "scan" || name == "exscan") return {is_short ? "recursive_doubling" : "chain"};
    return {}; // barrier
}

std::array<std::uint64_t, 64> uses;

} // namespace

Policy Policy::read(const std::string &text) {
    Policy policy;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (!take(policy, word))
            complain("STRETTO_COLLECTIVES: " + word +
                     " is unknown (it may be: off, auto, all, reorder, lane=8K, or bcast=chain and the like, "
                     "docs/collectives.md); ignored");
        begin = end + 1;
    }
    return policy;
}

bool pays(const Facts &facts) {
    const std::size_t worth = facts.slow_if_short ? least_of_slow : least;
    return std::string_view(facts.collective) != "barrier" && (!facts.bytes || *facts.bytes >= worth);
}

std::size_t lane_bytes(const Facts &facts) {
    if (policy.lane) return policy.lane;
    if (settings.force) return 1024;
    const std::string_view name = facts.collective;
    const std::size_t bytes = facts.bytes.value_or(SIZE_MAX);
    std::size_t wanted = std::clamp<std::size_t>(bytes / 8, 4 << 10, 16 << 10);
    const bool in_blocks = name == "gather" || name == "scatter" || name == "allgather" || name == "alltoall";
    if (facts.is_delta) // each is a step of the program's pipeline
        wanted = std::clamp<std::size_t>(bytes / (in_blocks ? 16 : 64), 4 << 10, 64 << 10);
    else if (name == "bcast" || name == "reduce")
        wanted = std::clamp<std::size_t>(bytes / 16, 4 << 10, 16 << 10);
    else if (name == "allreduce") // two of what each rank adds up in a ring
        wanted = std::clamp<std::size_t>(bytes / 2 / static_cast<std::size_t>(facts.ranks), 4 << 10, 32 << 10);
    // What is passed on wants lanes enough to be in several places at a time.
    if (!facts.is_delta)
        wanted = std::max(wanted, std::min(tune::least_piece(facts.rate), in_blocks ? bytes : bytes / 8));
    return std::max<std::size_t>(std::min(wanted, facts.eager), 1024);
}

const Algorithm *choose(const Facts &facts, const Arguments &arguments) {
    stretto::count(Rule::collective_chosen);
    std::vector<const Algorithm *> possible;
    for (const Algorithm &algorithm : of(facts.collective))
        if (can(algorithm, facts, arguments)) possible.push_back(&algorithm);
    if (possible.empty()) return nullptr;
    const auto among = [&](const Algorithm *one) {
        return std::find(possible.begin(), possible.end(), one) != possible.end();
    };
    for (const Algorithm *algorithm : policy.wanted)
        if (among(algorithm)) return algorithm;
    // Scattered: a program's collectives may come in a pattern of their own.
    if (settings.force) return possible[(static_cast<unsigned>(facts.sequence) * 2654435769u >> 16) % possible.size()];
    for (const std::string_view name : by_size(facts, arguments))
        if (const Algorithm *algorithm = find(facts.collective, name); among(algorithm)) return algorithm;
    return possible.front();
}

void count(const Algorithm &algorithm) {
    uses[static_cast<std::size_t>(&algorithm - algorithms().data())]++;
}

void print_uses(int rank) {
    for (const Algorithm &algorithm : algorithms())
        std::fprintf(stderr, "stretto: algorithm %d %s_%s %" PRIu64 "\n", rank, algorithm.collective, algorithm.name,
                     uses[static_cast<std::size_t>(&algorithm - algorithms().data())]);
}

} // namespace stretto::collective
