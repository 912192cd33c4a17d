// What collectives are given and what comes out, for all ranks at once: made from a shape alone, so that every rank of a job makes the same.
#pragma once
#include "collective/collective.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace stretto::collective {

using Bytes = std::vector<std::uint8_t>;

// Elements of two bytes.
constexpr std::size_t unit = 2;

// target := source op target.
using Operation = void (*)(const std::uint8_t *source, std::uint8_t *target, std::size_t bytes);

inline void add(const std::uint8_t *source, std::uint8_t *target, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k++) target[k] = static_cast<std::uint8_t>(source[k] + target[k]);
}

// x -> a x + b, modulo 256. One after the other is associative, and does not commute.
inline void compose(const std::uint8_t *source, std::uint8_t *target, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += unit) {
        const unsigned a = source[k], b = source[k + 1], c = target[k], d = target[k + 1];
        target[k] = static_cast<std::uint8_t>(a * c);
        target[k + 1] = static_cast<std::uint8_t>(a * d + b);
    }
}

// Not associative, as sums of floating point numbers are not: each order has its own result.
inline void order_matters(const std::uint8_t *source, std::uint8_t *target, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k++)
        target[k] = static_cast<std::uint8_t>(source[k] + target[k] + (source[k] ^ target[k]) / 7);
}

// A collective's meaning: what the arguments and the memories of the ranks are, and what comes out.
struct Problem {
    std::vector<Arguments> arguments;
    std::vector<Bytes> input, output, expected;
    Operation operation = add;
};

struct Shape {
    int ranks, root;
    std::size_t elements, lane;
    bool in_place, commutes, unequal;
    std::size_t most_lanes = schedule::most_tags;
};

class Maker {
public:
    explicit Maker(const Shape &shape) : shape(shape), p(static_cast<std::size_t>(shape.ranks)), random(4711) {
        problem.operation = shape.commutes ? add : compose;
        Arguments call;
        call.ranks = shape.ranks;
        call.root = shape.root;
        call.bytes = shape.elements * unit;
        call.unit = unit;
        call.lane = shape.lane;
        call.most_lanes = shape.most_lanes;
        call.in_place = shape.in_place;
        call.commutes = shape.commutes;
        call.varies = shape.unequal;
        for (int r = 0; r < shape.ranks; r++) {
            call.rank = r;
            problem.arguments.push_back(call);
        }
        problem.input.resize(p);
        problem.output.resize(p);
    }

    Problem barrier() { return done(); }

    Problem bcast() {
        const Bytes message = some(call(0).bytes);
        for (std::size_t r = 0; r < p; r++) (is_root(r) ? problem.input : problem.output)[r] = message;
        for (std::size_t r = 0; r < p; r++)
            if (!is_root(r)) problem.output[r] = some(call(0).bytes);
        done();
        for (std::size_t r = 0; r < p; r++)
            if (!is_root(r)) problem.expected[r] = message;
        return problem;
    }

    Problem gather() {
        const Blocks blocks = some_blocks();
        for (std::size_t r = 0; r < p; r++) {
            call(r).bytes = blocks[at(r)].bytes();
            problem.input[r] = some(call(r).bytes);
            if (!is_root(r)) call(r).in_place = false;
        }
        const std::size_t root = static_cast<std::size_t>(shape.root);
        call(root).from = blocks;
        problem.output[root] = some(end_of(blocks));
        if (shape.in_place) put(problem.output[root], blocks[shape.root], problem.input[root]);
        done();
        for (std::size_t r = 0; r < p; r++) put(problem.expected[root], blocks[at(r)], problem.input[r]);
        if (shape.in_place) problem.input[root].clear();
        return problem;
    }

    Problem scatter() {
        const Blocks blocks = some_blocks();
        const std::size_t root = static_cast<std::size_t>(shape.root);
        call(root).to = blocks;
        problem.input[root] = some(end_of(blocks));
        for (std::size_t r = 0; r < p; r++) {
            call(r).bytes = blocks[at(r)].bytes();
            if (!is_root(r)) call(r).in_place = false;
            if (!call(r).in_place) problem.output[r] = some(call(r).bytes);
        }
        done();
        for (std::size_t r = 0; r < p; r++)
            if (!call(r).in_place) problem.expected[r] = get(problem.input[root], blocks[at(r)]);
        return problem;
    }

