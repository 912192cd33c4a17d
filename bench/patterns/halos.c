// A field in two dimensions, a square of it on each rank, whose halo comes from the ranks around it: packed by hand, or as derived datatypes;
// four sides, or corners too; all ranks wait for it, or compute the interior meanwhile.
#include <string.h>

#include "pattern.h"

enum { SQUARE = 512, DEPTH = 8, WIDTH = SQUARE + 2 * DEPTH, SIDE = SQUARE * DEPTH }; // points: a side has 32 KiB
enum { DIRECTIONS = 9, MIDDLE = 4, INTERIOR = SQUARE * SQUARE / 4 };

// Where in the field: points from, to, of rows or columns.
struct Span {
    int from, points;
};
struct Region {
    struct Span rows, columns;
};

static const int SIDES[] = {1, 7, 3, 5}; // up, down, left, right
enum { ALL_SIDES = 4 };

static double *field;
static double *in[DIRECTIONS], *out[DIRECTIONS];
static int peers[DIRECTIONS];
static MPI_Comm grid;
static MPI_Datatype edge[DIRECTIONS], halo[DIRECTIONS];
static MPI_Request requests[2 * DIRECTIONS];

// -1: next to the beginning, 0: the whole length, 1: next to the end.
static struct Span span(int towards, int outside) {
    static const int from[2][3] = {{DEPTH, DEPTH, SQUARE}, {0, DEPTH, SQUARE + DEPTH}};
    return (struct Span){from[outside][towards + 1], towards ? DEPTH : SQUARE};
}

static struct Region region(int direction, int outside) {
    return (struct Region){span(direction / 3 - 1, outside), span(direction % 3 - 1, outside)};
}

static int points(const struct Region *of) {
    return of->rows.points * of->columns.points;
}

static double *row_of(const struct Region *of, int row) {
    return field + (size_t)(of->rows.from + row) * WIDTH + of->columns.from;
}

static size_t row_bytes(const struct Region *of) {
    return (size_t)of->columns.points * sizeof *field;
}

static uint64_t name_of(long step, int from, int direction, int row) {
    return data_of(step * DIRECTIONS + direction, from) ^ (uint64_t)row << 48;
}

static void make_edge(long step, int direction) {
    const struct Region from = region(direction, 0);
    for (int row = 0; row < from.rows.points; row++)
        make_data(row_of(&from, row), row_bytes(&from), name_of(step, rank, direction, row));
}

// The neighbour's edge towards us.
static void use_halo(long step, int direction) {
    const struct Region of = region(direction, 1);
    for (int row = 0; row < of.rows.points; row++)
        use_data(row_of(&of, row), row_bytes(&of), name_of(step, peers[direction], DIRECTIONS - 1 - direction, row));
}

static void pack(int direction) {
    const struct Region from = region(direction, 0);
    for (int row = 0; row < from.rows.points; row++)
        memcpy(out[direction] + (size_t)row * (size_t)from.columns.points, row_of(&from, row), row_bytes(&from));
}

static void unpack(int direction) {
    const struct Region to = region(direction, 1);
    for (int row = 0; row < to.rows.points; row++)
        memcpy(row_of(&to, row), in[direction] + (size_t)row * (size_t)to.columns.points, row_bytes(&to));
}

static void set_up_grid(void) {
    int extent[2] = {0, 0}, periodic[2] = {1, 1}, here[2];
    MPI_Dims_create(ranks, 2, extent);
    MPI_Cart_create(WORLD, 2, extent, periodic, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, here);
    field = memory(sizeof *field * WIDTH * WIDTH);
    for (int d = 0; d < DIRECTIONS; d++) {
        int there[2] = {here[0] + d / 3 - 1, here[1] + d % 3 - 1};
        MPI_Cart_rank(grid, there, &peers[d]);
    }
}

static void set_up_packed(void) {
    set_up_grid();
    for (int d = 0; d < DIRECTIONS; d++) {
        const struct Region side = region(d, 0);
        if (d == MIDDLE) continue;
        in[d] = memory((size_t)points(&side) * sizeof *field);
        out[d] = memory((size_t)points(&side) * sizeof *field);
    }
}

