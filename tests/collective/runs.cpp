// Every algorithm by real ranks, through the executor: all of a shape's algorithms are under way at once, and come to what problem.h says.
#include "mpi/job.h"
#include "problem.h"
#include "schedule/run.h"

#include <cstdio>
#include <memory>

stretto::mpi::Job stretto::mpi::job; // no rank is watched

namespace stretto::collective {
namespace {

void add_mpi(void *source, void *target, int *count, MPI_Datatype *) {
    add(static_cast<std::uint8_t *>(source), static_cast<std::uint8_t *>(target),
        static_cast<std::size_t>(*count) * unit);
}

void compose_mpi(void *source, void *target, int *count, MPI_Datatype *) {
    compose(static_cast<std::uint8_t *>(source), static_cast<std::uint8_t *>(target),
            static_cast<std::size_t>(*count) * unit);
}

struct Running {
    const Algorithm *algorithm;
    Problem problem;
    schedule::Schedule schedule;
    std::unique_ptr<schedule::Run> run;
};

int rank, ranks, wrong;
std::size_t checked, lanes;
MPI_Comm communicator;
MPI_Datatype element;
MPI_Op sum, composition;

template <class Byte>
Byte *data(Bytes &bytes) {
    return reinterpret_cast<Byte *>(bytes.data());
}

void check(const Shape &shape) {
    std::vector<Running> all;
    for (const Algorithm &algorithm : algorithms()) {
        Problem problem = make(algorithm.collective, shape);
        const auto here = static_cast<std::size_t>(rank);
        bool can = true;
        for (const Arguments &arguments : problem.arguments) can = can && (!algorithm.can || algorithm.can(arguments));
        if (can) all.push_back({&algorithm, problem, algorithm.build(problem.arguments[here]), nullptr});
    }
    int operation = 0;
    mpi::Channel channel(communicator, ranks);
    for (Running &one : all) {
        const auto here = static_cast<std::size_t>(rank);
        const schedule::Memories memories{data<const std::byte>(one.problem.input[here]),
                                          data<std::byte>(one.problem.output[here]), shape.commutes ? sum : composition,
                                          element, unit};
        one.run = std::make_unique<schedule::Run>(schedule::Name{one.algorithm->name, nullptr, nullptr, 0},
                                                  one.schedule, memories, channel, mpi::Channel::Ticket{operation++});
        lanes += one.schedule.lanes();
    }
    for (Running &one : all)
        if (!one.run->complete()) progress::add(*one.run);
    progress::until([] { return progress::tasks == 0; });
    for (Running &one : all) {
        checked++;
        const auto here = static_cast<std::size_t>(rank);
        if (one.problem.output[here] == one.problem.expected[here]) continue;
        wrong++;
        std::printf(
            "rank %d of %d: %s %s: wrong: root %d, %zu elements, lanes of %zu, in place %d, commutes %d, unequal %d\n",
            rank, ranks, one.algorithm->collective, one.algorithm->name, shape.root, shape.elements, shape.lane,
            shape.in_place, shape.commutes, shape.unequal);
    }
}

void check_all() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    MPI_Type_contiguous(unit, MPI_BYTE, &element);
    MPI_Type_commit(&element);
    MPI_Op_create(add_mpi, 1, &sum);
    MPI_Op_create(compose_mpi, 0, &composition);
    const struct {
        std::size_t elements, lane;
    } sizes[] = {{0, 256}, {1, 256}, {100, 64}, {20000, 256}, {20000, 16384}};
    for (const auto [elements, lane] : sizes)
        for (int choices = 0; choices < 8; choices++)
            check({ranks, ranks - 1, elements, lane, (choices & 1) != 0, (choices & 2) != 0, (choices & 4) != 0});
    std::printf("rank %d: %zu runs of %zu lanes, %d wrong\n", rank, checked, lanes, wrong);
    MPI_Op_free(&sum);
    MPI_Op_free(&composition);
    MPI_Type_free(&element);
    MPI_Comm_free(&communicator);
}

} // namespace
} // namespace stretto::collective

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (!stretto::mpi::bind()) return 2;
    stretto::collective::check_all();
    MPI_Finalize();
    return stretto::collective::wrong != 0;
}
