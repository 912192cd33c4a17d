#include "tune/trial.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace stretto::tune {

namespace {

// Calls of a turn. In a turn's first call what began in the other way still travels, so it does not count. `found` takes turns with `other`;
// the first trial comes after a longer turn, in which connections are made and other things learnt.
struct Turns {
    unsigned first, found, other;
};
// An iteration with several such calls has short times and a long one: a turn has many iterations, or what counts would depend on where it begins.
constexpr Turns usual{24, 8, 4}, of_slow{12, 4, 3}, of_varying{96, 48, 24};
constexpr double slow_from = 5e-3; // seconds: of these two calls are as good as many
constexpr unsigned tells = 3;      // calls, the first of which does not count, show it
constexpr double alike = 3;        // the longest call over the shortest, where calls do not vary

// Where calls vary, a turn of ours that loses so much is given up after so many calls.
constexpr unsigned loses_after = 8;
constexpr double clearly = 1.2;

// After so many turns of each way: the time of ours over the library's at which ours stays, and from which the library's does. What gains much
// would lose much by a longer trial. A tie is the library's.
struct Verdict {
    double ours_to, native_from;
};
constexpr std::array<Verdict, 4> verdicts{{{0.9, 1.0}, {0.95, 0.99}, {0.96, 0.98}, {0.97, 0.97}}};

// Calls until the next trial: twice as many each time that the same is found. What seemed to gain is looked at again soon; where it did not,
// eight times the calls of a trial at least.
constexpr unsigned least_rest_of_native = 256, of_varying_native = 1024, least_rest_of_ours = 32, most_rest = 8192;

// Not the median: what the library's own way takes may have two values, of which only one is often. The longest sixth is left out, which
// somebody else may have disturbed.
double mean(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    if (times.size() > 2) times.resize(times.size() - (times.size() + 5) / 6);
    return times.empty() ? 0 : std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

bool vary(const std::vector<double> &times) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return least != times.end() && *most > alike * *least;
}

} // namespace

bool Trial::begins(double now, std::size_t bytes) {
    const bool due = begun && took(now - last);
    if (begun && bytes != last_bytes && !varies && !slow) {
        varies = true;
        if (stage == tries) begin_trial();
    }
    begun = true;
    last_bytes = bytes;
    last = now;
    return due && done > 0;
}

unsigned Trial::length() const {
    const Turns turns = varies ? of_varying : slow ? of_slow : usual;
    return is_challenged() ? turns.other : turn == 0 && first ? turns.first : turns.found;
}

// The last call, until the next one began. True: something is to be decided.
bool Trial::took(double seconds) {
    done++;
    if (stage == rests) {
        if (done == rest) begin_trial();
        return false;
    }
    note(seconds);
    if (turn == 0 && first && !varies && done == tells) return true;
    if (may_be_cut_short() && done == loses_after) return true;
    if (done < length()) return false;
    if (is_challenged() || (turn == 0 && !varies && !slow)) return true;
    begin_turn(turn + 1);
    return false;
}

void Trial::note(double seconds) {
    auto &its = times[static_cast<int>(way())];
    if (varies) {
        sum += done > 1 ? seconds : 0;
        if (done == length()) its.push_back(sum / (done - 1));
    } else if (done > 1) {
        its.push_back(seconds);
    }
}

Trial::Measured Trial::measured() const {
    const auto &native = times[static_cast<int>(Way::native)], &ours = times[static_cast<int>(Way::ours)];
    const auto &its = times[static_cast<int>(way())];
    return {.native = mean(native),
            .ours = mean(ours),
            .least = its.empty() ? 0 : *std::min_element(its.begin(), its.end()),
            .so_far = varies && done > 1 ? sum / (done - 1) : 0,
            .uneven = !varies && vary(its) ? 1.0 : 0.0};
}

void Trial::decide(const Measured &all) {
    if (done < length()) {
        if (!varies)
            slow = all.least >= slow_from;
        else if (may_be_cut_short() && all.so_far >= clearly * all.native)
            rest_with(Way::native);
        return;
    }
    if (turn == 0 && !varies && !slow && all.uneven > 0) {
        varies = true;
        begin_trial();
        return;
    }
    const bool is_over = is_challenged();
    begin_turn(turn + 1);
    if (!is_over) return;
    const Verdict &verdict = verdicts[turn / 2 - 1];
    if (all.ours <= verdict.ours_to * all.native)
        rest_with(Way::ours);
    else if (all.ours >= verdict.native_from * all.native)
        rest_with(Way::native);
}

void Trial::begin_turn(unsigned which) {
    turn = which;
    done = 0;
    sum = 0;
}

void Trial::begin_trial() {
    stage = tries;
    begin_turn(0);
    for (auto &of_way : times) of_way.clear();
}

unsigned Trial::least_rest_with(Way way) const {
    return way == Way::ours ? least_rest_of_ours : varies ? of_varying_native : least_rest_of_native;
}

void Trial::rest_with(Way way) {
    const unsigned least = least_rest_with(way);
    rest = way == found && !first ? std::clamp(2 * rest, least, most_rest) : least;
    found = way;
    first = false;
    stage = rests;
    done = 0;
}

Trial Trial::inherited() const {
    Trial heir;
    heir.found = found;
    heir.first = first;
    heir.varies = varies;
    heir.stage = first ? tries : rests;
    heir.rest = least_rest_with(found);
    return heir;
}

} // namespace stretto::tune
