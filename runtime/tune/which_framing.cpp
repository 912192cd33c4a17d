#include "tune/which_framing.h"

#include "tune/settings.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace stretto::tune {

namespace {

enum Way { framed, native, ways };

// Before the first trial: connections are made, other things learnt.
constexpr unsigned opening = 6;
// A trial's turns. In a turn's first message what began in the other way still travels, so it does not count. Where an iteration has several
// messages of a stream a turn has many iterations, or what counts would depend on where it begins.
constexpr unsigned short_turn = 4, long_turn = 48;
constexpr double alike = 3; // the longest time to the next message over the shortest, where each iteration has one
// After so many turns of each way it is decided if one is quicker by as much. What gains most would lose most by a longer trial, and
// little is lost if it was chance: so one turn is enough to stay framed.
constexpr struct {
    unsigned turns;
    double margin;
} decisive[] = {{1, 0.1}, {2, 0.05}, {4, 0.03}, {8, 0.01}};
// Messages until the next trial: twice as many each time that the same is found.
constexpr unsigned least_rest = 256, most_rest = 8192;
constexpr std::size_t most_streams = 4096;
constexpr unsigned most_followers = 4096; // then the rank whose messages are timed is sent nothing more

// Not the median: what the library's own way takes may have two values, of which only one is often. The longest sixth is left out, which
// somebody else may have disturbed.
double mean(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    if (times.size() > 2) times.resize(times.size() - (times.size() + 5) / 6);
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

bool vary(const std::vector<double> &times) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return *most > alike * *least;
}

class Trial {
public:
    Way next(const void *to, double now) {
        if (to == leads) {
            took(now - last);
            followers = 0;
        } else if (!leads || ++followers == most_followers) {
            *this = {};
            leads = to;
        } else {
            return way();
        }
        last = now;
        messages++;
        return way();
    }

private:
    const void *leads = nullptr; // the rank to which the messages go that are timed
    unsigned followers = 0;      // messages to others since
    enum Stage { opens, tries, rests } stage = opens;
    Way found = framed;    // by the last trial
    unsigned messages = 0; // of this stage, or of this turn
    unsigned turn = 0, length = short_turn, rest = least_rest / 2;
    double last = 0, sum = 0;
    std::vector<double> times[ways]; // of a message; in long turns, of the mean one of a turn

    Way way() const { return stage == tries ? static_cast<Way>(turn % ways) : found; }

    // The last message, until the next one began.
    void took(double seconds) {
        switch (stage) {
        case opens:
            if (messages == opening) begin();
            break;
        case tries:
            if (messages > 1) note(seconds);
            if (messages < length) break;
            messages = 0;
            if (++turn % ways) break;
            if (length == short_turn && (vary(times[framed]) || vary(times[native]))) {
                length = long_turn;
                begin();
            } else {
                decide(turn / ways);
            }
            break;
        case rests:
            if (messages == rest) begin();
        }
    }

    void note(double seconds) {
        if (length == short_turn) {
            times[turn % ways].push_back(seconds);
            return;
        }
        sum += seconds;
        if (messages < length) return;
        times[turn % ways].push_back(sum / (length - 1));
        sum = 0;
    }

    void begin() {
        stage = tries;
        messages = turn = 0;
        for (auto &of_way : times) of_way.clear();
    }

    void decide(unsigned turns) {
        for (const auto &[after, margin] : decisive) {
            if (turns != after) continue;
            const double with = mean(times[framed]), without = mean(times[native]);
            if (with < (1 - margin) * without) return rest_with(framed);
            if (without < (1 - margin) * with && turns > 1) return rest_with(native);
        }
        if (turns == std::end(decisive)[-1].turns) rest_with(framed);
    }

    void rest_with(Way way) {
        rest = way == found ? std::min(2 * rest, most_rest) : least_rest;
        found = way;
        stage = rests;
        messages = 0;
    }
};

struct Hash {
    std::size_t operator()(const Stream &stream) const {
        const auto mix = [](std::size_t seed, std::size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15u; };
        return mix(mix(0, reinterpret_cast<std::size_t>(stream.site)), stream.bytes);
    }
};
std::unordered_map<Stream, Trial, Hash> streams;

} // namespace

bool leaves_framed(const Stream &stream, const void *to, double now) {
    if (settings.force) return true;
    if (streams.size() == most_streams && !streams.contains(stream)) return true;
    return streams[stream].next(to, now) == framed;
}

} // namespace stretto::tune