    Problem allgather() {
        const Blocks blocks = some_blocks();
        std::vector<Bytes> own;
        for (std::size_t r = 0; r < p; r++) {
            own.push_back(some(blocks[at(r)].bytes()));
            call(r).from = blocks;
            problem.output[r] = some(end_of(blocks));
            if (shape.in_place)
                put(problem.output[r], blocks[at(r)], own[r]);
            else
                problem.input[r] = own[r];
        }
        done();
        for (std::size_t r = 0; r < p; r++)
            for (std::size_t q = 0; q < p; q++) put(problem.expected[r], blocks[at(q)], own[q]);
        return problem;
    }

    Problem alltoall() {
        std::vector<std::vector<std::size_t>> bytes(p, std::vector<std::size_t>(p));
        for (auto &row : bytes)
            for (std::size_t &one : row) one = shape.unequal ? random() % (shape.elements + 1) * unit : call(0).bytes;
        for (std::size_t r = 0; r < p; r++) {
            std::vector<std::size_t> column;
            for (std::size_t q = 0; q < p; q++) column.push_back(bytes[q][r]);
            call(r).to = blocks_of(bytes[r]);
            call(r).from = blocks_of(column);
            call(r).in_place = false;
            problem.input[r] = some(end_of(call(r).to));
            problem.output[r] = some(end_of(call(r).from));
        }
        done();
        for (std::size_t r = 0; r < p; r++)
            for (std::size_t q = 0; q < p; q++)
                put(problem.expected[r], call(r).from[at(q)], get(problem.input[q], call(q).to[at(r)]));
        return problem;
    }

    Problem neighbor_allgather() { return neighborhood(true); }
    Problem neighbor_alltoall() { return neighborhood(false); }

    Problem reduce() {
        const std::vector<Bytes> own = contributions(call(0).bytes);
        for (std::size_t r = 0; r < p; r++)
            if (!is_root(r)) {
                call(r).in_place = false;
                problem.input[r] = own[r];
                problem.output[r].clear();
            }
        done();
        problem.expected[static_cast<std::size_t>(shape.root)] = sum(own, 0, p);
        return problem;
    }

    Problem allreduce() {
        const std::vector<Bytes> own = contributions(call(0).bytes);
        done();
        for (Bytes &result : problem.expected) result = sum(own, 0, p);
        return problem;
    }

    Problem reduce_scatter() {
        const Blocks blocks = some_blocks(false);
        for (std::size_t r = 0; r < p; r++) call(r).in_place = false;
        const std::vector<Bytes> own = contributions(end_of(blocks));
        for (std::size_t r = 0; r < p; r++) {
            call(r).to = blocks;
            problem.output[r] = some(blocks[at(r)].bytes());
        }
        done();
        for (std::size_t r = 0; r < p; r++) problem.expected[r] = get(sum(own, 0, p), blocks[at(r)]);
        return problem;
    }

    Problem scan() {
        const std::vector<Bytes> own = contributions(call(0).bytes);
        done();
        for (std::size_t r = 0; r < p; r++) problem.expected[r] = sum(own, 0, r + 1);
        return problem;
    }

    Problem exscan() {
        const std::vector<Bytes> own = contributions(call(0).bytes);
        done();
        for (std::size_t r = 1; r < p; r++) problem.expected[r] = sum(own, 0, r);
        return problem;
    }

private:
    Arguments &call(std::size_t r) { return problem.arguments[r]; }
    static int at(std::size_t r) { return static_cast<int>(r); }
    bool is_root(std::size_t r) const { return at(r) == shape.root; }

    Problem &done() {
        problem.expected = problem.output;
        return problem;
    }

