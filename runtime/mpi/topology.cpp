#include "mpi/topology.h"

#include "mpi/job.h"

#include <cstddef>

namespace stretto::mpi {

namespace {

// MPICH reversed one list until 5.0.2 (https://github.com/pmodels/mpich/pull/7945). A rank that is its own neighbor twice shows it.
bool takes_graphs_in_order() {
    static const bool in_order = [] {
        MPI_Comm graph;
        MPI_Request request;
        const int list[] = {0, 0}, sent[] = {0, 1};
        int received[] = {0, 0};
        library.Dist_graph_create_adjacent(job.self, 2, list, MPI_UNWEIGHTED, 2, list, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                           &graph);
        library.Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, graph, &request);
        library.Wait(&request, MPI_STATUS_IGNORE);
        library.Comm_free(&graph);
        return received[1] == sent[1];
    }();
    return in_order;
}

// In each dimension who is before, then who comes next. With a period of one or two ranks these are the same, and which block is which
// libraries take in several ways (https://github.com/open-mpi/ompi/issues/14430).
Neighbors in_grid(MPI_Comm communicator) {
    int dimensions = 0;
    library.Cartdim_get(communicator, &dimensions);
    const auto room = static_cast<std::size_t>(dimensions);
    std::vector<int> sizes(room), periods(room), coordinates(room), all;
    bool in_order = true;
    library.Cart_get(communicator, dimensions, sizes.data(), periods.data(), coordinates.data());
    for (std::size_t k = 0; k < room; k++) {
        in_order = in_order && !(periods[k] && sizes[k] <= 2);
        int before = MPI_PROC_NULL, next = MPI_PROC_NULL;
        library.Cart_shift(communicator, static_cast<int>(k), 1, &before, &next);
        all.insert(all.end(), {before, next});
    }
    return {all, all, in_order};
}

Neighbors in_graph(MPI_Comm communicator) {
    int rank = 0, degree = 0;
    library.Comm_rank(communicator, &rank);
    library.Graph_neighbors_count(communicator, rank, &degree);
    std::vector<int> all(static_cast<std::size_t>(degree));
    library.Graph_neighbors(communicator, rank, degree, all.data());
    return {all, all, takes_graphs_in_order()};
}

Neighbors in_distributed_graph(MPI_Comm communicator) {
    int in = 0, out = 0, weighted = 0;
    library.Dist_graph_neighbors_count(communicator, &in, &out, &weighted);
    const auto sources = static_cast<std::size_t>(in), destinations = static_cast<std::size_t>(out);
    Neighbors found{std::vector<int>(sources), std::vector<int>(destinations), takes_graphs_in_order()};
    std::vector<int> weights_in(sources), weights_out(destinations);
    library.Dist_graph_neighbors(communicator, in, found.sources.data(), weights_in.data(), out,
                                 found.destinations.data(), weights_out.data());
    return found;
}

std::shared_ptr<const Neighbors> ask(MPI_Comm communicator) {
    int topology = MPI_UNDEFINED;
    library.Topo_test(communicator, &topology);
    if (topology == MPI_CART) return std::make_shared<Neighbors>(in_grid(communicator));
    if (topology == MPI_GRAPH) return std::make_shared<Neighbors>(in_graph(communicator));
    if (topology == MPI_DIST_GRAPH) return std::make_shared<Neighbors>(in_distributed_graph(communicator));
    return nullptr;
}

} // namespace

const Neighbors *neighbors(Communicator &communicator) {
    if (!communicator.neighbors) communicator.neighbors = ask(communicator.handle);
    return communicator.neighbors.get();
}

} // namespace stretto::mpi
