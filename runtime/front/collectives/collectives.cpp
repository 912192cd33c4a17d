// MPI_I<collective> and MPI_<collective>_init (MPI 4.1, 6.12 and 6.13): what each asks for. What the library has to refuse, and what may be
// different on other ranks, is left to it.
#include "front/collectives/between_groups.h"
#include "front/collectives/collective.h"
#include "front/handled.h"
#include "mpi/committed.h"

#include <algorithm>

namespace stretto::front {

namespace {

using collective::Arguments;

bool sound(MPI_Datatype type) {
    return type != MPI_DATATYPE_NULL && mpi::is_committed(type);
}

bool sound(const void *buf, MPI_Count count, MPI_Datatype type) {
    return count == 0 || (count > 0 && sound(type) && buf != MPI_IN_PLACE);
}

bool sound(Integers counts, int ranks) {
    if (!counts) return false;
    for (int rank = 0; rank < ranks; rank++)
        if (counts[rank] < 0) return false;
    return true;
}

bool sound(Integers counts, Integers displs, MPI_Datatype type, int ranks) {
    if (!sound(counts, ranks) || !displs) return false;
    for (int rank = 0; rank < ranks; rank++)
        if (counts[rank] > 0 && !sound(type)) return false;
    return true;
}

// MPI forbids it, libraries mind or not, and this rank alone sees it: what is given is read first then, into an image.
bool aliased(const void *sendbuf, const void *recvbuf) {
    return sendbuf == recvbuf && sendbuf;
}

bool is_rank(int rank, const Asked &asked) {
    return rank >= 0 && rank < asked.arguments.ranks;
}

std::size_t bytes_of(MPI_Count count, MPI_Datatype type) {
    return count == 0 ? 0 : static_cast<std::size_t>(count) * mpi::type_map(type).bytes();
}

// Its message has so many bytes, or each of its blocks: is that worth it? Before more is done for a short one, where nobody compares it.
bool pays(Asked &asked, std::size_t bytes) {
    asked.bytes = bytes;
    return mpi::job.compares || asked.pays();
}

// The contribution to a reduction, and where its result goes.
bool add_elements(Asked &asked, const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
                  bool has_result) {
    asked.arguments.bytes = static_cast<std::size_t>(count) * asked.arguments.unit;
    if (!pays(asked, asked.arguments.bytes)) return false;
    asked.arguments.in_place = sendbuf == MPI_IN_PLACE;
    if (!asked.arguments.in_place) asked.input.add(sendbuf, count, type);
    if (has_result) asked.output.add(recvbuf, count, type);
    asked.input.lay_out(has_result && aliased(sendbuf, recvbuf), true);
    asked.output.lay_out(false, true);
    return true;
}

// All ranks contribute, and all have a result of as many elements.
std::optional<int> symmetric(const char *collective, const void *sendbuf, void *recvbuf, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, collective, begins);
    if (!asked || count < 0 || !asked->adds_up(op, type)) return {};
    if (!add_elements(*asked, sendbuf, recvbuf, count, type, true)) return {};
    return begin(std::move(*asked), begins, request);
}

// Each rank's contribution comes to all. Its place in the result is laid out.
std::optional<int> allgather(Asked &&asked, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             const void *recvbuf, Begins begins, MPI_Request *request) {
    asked.arguments.in_place = sendbuf == MPI_IN_PLACE;
    if (!asked.arguments.in_place) {
        if (!sound(sendbuf, sendcount, sendtype)) return {};
        asked.input.add(sendbuf, sendcount, sendtype);
    }
    asked.input.lay_out(aliased(sendbuf, recvbuf));
    return begin(std::move(asked), begins, request);
}

} // namespace