static MPI_Datatype type_of(const struct Region *of) {
    const int whole[2] = {WIDTH, WIDTH}, part[2] = {of->rows.points, of->columns.points};
    const int from[2] = {of->rows.from, of->columns.from};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, whole, part, from, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void set_up_types(void) {
    set_up_grid();
    for (int k = 0; k < ALL_SIDES; k++) {
        const struct Region inside = region(SIDES[k], 0), outside = region(SIDES[k], 1);
        edge[SIDES[k]] = type_of(&inside);
        halo[SIDES[k]] = type_of(&outside);
    }
}

static void make_sides(long step) {
    for (int k = 0; k < ALL_SIDES; k++) make_edge(step, SIDES[k]);
}

static void use_sides(long step) {
    for (int k = 0; k < ALL_SIDES; k++) use_halo(step, SIDES[k]);
}

// A message's tag is the direction in which it travels.
static void begin_packed(const int *directions, int count) {
    for (int k = 0; k < count; k++) {
        const int d = directions[k];
        const struct Region side = region(d, 0);
        MPI_Irecv(in[d], points(&side), MPI_DOUBLE, peers[d], DIRECTIONS - 1 - d, WORLD, &requests[k]);
    }
    for (int k = 0; k < count; k++) {
        const int d = directions[k];
        const struct Region side = region(d, 0);
        pack(d);
        MPI_Isend(out[d], points(&side), MPI_DOUBLE, peers[d], d, WORLD, &requests[count + k]);
    }
}

static void end_packed(const int *directions, int count) {
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < count; k++) unpack(directions[k]);
}

static void packed(long step) {
    make_sides(step);
    begin_packed(SIDES, ALL_SIDES);
    end_packed(SIDES, ALL_SIDES);
    use_sides(step);
}

static void interior(long step) {
    make_sides(step);
    begin_packed(SIDES, ALL_SIDES);
    compute(INTERIOR);
    end_packed(SIDES, ALL_SIDES);
    use_sides(step);
}

static void corners(long step) {
    static const int every[] = {0, 1, 2, 3, 5, 6, 7, 8};
    enum { ALL = sizeof every / sizeof *every };
    for (int k = 0; k < ALL; k++) make_edge(step, every[k]);
    begin_packed(every, ALL);
    end_packed(every, ALL);
    for (int k = 0; k < ALL; k++) use_halo(step, every[k]);
}

static void typed(long step) {
    make_sides(step);
    for (int k = 0; k < ALL_SIDES; k++) {
        const int d = SIDES[k];
        MPI_Irecv(field, 1, halo[d], peers[d], DIRECTIONS - 1 - d, WORLD, &requests[k]);
        MPI_Isend(field, 1, edge[d], peers[d], d, WORLD, &requests[ALL_SIDES + k]);
    }
    MPI_Waitall(2 * ALL_SIDES, requests, MPI_STATUSES_IGNORE);
    use_sides(step);
}

// All sides in one piece, as MPI orders a Cartesian communicator's neighbours.
static void set_up_neighbourhood(void) {
    double *coming = memory((size_t)ALL_SIDES * SIDE * sizeof *field);
    double *going = memory((size_t)ALL_SIDES * SIDE * sizeof *field);
    set_up_grid();
    for (int k = 0; k < ALL_SIDES; k++)
        in[SIDES[k]] = coming + (size_t)k * SIDE, out[SIDES[k]] = going + (size_t)k * SIDE;
}

static void neighbourhood(long step) {
    make_sides(step);
    for (int k = 0; k < ALL_SIDES; k++) pack(SIDES[k]);
    MPI_Neighbor_alltoall(out[SIDES[0]], SIDE, MPI_DOUBLE, in[SIDES[0]], SIDE, MPI_DOUBLE, grid);
    for (int k = 0; k < ALL_SIDES; k++) unpack(SIDES[k]);
    use_sides(step);
}

const struct Pattern halos[] = {
    {"halo-packed", "four sides of 32 KiB, packed and unpacked by hand", .set_up = set_up_packed, .step = packed},
    {"halo-types", "four sides of 32 KiB as subarrays of the field", .set_up = set_up_types, .step = typed},
    {"halo-corners", "four sides of 32 KiB and four corners, packed by hand", .set_up = set_up_packed, .step = corners},
    {"halo-interior", "four sides of 32 KiB, the interior computed between MPI_Irecv, MPI_Isend and MPI_Waitall", MUCH,
     .set_up = set_up_packed, .step = interior},
    {"halo-neighbourhood", "four sides of 32 KiB by MPI_Neighbor_alltoall", .set_up = set_up_neighbourhood,
     .step = neighbourhood},
    {0},
};
