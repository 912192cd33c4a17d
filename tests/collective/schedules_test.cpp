// Every algorithm's schedules, run by ranks that are simulated: messages match by sender, receiver and tag, in order; which of all possible
// things happens next is chosen at random. Sends either end at once, from a copy, or only with their receive, which reads them then.
#include "problem.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace stretto::collective {
namespace {

using schedule::Action;
using schedule::Memory;
using schedule::Schedule;
using schedule::Step;

// How ranks run their schedules.
struct How {
    bool buffered;      // sends end at once
    std::size_t window; // lanes of a rank at a time
    unsigned seed;
};

class World {
public:
    World(std::vector<Schedule> schedules, std::vector<Bytes> input, std::vector<Bytes> output, Operation operation)
        : schedules(std::move(schedules)), input(std::move(input)), output(std::move(output)), given(this->output),
          operation(operation) {}

    // True: all ranks came to their ends.
    bool run(How how) {
        std::mt19937 random(how.seed);
        const std::size_t p = schedules.size();
        ranks.assign(p, {});
        for (std::size_t r = 0; r < p; r++) {
            ranks[r].scratch.assign(schedules[r].scratch_bytes(), 0xee);
            ranks[r].lanes.resize(schedules[r].lanes());
        }
        for (;;) {
            possible.clear();
            for (std::size_t r = 0; r < p; r++) {
                std::size_t active = 0;
                for (std::size_t lane = 0; lane < ranks[r].lanes.size() && active < how.window; lane++) {
                    const State &state = ranks[r].lanes[lane];
                    if (state.open == 0 && state.round == schedules[r].rounds(lane)) continue;
                    active++;
                    if (state.open == 0) possible.push_back({r, lane, nullptr});
                }
            }
            for (auto &[key, channel] : channels)
                if (!channel.sends.empty() && !channel.receives.empty()) possible.push_back({0, 0, &channel});
            if (possible.empty()) break;
            const Event event = possible[random() % possible.size()];
            if (event.channel)
                match(*event.channel);
            else
                begin_round(event.rank, event.lane, how);
        }
        for (std::size_t r = 0; r < p; r++)
            for (std::size_t lane = 0; lane < ranks[r].lanes.size(); lane++)
                if (ranks[r].lanes[lane].open || ranks[r].lanes[lane].round != schedules[r].rounds(lane)) return false;
        for (const auto &[key, channel] : channels)
            if (!channel.sends.empty() || !channel.receives.empty()) return false;
        return true;
    }

    std::vector<Schedule> schedules;
    std::vector<Bytes> input, output;
    std::vector<Bytes> given; // each byte of the output as it was when it was said to be a result
    Operation operation;
    std::size_t wrong_lengths = 0;

private:
    struct State {
        std::size_t round = 0, open = 0;
    };
    struct Rank {
        Bytes scratch;
        std::vector<State> lanes;
    };
    struct Message {
        std::size_t rank, lane;
        std::uint8_t *data;
        std::size_t bytes;
        Bytes copy;
        bool counted;
        const Step *step;
    };
    struct Channel {
        std::deque<Message> sends, receives;
    };

    struct Event {
        std::size_t rank, lane; // its next round begins, or
        Channel *channel;       // a message is received
    };

    std::uint8_t *at(std::size_t rank, Memory memory, std::size_t offset, std::size_t bytes) {
        Bytes &all = memory == Memory::input    ? input[rank]
                     : memory == Memory::output ? output[rank]
                                                : ranks[rank].scratch;
        EXPECT_LE(offset + bytes, all.size());
        if (offset + bytes > all.size()) std::abort();
        return all.data() + offset;
    }