std::optional<int> Ibarrier(MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "barrier", begins);
    if (!asked || !pays(*asked, 0)) return {};
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Ibcast(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, Begins begins,
                          MPI_Request *request) {
    auto asked = Asked::on(comm, "bcast", begins);
    if (!asked || !sound(buffer, count, type) || !is_rank(root, *asked)) return {};
    asked->arguments.bytes = bytes_of(count, type);
    if (!pays(*asked, asked->arguments.bytes)) return {};
    asked->arguments.root = root;
    (asked->arguments.rank == root ? asked->input : asked->output).add(buffer, count, type);
    asked->input.lay_out();
    asked->output.lay_out();
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Igather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Begins begins,
                           MPI_Request *request) {
    auto asked = Asked::on(comm, "gather", begins);
    if (asked && asked->between_groups())
        return between_groups::gather_or_scatter(std::move(*asked), sendbuf, equal(sendcount, sendtype), recvbuf,
                                                 equal(recvcount, recvtype), root, begins, request);
    if (!asked || !is_rank(root, *asked)) return {};
    Arguments &arguments = asked->arguments;
    const bool is_root = arguments.rank == root;
    arguments.root = root;
    arguments.in_place = is_root && sendbuf == MPI_IN_PLACE;
    if (!arguments.in_place && !sound(sendbuf, sendcount, sendtype)) return {};
    if (is_root && !sound(recvbuf, recvcount, recvtype)) return {};
    arguments.bytes = is_root ? bytes_of(recvcount, recvtype) : bytes_of(sendcount, sendtype);
    if (!pays(*asked, arguments.bytes)) return {};
    if (!arguments.in_place) asked->input.add(sendbuf, sendcount, sendtype);
    if (is_root) asked->output.add_equal(recvbuf, recvcount, recvtype, arguments.ranks);
    asked->input.lay_out(is_root && aliased(sendbuf, recvbuf));
    asked->output.lay_out();
    arguments.from = asked->output.equal();
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Igatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                            Integers recvcounts, Integers displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
                            Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "gather", begins);
    if (asked && asked->between_groups())
        return between_groups::gather_or_scatter(std::move(*asked), sendbuf, equal(sendcount, sendtype), recvbuf,
                                                 displaced(recvcounts, displs, recvtype), root, begins, request);
    if (!asked || !is_rank(root, *asked)) return {};
    Arguments &arguments = asked->arguments;
    const bool is_root = arguments.rank == root;
    arguments.root = root;
    arguments.varies = true;
    arguments.in_place = is_root && sendbuf == MPI_IN_PLACE;
    if (!arguments.in_place) {
        if (!sound(sendbuf, sendcount, sendtype)) return {};
        asked->input.add(sendbuf, sendcount, sendtype);
        arguments.bytes = bytes_of(sendcount, sendtype);
    }
    if (is_root) {
        if (!sound(recvcounts, displs, recvtype, arguments.ranks)) return {};
        asked->output.add_displaced(recvbuf, recvcounts, displs, recvtype, arguments.ranks);
    }
    asked->input.lay_out(is_root && aliased(sendbuf, recvbuf));
    asked->output.lay_out();
    arguments.from = asked->output.ranges();
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Iscatter(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, Begins begins,
                            MPI_Request *request) {
    auto asked = Asked::on(comm, "scatter", begins);
    if (asked && asked->between_groups())
        return between_groups::gather_or_scatter(std::move(*asked), sendbuf, equal(sendcount, sendtype), recvbuf,
                                                 equal(recvcount, recvtype), root, begins, request);
    if (!asked || !is_rank(root, *asked)) return {};
    Arguments &arguments = asked->arguments;
    const bool is_root = arguments.rank == root;
    arguments.root = root;
    arguments.in_place = is_root && recvbuf == MPI_IN_PLACE;
    if (is_root && !sound(sendbuf, sendcount, sendtype)) return {};
    if (!arguments.in_place && !sound(recvbuf, recvcount, recvtype)) return {};
    arguments.bytes = is_root ? bytes_of(sendcount, sendtype) : bytes_of(recvcount, recvtype);
    if (!pays(*asked, arguments.bytes)) return {};
    if (is_root) asked->input.add_equal(sendbuf, sendcount, sendtype, arguments.ranks);
    if (!arguments.in_place) asked->output.add(recvbuf, recvcount, recvtype);
    asked->input.lay_out(is_root && aliased(sendbuf, recvbuf));
    asked->output.lay_out();
    arguments.to = asked->input.equal();
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Iscatterv(const void *sendbuf, Integers sendcounts, Integers displs, MPI_Datatype sendtype,
                             void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                             Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "scatter", begins);
    if (asked && asked->between_groups())
        return between_groups::gather_or_scatter(std::move(*asked), sendbuf, displaced(sendcounts, displs, sendtype),
                                                 recvbuf, equal(recvcount, recvtype), root, begins, request);
    if (!asked || !is_rank(root, *asked)) return {};
    Arguments &arguments = asked->arguments;
    const bool is_root = arguments.rank == root;
    arguments.root = root;
    arguments.varies = true;
    arguments.in_place = is_root && recvbuf == MPI_IN_PLACE;
    if (is_root) {
        if (!sound(sendcounts, displs, sendtype, arguments.ranks)) return {};
        asked->input.add_displaced(sendbuf, sendcounts, displs, sendtype, arguments.ranks);
    }
    if (!arguments.in_place) {
        if (!sound(recvbuf, recvcount, recvtype)) return {};
        asked->output.add(recvbuf, recvcount, recvtype);
        arguments.bytes = bytes_of(recvcount, recvtype);
    }
    asked->input.lay_out(is_root && aliased(sendbuf, recvbuf));
    asked->output.lay_out();
    arguments.to = asked->input.ranges();
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Iallgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Begins begins,
                              MPI_Request *request) {
    auto asked = Asked::on(comm, "allgather", begins);
    if (asked && asked->between_groups())
        return between_groups::allgather(std::move(*asked), sendbuf, sendcount, sendtype, recvbuf,
                                         equal(recvcount, recvtype), begins, request);
    if (!asked || !sound(recvbuf, recvcount, recvtype)) return {};
    if (!pays(*asked, bytes_of(recvcount, recvtype))) return {};
    asked->output.add_equal(recvbuf, recvcount, recvtype, asked->arguments.ranks);
    asked->output.lay_out();
    asked->arguments.from = asked->output.equal();
    return allgather(std::move(*asked), sendbuf, sendcount, sendtype, recvbuf, begins, request);
}