    // In a graph in which a rank may be another's neighbor several times, its own, and one way only. Where blocks have several sizes there may
    // be lists of nobody, or with nobody in them.
    Problem neighborhood(bool same_to_all) {
        std::map<std::pair<int, int>, std::vector<Bytes>> edges; // between two ranks, in their order
        const auto bytes = [&] { return shape.unequal ? random() % (shape.elements + 1) * unit : call(0).bytes; };
        for (std::size_t r = 0; r < p; r++) {
            const std::size_t own = bytes(), degree = shape.unequal ? random() % 4 : 1 + random() % 4;
            std::vector<Range> blocks;
            problem.input[r] = some(own);
            for (std::size_t k = 0; k < degree; k++) {
                const bool nobody = shape.unequal && random() % 8 == 0;
                const int to = nobody ? -1 : k == 0 ? (at(r) + 1) % shape.ranks : at(random() % p);
                call(r).destinations.push_back(to);
                if (!same_to_all) {
                    const Bytes more = some(nobody ? 0 : bytes());
                    blocks.push_back({problem.input[r].size(), problem.input[r].size() + more.size()});
                    problem.input[r].insert(problem.input[r].end(), more.begin(), more.end());
                } else
                    blocks.push_back({0, nobody ? 0 : own});
                if (!nobody) edges[{at(r), to}].push_back(get(problem.input[r], blocks.back()));
            }
            call(r).to = Blocks::of(blocks);
        }
        std::vector<std::vector<Bytes>> arrive(p);
        for (std::size_t r = 0; r < p; r++) {
            std::vector<int> &sources = call(r).sources;
            for (const auto &[ends, blocks] : edges)
                if (ends.second == at(r)) sources.insert(sources.end(), blocks.size(), ends.first);
            if (shape.unequal) sources.push_back(-1);
            std::shuffle(sources.begin(), sources.end(), random);
            std::map<int, std::size_t> taken;
            std::vector<Range> blocks;
            std::size_t end = 0;
            for (const int source : sources) {
                arrive[r].push_back(source < 0 ? Bytes() : edges[{source, at(r)}][taken[source]++]);
                end += random() % 3;
                blocks.push_back({end, end + arrive[r].back().size()});
                end = blocks.back().end;
            }
            call(r).from = Blocks::of(blocks);
            problem.output[r] = some(end);
        }
        done();
        for (std::size_t r = 0; r < p; r++)
            for (std::size_t k = 0; k < arrive[r].size(); k++)
                put(problem.expected[r], call(r).from[at(k)], arrive[r][k]);
        return problem;
    }

    Bytes some(std::size_t bytes) {
        Bytes made(bytes);
        for (std::uint8_t &byte : made) byte = static_cast<std::uint8_t>(random());
        return made;
    }

    std::vector<Bytes> contributions(std::size_t bytes) {
        std::vector<Bytes> own;
        for (std::size_t r = 0; r < p; r++) {
            own.push_back(some(bytes));
            problem.output[r] = call(r).in_place ? own[r] : some(bytes);
            if (!call(r).in_place) problem.input[r] = own[r];
        }
        return own;
    }

    Bytes sum(const std::vector<Bytes> &own, std::size_t first, std::size_t end) const {
        Bytes total = own[end - 1];
        for (std::size_t r = end - 1; r-- > first;) problem.operation(own[r].data(), total.data(), total.size());
        return total;
    }

    Blocks some_blocks(bool gaps = true) {
        if (!shape.unequal) return Blocks::equal(shape.elements * unit);
        std::vector<std::size_t> bytes;
        for (std::size_t r = 0; r < p; r++) bytes.push_back(random() % (shape.elements + 1) * unit);
        return blocks_of(bytes, gaps);
    }

    Blocks blocks_of(const std::vector<std::size_t> &bytes, bool gaps = true) {
        if (!shape.unequal) return Blocks::equal(bytes[0]);
        std::vector<Range> ranges;
        std::size_t begin = 0;
        for (std::size_t one : bytes) {
            if (gaps) begin += random() % 3;
            ranges.push_back({begin, begin + one});
            begin += one;
        }
        return Blocks::of(std::move(ranges));
    }

    std::size_t end_of(const Blocks &blocks) const { return blocks[shape.ranks - 1].end; }

    static void put(Bytes &into, Range range, const Bytes &bytes) {
        std::copy(bytes.begin(), bytes.end(), into.begin() + static_cast<std::ptrdiff_t>(range.begin));
    }
    static Bytes get(const Bytes &from, Range range) {
        return {from.begin() + static_cast<std::ptrdiff_t>(range.begin),
                from.begin() + static_cast<std::ptrdiff_t>(range.end)};
    }

    Shape shape;
    std::size_t p;
    std::mt19937 random;
    Problem problem;
};

inline Problem make(const std::string &collective, const Shape &shape) {
    static const std::map<std::string, Problem (Maker::*)()> makers = {
        {"barrier", &Maker::barrier},
        {"bcast", &Maker::bcast},
        {"gather", &Maker::gather},
        {"scatter", &Maker::scatter},
        {"allgather", &Maker::allgather},
        {"alltoall", &Maker::alltoall},
        {"reduce", &Maker::reduce},
        {"allreduce", &Maker::allreduce},
        {"scan", &Maker::scan},
        {"reduce_scatter", &Maker::reduce_scatter},
        {"exscan", &Maker::exscan},
        {"neighbor_allgather", &Maker::neighbor_allgather},
        {"neighbor_alltoall", &Maker::neighbor_alltoall},
    };
    return (Maker(shape).*makers.at(collective))();
}

} // namespace stretto::collective