    void begin_round(std::size_t r, std::size_t lane, How how) {
        State &state = ranks[r].lanes[lane];
        const std::uint32_t tag = schedules[r].tag(lane);
        EXPECT_LT(tag, schedule::most_tags);
        for (const Step &step : schedules[r].steps(lane, state.round)) {
            const auto peer = static_cast<std::size_t>(step.peer);
            switch (step.action) {
            case Action::send: {
                std::uint8_t *data = at(r, step.source, step.from, step.bytes);
                Message message{r, lane, data, step.bytes, {}, !how.buffered, &step};
                if (how.buffered) message.copy.assign(data, data + step.bytes);
                state.open += message.counted;
                channels[{r, peer, tag}].sends.push_back(std::move(message));
                break;
            }
            case Action::receive:
                state.open++;
                channels[{peer, r, tag}].receives.push_back(
                    {r, lane, at(r, step.target, step.to, step.bytes), step.bytes, {}, true, &step});
                break;
            case Action::copy:
                std::memcpy(at(r, step.target, step.to, step.bytes), at(r, step.source, step.from, step.bytes),
                            step.bytes);
                give(r, step);
                break;
            case Action::reduce:
                operation(at(r, step.source, step.from, step.bytes), at(r, step.target, step.to, step.bytes),
                          step.bytes);
                give(r, step);
                break;
            }
        }
        state.round++;
    }

    void give(std::size_t r, const Step &step) {
        if (!step.gives_result || step.bytes == 0) return;
        EXPECT_EQ(step.target, Memory::output);
        std::memcpy(given[r].data() + step.to, output[r].data() + step.to, step.bytes);
    }

    void match(Channel &channel) {
        const Message send = std::move(channel.sends.front()), receive = std::move(channel.receives.front());
        channel.sends.pop_front();
        channel.receives.pop_front();
        wrong_lengths += send.bytes != receive.bytes;
        if (send.bytes == receive.bytes && send.bytes > 0)
            std::memcpy(receive.data, send.counted ? send.data : send.copy.data(), send.bytes);
        if (send.counted) ranks[send.rank].lanes[send.lane].open--;
        give(receive.rank, *receive.step);
        ranks[receive.rank].lanes[receive.lane].open--;
    }