std::optional<int> Iallgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                               Integers recvcounts, Integers displs, MPI_Datatype recvtype, MPI_Comm comm,
                               Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "allgather", begins);
    if (asked && asked->between_groups())
        return between_groups::allgather(std::move(*asked), sendbuf, sendcount, sendtype, recvbuf,
                                         displaced(recvcounts, displs, recvtype), begins, request);
    if (!asked || !sound(recvcounts, displs, recvtype, asked->arguments.ranks)) return {};
    asked->output.add_displaced(recvbuf, recvcounts, displs, recvtype, asked->arguments.ranks);
    asked->output.lay_out();
    asked->arguments.from = asked->output.ranges();
    asked->arguments.varies = true;
    asked->bytes = asked->output.bytes() / static_cast<std::size_t>(asked->arguments.ranks);
    return allgather(std::move(*asked), sendbuf, sendcount, sendtype, recvbuf, begins, request);
}

std::optional<int> Ialltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, Begins begins,
                             MPI_Request *request) {
    auto asked = Asked::on(comm, "alltoall", begins);
    if (asked && asked->between_groups())
        return between_groups::alltoall(std::move(*asked), sendbuf, equal(sendcount, sendtype), recvbuf,
                                        equal(recvcount, recvtype), begins, request);
    if (!asked || !sound(recvbuf, recvcount, recvtype)) return {};
    if (!pays(*asked, bytes_of(recvcount, recvtype))) return {};
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (in_place)
        asked->input.add_equal(recvbuf, recvcount, recvtype, asked->arguments.ranks);
    else if (sound(sendbuf, sendcount, sendtype))
        asked->input.add_equal(sendbuf, sendcount, sendtype, asked->arguments.ranks);
    else
        return {};
    asked->output.add_equal(recvbuf, recvcount, recvtype, asked->arguments.ranks);
    asked->input.lay_out(in_place || aliased(sendbuf, recvbuf));
    asked->output.lay_out();
    asked->arguments.to = asked->input.equal();
    asked->arguments.from = asked->output.equal();
    return begin(std::move(*asked), begins, request);
}

namespace {

std::optional<int> alltoall_of_several_sizes(Asked &&asked, bool apart, Begins begins, MPI_Request *request) {
    asked.input.lay_out(apart);
    asked.output.lay_out();
    asked.arguments.to = asked.input.ranges();
    asked.arguments.from = asked.output.ranges();
    asked.arguments.varies = true;
    return begin(std::move(asked), begins, request);
}

} // namespace

std::optional<int> Ialltoallv(const void *sendbuf, Integers sendcounts, Integers sdispls, MPI_Datatype sendtype,
                              void *recvbuf, Integers recvcounts, Integers rdispls, MPI_Datatype recvtype,
                              MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "alltoall", begins);
    if (asked && asked->between_groups())
        return between_groups::alltoall(std::move(*asked), sendbuf, displaced(sendcounts, sdispls, sendtype), recvbuf,
                                        displaced(recvcounts, rdispls, recvtype), begins, request);
    if (!asked) return {};
    const int ranks = asked->arguments.ranks;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (!sound(recvcounts, rdispls, recvtype, ranks)) return {};
    if (in_place)
        asked->input.add_displaced(recvbuf, recvcounts, rdispls, recvtype, ranks);
    else if (sound(sendcounts, sdispls, sendtype, ranks))
        asked->input.add_displaced(sendbuf, sendcounts, sdispls, sendtype, ranks);
    else
        return {};
    asked->output.add_displaced(recvbuf, recvcounts, rdispls, recvtype, ranks);
    return alltoall_of_several_sizes(std::move(*asked), in_place || aliased(sendbuf, recvbuf), begins, request);
}

namespace {

// Here displacements are in bytes, and each block has its type.
bool add_typed(Side &side, const void *buf, Integers counts, Integers displs, const MPI_Datatype types[], int ranks) {
    if (!sound(counts, ranks) || !displs || !types) return false;
    for (int rank = 0; rank < ranks; rank++) {
        if (counts[rank] > 0 && !sound(types[rank])) return false;
        side.add(reinterpret_cast<const void *>(reinterpret_cast<std::intptr_t>(buf) + displs[rank]), counts[rank],
                 types[rank]);
    }
    return true;
}

} // namespace

std::optional<int> Ialltoallw(const void *sendbuf, Integers sendcounts, Integers sdispls,
                              const MPI_Datatype sendtypes[], void *recvbuf, Integers recvcounts, Integers rdispls,
                              const MPI_Datatype recvtypes[], MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "alltoall", begins);
    if (asked && asked->between_groups())
        return between_groups::alltoall(std::move(*asked), sendbuf, typed(sendcounts, sdispls, sendtypes), recvbuf,
                                        typed(recvcounts, rdispls, recvtypes), begins, request);
    if (!asked) return {};
    const int ranks = asked->arguments.ranks;
    const bool in_place = sendbuf == MPI_IN_PLACE;
    if (!add_typed(asked->output, recvbuf, recvcounts, rdispls, recvtypes, ranks)) return {};
    if (!(in_place ? add_typed(asked->input, recvbuf, recvcounts, rdispls, recvtypes, ranks)
                   : add_typed(asked->input, sendbuf, sendcounts, sdispls, sendtypes, ranks)))
        return {};
    return alltoall_of_several_sizes(std::move(*asked), in_place || aliased(sendbuf, recvbuf), begins, request);
}

std::optional<int> Ireduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
                           MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "reduce", begins);
    if (!asked || count < 0 || !is_rank(root, *asked) || !asked->adds_up(op, type)) return {};
    const bool is_root = asked->arguments.rank == root;
    if (!is_root && sendbuf == MPI_IN_PLACE) return {};
    asked->arguments.root = root;
    if (!add_elements(*asked, sendbuf, recvbuf, count, type, is_root)) return {};
    return begin(std::move(*asked), begins, request);
}

std::optional<int> Iallreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, Begins begins, MPI_Request *request) {
    return symmetric("allreduce", sendbuf, recvbuf, count, type, op, comm, begins, request);
}

std::optional<int> Iscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm, Begins begins, MPI_Request *request) {
    return symmetric("scan", sendbuf, recvbuf, count, type, op, comm, begins, request);
}

std::optional<int> Iexscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, Begins begins, MPI_Request *request) {
    return symmetric("exscan", sendbuf, recvbuf, count, type, op, comm, begins, request);
}

namespace {

// The blocks lie one behind the other, and a rank's own comes to the beginning of its output.
template <class CountOf>
std::optional<int> reduce_scatter(Asked &&asked, const void *sendbuf, void *recvbuf, CountOf count_of,
                                  MPI_Datatype type, Begins begins, MPI_Request *request) {
    const bool in_place = sendbuf == MPI_IN_PLACE;
    MPI_Count all = 0;
    std::vector<Range> blocks;
    for (int rank = 0; rank < asked.arguments.ranks; rank++) {
        const auto begin = static_cast<std::size_t>(all) * asked.arguments.unit;
        all += count_of(rank);
        blocks.push_back({begin, static_cast<std::size_t>(all) * asked.arguments.unit});
    }
    asked.bytes = blocks.back().end;
    asked.arguments.to = collective::Blocks::of(std::move(blocks));
    asked.input.add(in_place ? recvbuf : sendbuf, all, type);
    asked.output.add(recvbuf, count_of(asked.arguments.rank), type);
    asked.input.lay_out(in_place || aliased(sendbuf, recvbuf), true);
    asked.output.lay_out(false, true);
    return begin(std::move(asked), begins, request);
}

} // namespace

std::optional<int> Ireduce_scatter(const void *sendbuf, void *recvbuf, Integers recvcounts, MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "reduce_scatter", begins);
    if (!asked || !sound(recvcounts, asked->arguments.ranks) || !asked->adds_up(op, type)) return {};
    return reduce_scatter(
        std::move(*asked), sendbuf, recvbuf, [&](int rank) { return recvcounts[rank]; }, type, begins, request);
}

std::optional<int> Ireduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type,
                                         MPI_Op op, MPI_Comm comm, Begins begins, MPI_Request *request) {
    auto asked = Asked::on(comm, "reduce_scatter", begins);
    if (!asked || recvcount < 0 || !asked->adds_up(op, type)) return {};
    return reduce_scatter(
        std::move(*asked), sendbuf, recvbuf, [&](int) { return recvcount; }, type, begins, request);
}

} // namespace stretto::front