    std::vector<Event> possible;
    std::vector<Rank> ranks;
    std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, Channel> channels;
};

class EachAlgorithm : public testing::TestWithParam<Algorithm> {};

// False: not an input of this algorithm.
bool check(const Algorithm &algorithm, const Shape &shape, How how) {
    const Problem problem = make(algorithm.collective, shape);
    std::vector<Schedule> schedules;
    for (const Arguments &arguments : problem.arguments) {
        if (algorithm.can && !algorithm.can(arguments)) return false;
        schedules.push_back(algorithm.build(arguments));
    }
    World world(std::move(schedules), problem.input, problem.output, problem.operation);
    const bool ended = world.run(how);
    const auto what = [&] {
        return testing::Message() << shape.ranks << " ranks, root " << shape.root << ", " << shape.elements
                                  << " elements, lanes of " << shape.lane << " bytes, in place " << shape.in_place
                                  << ", commutes " << shape.commutes << ", unequal " << shape.unequal << ", buffered "
                                  << how.buffered << ", window " << how.window << ", seed " << how.seed;
    };
    EXPECT_TRUE(ended) << "a deadlock: " << what();
    EXPECT_EQ(world.wrong_lengths, 0u) << what();
    EXPECT_EQ(world.input, problem.input) << "input was written: " << what();
    EXPECT_EQ(world.output, problem.expected) << what();
    EXPECT_EQ(world.given, world.output) << "said to be a result too soon, or never: " << what();
    return true;
}

TEST_P(EachAlgorithm, comes_to_what_the_standard_says_whatever_happens_first) {
    unsigned seed = 1;
    std::size_t checked = 0;
    for (int ranks : {1, 2, 3, 4, 5, 7, 8, 11})
        for (int root : {0, ranks / 2, ranks - 1})
            for (std::size_t elements : {0, 1, 7, 20})
                for (std::size_t lane : {1, 6, 1000})
                    for (int choices = 0; choices < 8; choices++) {
                        const Shape shape{
                            ranks, root, elements, lane, (choices & 1) != 0, (choices & 2) != 0, (choices & 4) != 0};
                        seed++;
                        const How how{seed % 2 == 0, seed % 3 ? std::size_t{1000} : 1, seed};
                        checked += check(GetParam(), shape, how);
                        if (HasFailure()) return;
                    }
    EXPECT_GT(checked, 500u);
}

// Tags stay within those of an operation, however long the message.
TEST_P(EachAlgorithm, has_no_more_lanes_than_tags) {
    Shape shape{3, 1, 5 * schedule::most_tags + 3, 2, false, true, false};
    EXPECT_TRUE(check(GetParam(), shape, {true, 1000, 1}));
    shape.unequal = true;
    check(GetParam(), shape, {true, 1000, 1});
}

// Long messages travel in several parts at once; what is meant for short ones has its log2 p rounds in one.
TEST_P(EachAlgorithm, cuts_a_message_into_no_more_lanes_than_asked_for) {
    Shape shape{4, 1, 1000, 2, false, true, false, 3};
    EXPECT_TRUE(check(GetParam(), shape, {true, 1000, 1}));
    if (std::string(GetParam().name) != "linear") return;
    for (const Arguments &arguments : make(GetParam().collective, shape).arguments) {
        const Schedule schedule = GetParam().build(arguments);
        for (std::size_t lane = 0; lane < schedule.lanes(); lane++) EXPECT_LT(schedule.tag(lane), 3u);
    }
}
TEST_P(EachAlgorithm, cuts_long_messages_into_lanes) {
    const std::string name = GetParam().name, collective = GetParam().collective;
    const bool for_short = name == "bruck" || name == "dissemination" ||
                           (name == "binomial" && (collective == "gather" || collective == "scatter"));
    const Problem problem = make(collective, {4, 0, 1000, 100, false, true, false});
    for (const Arguments &arguments : problem.arguments) {
        const std::size_t lanes = GetParam().build(arguments).lanes();
        if (for_short)
            EXPECT_EQ(lanes, 1u);
        else
            EXPECT_GE(lanes, 5u);
    }
}

TEST_P(EachAlgorithm, can_be_built_for_thousands_of_ranks) {
    Arguments call;
    call.rank = 1234;
    call.ranks = 3000;
    call.root = 7;
    call.unit = 8;
    call.bytes = 24000;
    call.to = call.from = Blocks::equal(24);
    call.sources = call.destinations = {1233, 1235, 0, 1234};
    if (GetParam().can && !GetParam().can(call)) GTEST_SKIP() << "needs a tag for each rank";
    const Schedule schedule = GetParam().build(call);
    for (std::size_t lane = 0; lane < schedule.lanes(); lane++) EXPECT_LT(schedule.tag(lane), schedule::most_tags);
    for (const Step &step : schedule.steps()) EXPECT_LT(step.peer, call.ranks);
    EXPECT_FALSE(schedule.steps().empty());
}

std::string name_of(const testing::TestParamInfo<Algorithm> &info) {
    return std::string(info.param.collective) + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Collectives, EachAlgorithm, testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         name_of);

// What MPI implementations promise, and tests of numerical programs expect: no rank's sum differs in a bit, though sums of floating point
// numbers are not associative.
TEST(Allreduce, every_rank_adds_in_the_same_order) {
    for (const Algorithm &algorithm : algorithms()) {
        if (std::strcmp(algorithm.collective, "allreduce") != 0) continue;
        for (int ranks = 1; ranks <= 13; ranks++) {
            const Problem problem = make("allreduce", {ranks, 0, 33, 8, false, true, false});
            std::vector<Schedule> schedules;
            for (const Arguments &arguments : problem.arguments) schedules.push_back(algorithm.build(arguments));
            World world(std::move(schedules), problem.input, problem.output, order_matters);
            ASSERT_TRUE(world.run({true, 1000, 1}));
            for (const Bytes &result : world.output)
                EXPECT_EQ(result, world.output[0]) << algorithm.name << ", " << ranks;
        }
    }
}

} // namespace
} // namespace stretto::collective
