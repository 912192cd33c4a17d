/* Right directives, in C and in C++: each function moves some shape of data round the ring, and compares it with what the neighbour has.
 * Prints the names of those that were right. */
#include <stretto/mdmp.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <array>
#include <complex>
#include <memory>
#include <vector>
#else
#include <stdbool.h>
#endif

/* clang-format takes ranges for something else: */
/* clang-format off */
static int rank, ranks, next, prev; /* of the ring */

static void require(int holds, const char *what, int line) {
    if (holds) return;
    fprintf(stderr, "directives.h:%d: rank %d: not so: %s\n", line, rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
#define REQUIRE(condition) require(condition, #condition, __LINE__)

static double value(int of, int i, int j) {
    return of * 10000 + i * 100 + j;
}

/* --- sections --- */

static void an_element_and_a_count(void) {
    double out[6][8], in[6][8] = {{0}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) out[i][j] = value(rank, i, j);
#pragma recv(in[1][2], 3 * 8, prev)
#pragma send(out[1][2], 3 * 8, next)
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) {
            const int k = i * 8 + j, first = 1 * 8 + 2;
            REQUIRE(in[i][j] == (k >= first && k < first + 24 ? value(prev, i, j) : 0));
        }
}

static void variables_and_elements(void) {
    int a = rank * 3, b = -1;
    double c[4] = {0, 0, rank * 0.5, 0};
    bool yes = rank % 2, no = false;
#pragma send(a, next)
#pragma recv(b, prev)
#pragma send(c[2], next)
#pragma recv(c[3], prev)
#pragma send(yes, next)
#pragma recv(no, prev)
    REQUIRE(b == prev * 3 && c[3] == prev * 0.5 && no == prev % 2);
}

static void rows_columns_and_blocks(void) {
    enum { M = 7, N = 9 };
    static float out[M][N], in[M][N];
    const int m = M, one = 1;
    for (int way = 0; way < 5; way++) {
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) out[i][j] = (float)value(rank, i, j), in[i][j] = 0;
        switch (way) {
        case 0:
#pragma send(out[m - 2][one:N - 2], next)
#pragma recv(in[m - 2][one:N - 2], prev)
            break;
        case 1:
#pragma send(out[:][one], next)
#pragma recv(in[:][one], prev)
            break;
        case 2:
#pragma send(out[1:m - 4:2][one:4:2], next)
#pragma recv(in[1:m - 4:2][one:4:2], prev)
            break;
        case 3:
#pragma send(out[2:][3:], next)
#pragma recv(in[2:][3:], prev)
            break;
        default:
#pragma send(out[::3][1 ::2], next)
#pragma recv(in[::3][1 ::2], prev)
            break;
        }
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                const int inside[] = {i == M - 2 && j >= 1 && j <= N - 2, j == 1,
                                      i % 2 == 1 && i <= 5 && j % 2 == 1 && j <= 7, i >= 2 && j >= 3,
                                      i % 3 == 0 && j % 2 == 1};
                REQUIRE(in[i][j] == (inside[way] ? (float)value(prev, i, j) : 0));
            }
    }
}

static void three_dimensions(void) {
    static double out[5][6][7], in[5][6][7];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 7; k++) out[i][j][k] = value(rank, i * 6 + j, k);
#pragma recv(in[0:3:2][1:4][2:2:3], prev)
#pragma recv(in[1][:][0], prev)
#pragma send(out[0:3:2][1:4][2:2:3], next)
#pragma send(out[1][:][0], next)
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 7; k++) {
                const int inside = (i % 2 == 0 && j >= 1 && j <= 4 && (k == 2 || k == 5)) || (i == 1 && k == 0);
                REQUIRE(in[i][j][k] == (inside ? value(prev, i * 6 + j, k) : 0));
            }
}

static void another_shape_at_the_other_side(void) {
    int out[12], in[3][8] = {{0}};
    for (int k = 0; k < 12; k++) out[k] = rank * 100 + k;
#pragma send(out[0:12], next)
#pragma recv(in[:][1:4:2], prev)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 8; j++) REQUIRE(in[i][j] == (j % 2 ? prev * 100 + i * 4 + j / 2 : 0));
}

struct cell {
    double pressure;
    int flags[3];
    struct {
        short low, high;
    } inner[2];
};

static void structs_and_their_members(void) {
    static struct cell out[9], in[9];
    memset(out, 0, sizeof out), memset(in, 0, sizeof in);
    for (int i = 0; i < 9; i++) {
        out[i].pressure = value(rank, i, 0);
        for (int j = 0; j < 3; j++) out[i].flags[j] = rank * 50 + i * 3 + j;
        out[i].inner[1].high = (short)(rank * 9 + i);
    }
#pragma send(out[0:3], next)
#pragma recv(in[0:3], prev)
#pragma send(out[3:2].pressure, next)
#pragma recv(in[3:2].pressure, prev)
#pragma send(out[5:2].flags[0:2:2], next)
#pragma recv(in[5:2].flags[0:2:2], prev)
#pragma send(out[7:2].inner[1].high, next)
#pragma recv(in[7:2].inner[1].high, prev)
    for (int i = 0; i < 9; i++) {
        const int all = i < 3;
        REQUIRE(in[i].pressure == (i < 5 ? value(prev, i, 0) : 0));
        for (int j = 0; j < 3; j++)
            REQUIRE(in[i].flags[j] == (all || ((i == 5 || i == 6) && j != 1) ? prev * 50 + i * 3 + j : 0));
        REQUIRE(in[i].inner[1].high == (all || i > 6 ? prev * 9 + i : 0));
    }
}

struct grid {
    int n;
    double (*cells)[5];
    struct grid *finer;
};

static void pointers_to_arrays_and_members(void) {
    static double out[4][5], in[4][5];
    struct grid mine = {4, out, NULL}, theirs = {4, in, NULL}, coarse = {0, NULL, &theirs}, *from = &mine,
                *to = &coarse;
    double(*whole)[4][5] = &in;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) out[i][j] = value(rank, i, j);
#pragma recv(to->finer->cells[0:to->finer->n][0:2], prev)
#pragma send(from->cells[0:from->n][0:2], next)
#pragma recv((*whole) [:][3], prev)
#pragma send((&out[0])[0:4][3], next)
#pragma recv((to->finer->cells + 1)[0][4:1], prev)
#pragma send(*(out[1] + 4), 1, next)
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            REQUIRE(in[i][j] == (j < 2 || j == 3 || (i == 1 && j == 4) ? value(prev, i, j) : 0));
}

static void below_the_pointer(void) {
    double out[6], in[6] = {0}, *middle = &in[4];
    for (int i = 0; i < 6; i++) out[i] = value(rank, i, 0);
#pragma send((out + 3)[-2:3], next)
#pragma recv(middle[-3:3], prev)
    for (int i = 0; i < 6; i++) REQUIRE(in[i] == (i >= 1 && i <= 3 ? value(prev, i, 0) : 0));
}

#ifndef __cplusplus
static void arrays_of_variable_size(int m, int n) {
    double out[m][n], in[m][n], (*rows)[n] = in;
    double cube[m][3][n];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            out[i][j] = value(rank, i, j), in[i][j] = 0;
            for (int k = 0; k < 3; k++) cube[i][k][j] = value(rank, i * 3 + k, j);
        }
#pragma recv(rows[0:m:1][1], prev)
#pragma send(out[0:m][1], next)
#pragma recv(in[:][2:], prev)
#pragma send(cube[:][1][2:n - 2], next)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            REQUIRE(in[i][j] == (j == 1 ? value(prev, i, j) : j >= 2 ? value(prev, i * 3 + 1, j) : 0));
}
#endif

/* --- arguments --- */

static void partners_that_are_none(void) {
    int a[3] = {rank, rank, rank};
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
#pragma recv(a[0:1], left)
#pragma recv(a[2:1], right)
#pragma send(a[1:1], right)
#pragma send(a[1:1], left)
    REQUIRE(a[0] == (rank > 0 ? rank - 1 : 0) && a[2] == (rank < ranks - 1 ? rank + 1 : rank) && a[1] == rank);
#pragma recv(a[0:3], none)
#pragma send(a[0:3], none)
#pragma recv(a[0], 3, MPI_PROC_NULL)
    REQUIRE(a[1] == rank);
}

static int evaluations;
static int counted(int number) {
    evaluations++;
    return number;
}

#define LENGTH 4
static void tags_and_expressions(void) {
    int a[3][LENGTH], b[3][LENGTH];
    long first = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < LENGTH; j++) a[i][j] = rank * 100 + i * 10 + j, b[i][j] = 0;
#pragma send(a[0][0:LENGTH], (rank + 1) % ranks, tag(7))
#pragma send(a[first][0:LENGTH], next, tag(first + 1))
#pragma send(a[2][0:first ? LENGTH : 0], next)
#pragma recv(b[2][0:LENGTH], prev)
#pragma recv(b[counted(1)][counted(0):counted(LENGTH):counted(1)], counted(prev), tag(counted(2)))
#pragma recv(b[0][0:LENGTH], prev, tag(7), comm(MPI_COMM_WORLD))
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < LENGTH; j++) REQUIRE(b[i][j] == prev * 100 + i * 10 + j);
    REQUIRE(evaluations == 6);
}

/* --- regions and exchanges --- */

static double there[1000], here[1000];

/* --- reductions and broadcasts --- */

static void reductions(void) {
    const int last = ranks - 1, sum_of_ranks = ranks * last / 2;
    double sum = rank + 1, squares[3][4];
    int most[6], bits = 1 << rank, one_bit = 1 << rank, parity = 1;
    bool every = true, some = rank == 1;
#ifdef __cplusplus
    std::complex<float> turn;
#else
    float _Complex turn = 0;
#endif
    float *const parts = (float *)&turn;
    unsigned long product = (unsigned long)rank + 1, least = 100u + (unsigned)rank;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) squares[i][j] = value(rank, i, j);
    for (int k = 0; k < 6; k++) most[k] = rank * (k % 2 ? 1 : -1) + k;
    parts[0] = 1, parts[1] = (float)rank;
#pragma reduce(+: sum)
#pragma reduce(max: most[0:3])
#pragma reduce(max: most[3], 2)
#pragma stretto reduce(&&: every)
#pragma reduce(||: some)
#pragma reduce(|: bits, comm(MPI_COMM_WORLD))
#pragma reduce(&: one_bit)
#pragma reduce(^: parity)
#pragma reduce(*: product, root(last))
#pragma reduce(min: least, root(0), comm(MPI_COMM_WORLD))
#pragma reduce(+: squares[:][1:2:2])
#pragma reduce(+: turn)
    REQUIRE(sum == sum_of_ranks + ranks && every && some == (ranks > 1));
    REQUIRE(bits == (1 << ranks) - 1 && one_bit == (ranks == 1) && parity == ranks % 2);
    REQUIRE(least == 100u + (unsigned)rank * (rank != 0));
    REQUIRE(parts[0] == (float)ranks && parts[1] == (float)sum_of_ranks);
    unsigned long factorial = 1;
    for (int k = 2; k <= ranks; k++) factorial *= (unsigned long)k;
    REQUIRE(product == (rank == last ? factorial : (unsigned long)rank + 1));
    for (int k = 0; k < 6; k++) REQUIRE(most[k] == k + (k == 5 ? rank : k % 2 ? last : 0));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            REQUIRE(squares[i][j] == (j % 2 ? ranks * value(0, i, j) + 10000 * sum_of_ranks : value(rank, i, j)));
}

static void broadcasts(void) {
    double a[5][6];
    struct cell one;
    int number = rank;
    memset(&one, 0, sizeof one);
    one.flags[1] = rank + 5;
    for (int root = 0; root < ranks; root++) {
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 6; j++) a[i][j] = value(rank, i, j);
#pragma bcast(a[0:2][0:6], root(root))
#pragma bcast(a[2][2], 3, root(root))
#pragma bcast(a[3:2][5], root((root + 1) % ranks), comm(MPI_COMM_WORLD))
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 6; j++) {
                const int of_root = i < 2 || (i == 2 && j >= 2 && j < 5), of_next = i > 2 && j == 5;
                REQUIRE(a[i][j] == value(of_root ? root : of_next ? (root + 1) % ranks : rank, i, j));
            }
    }
#pragma stretto bcast(one, root(ranks - 1))
#pragma bcast(number, root(0))
    REQUIRE(one.flags[1] == ranks + 4 && number == 0);
}

/* A collective ends the exchange in front of it, and the next one begins behind it. */
static void between_exchanges(void) {
    int total = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 1000; i++) there[i] = value(rank, turn, i), here[i] = 0;
#pragma recv(here[0:500], prev)
#pragma send(there[0:500], next)
#pragma reduce(+: here[0:500])
#pragma recv(here[500:500], next)
#pragma send(there[500:500], prev)
#pragma bcast(here[500:500], root(0))
        for (int i = 0; i < 1000; i++) {
            const double sum = ranks * value(0, turn, i) + 10000.0 * ranks * (ranks - 1) / 2;
            REQUIRE(here[i] == (i < 500 ? sum : value(1 % ranks, turn, i)));
        }
        total += turn;
    }
    if (rank >= 0) {
#pragma reduce(+: total)
    }
    REQUIRE(total == 3 * ranks);
}


/* Of the region that is around it where it is called. */
static void called(int turn) {
    for (int i = 0; i < 1000; i++) there[i] = value(rank, turn, i), here[i] = 0;
#pragma recv(here[0:1000], prev)
#pragma send(there[0:1000], next)
    for (int i = 0; i < 1000; i++) REQUIRE(here[i] == value(prev, turn, i));
}

static void called_with_its_own_region(MPI_Comm comm) {
    int size, number, a, b = -1;
    MPI_Comm_size(comm, &size), MPI_Comm_rank(comm, &number);
    a = rank;
#pragma commregion comm(comm) inner
    const int to = size - 1 - number;
#pragma send(a, to)
#pragma recv(b, to)
#pragma stretto commregion
    called(3);
#pragma stretto commregionfinished
#pragma commregionfinished
    REQUIRE(b == (size == ranks ? ranks - 1 - rank : rank));
}

static void regions_in_regions_and_functions(void) {
    MPI_Comm mirrored;
    MPI_Comm_dup(MPI_COMM_WORLD, &mirrored);
    called(1);
#pragma commregion named comm(mirrored)
    called(2);
    called_with_its_own_region(MPI_COMM_WORLD);
    called_with_its_own_region(MPI_COMM_SELF);
    int a = rank, b = -1;
#pragma recv(b, prev, comm(mirrored))
#pragma send(a, next, comm(mirrored))
    REQUIRE(b == prev);
#pragma commregionfinished
    MPI_Comm_free(&mirrored);
}

/* Were each of them to wait by itself, all ranks would wait for ever. */
static void all_receive_first(void) {
    for (int i = 0; i < 1000; i++) there[i] = value(rank, 9, i), here[i] = 0;
#pragma recv(here[0:500], prev)
        /* a comment is nothing */
#if 1
#pragma stretto recv(here[500:500], prev)
#endif

#pragma stretto send(there[0:500], next)
#pragma send(there[500:500], next)
    for (int i = 0; i < 1000; i++) REQUIRE(here[i] == value(prev, 9, i));
}

#define HALO(in, out) _Pragma("recv(here[in], prev)") _Pragma("send(there[out], next)")(void) 0
#define RECEIVE _Pragma("stretto recv(here[0:10], prev)")
#define SEND _Pragma("stretto send(there[0:10], next)")
static void directives_of_macros(void) {
    for (int i = 0; i < 1000; i++) there[i] = value(rank, 5, i), here[i] = 0;
    RECEIVE;
    SEND;
    if (rank >= 0) {
        const int in = 20, out = 30;
        HALO(20, 30);
        REQUIRE(here[in] == value(prev, 5, out));
    }
    for (int i = 0; i < 10; i++) REQUIRE(here[i] == value(prev, 5, i));
}

static void blocks_and_labels(void) {
    int a = rank, b = -1, turns = 0;
again:
#pragma recv(b, prev)
#pragma send(a, next)
    REQUIRE(b == (turns ? prev * 2 : prev));
    if (turns++ == 0) {
        a = rank * 2;
        goto again;
    }
    switch (turns) {
    case 2:
#pragma recv(b, next)
#pragma send(a, prev)
        break;
    default:
        REQUIRE(0);
    }
    REQUIRE(b == next * 2);
    do {
#pragma send(turns, next)
#pragma recv(b, prev)
        turns = b - 1;
    } while (turns > 0);
    for (int i = 0; i < 3; i++) {
#pragma commregion
        if (i == 1) {
#pragma send(a, prev)
        } else {
#pragma send(turns, prev)
        }
#pragma recv(b, next)
#pragma commregionfinished
        if (i == 1) continue;
        REQUIRE(b == 0);
    }
}

#ifdef _OPENMP
static void threads_with_tags(void) {
    double out[4][50], in[4][50];
    int single = -1;
#pragma omp parallel for num_threads(2)
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 50; i++) out[t][i] = value(rank, t, i), in[t][i] = 0;
#pragma recv(in[t][0:50], prev, tag(t))
#pragma send(out[t][0:50], next, tag(t))
        for (int i = 0; i < 50; i++) REQUIRE(in[t][i] == value(prev, t, i));
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma recv(single, prev)
#pragma send(rank, next)
        }}
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        {
#pragma recv(single, next)
#pragma send(rank, prev)
        }
    }
    REQUIRE(single == next);
}
#endif

#ifdef __cplusplus
/* --- C++ --- */

template <typename Element>
static void of_a_template(Element of_rank) {
    Element out[5][2], in[5][2] = {};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 2; j++) out[i][j] = Element(of_rank + Element(i * 2 + j));
#pragma recv(in[:][1], prev)
#pragma recv(in[0][0], 1, prev)
#pragma send(out[:][1], next)
#pragma send(out[0][0], 1, next)
    for (int i = 0; i < 5; i++) REQUIRE(in[i][1] == Element(Element(prev) + Element(i * 2 + 1)));
    REQUIRE(in[0][0] == Element(prev));
    Element sum(of_rank);
#pragma reduce(+: sum)
#pragma bcast(out[:][1], root(ranks - 1))
    REQUIRE(sum == Element(Element(ranks * (ranks - 1) / 2)));
    for (int i = 0; i < 5; i++) REQUIRE(out[i][1] == Element(Element(ranks - 1) + Element(i * 2 + 1)));
}

template <typename Number, int size>
struct Field {
    std::array<std::array<Number, size>, 3> rows{};
    Number *extra = nullptr;

    auto shift(int number) {
#pragma recv(rows[2][0:size], prev)
#pragma send(rows[1][0:size], next)
        return rows[2][number];
    }
    void column(std::vector<Number> &to) {
        const auto move = [&, this](int j) {
#pragma commregion
#pragma recv(to[0:3], prev)
#pragma send(rows[0:3][j], next)
#pragma commregionfinished
        };
        move(1);
    }
};

namespace inner {
enum Place { low, high = 3 };
struct Pair {
    std::complex<double> a;
    Place place;
};
struct Base {
    double cells[8];
};
struct Derived : Base {
    long more;
    void operator&() const = delete;
};
} // namespace inner

static void templates(void) {
    of_a_template<int>(rank);
    of_a_template<char>(char(rank));
    of_a_template<std::complex<float>>(std::complex<float>(float(rank)));
    Field<short, 4> field;
    for (int i = 0; i < 4; i++) field.rows[1][i] = short(rank * 10 + i);
    REQUIRE(field.shift(2) == prev * 10 + 2);
    std::vector<short> column(3);
    field.column(column);
    REQUIRE(column[0] == 0 && column[1] == prev * 10 + 1);
}

static void containers_lambdas_and_classes(void) {
    std::vector<inner::Pair> out(9), in(9);
    for (int i = 0; i < 9; i++) out[i] = {{rank * 1.0, i * 1.0}, inner::high};
    const auto move = [&](auto count, int from) {
#pragma recv(in[from:count], prev)
#pragma send(out[from:count], next)
    };
    move(3, inner::high);
    move(2l, 0);
    for (int i = 0; i < 9; i++)
        REQUIRE(in[i].place == (i < 2 || (i >= 3 && i < 6) ? inner::high : inner::low) &&
                in[i].a.real() == (in[i].place ? prev : 0));
    auto values = std::make_unique<inner::Derived[]>(4);
    auto &reference = values[rank % 2];
    reference.cells[5] = rank, reference.more = rank;
    values[3].cells[5] = -1;
#pragma send(reference.cells[5:1], next)
#pragma recv(values[3].cells[5:1], prev)
#pragma send(reference, next)
#pragma recv(values[2], prev)
    REQUIRE(values[3].cells[5] == prev && values[2].more == prev);
    std::vector<long> longs(7, rank);
#pragma reduce(max: longs[1:5])
#pragma bcast(out[2:2], root(0))
    REQUIRE(longs[0] == rank && longs[5] == ranks - 1 && out[3].a.real() == 0);
}
#endif

#define RUN(name) name(), names[n++] = #name
int main(int argc, char **argv) {
    const char *names[40];
    int n = 0;
#ifdef _OPENMP
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    REQUIRE(provided == MPI_THREAD_MULTIPLE);
#else
    (void)argc, (void)argv;
#endif
#pragma commregion
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks, prev = (rank + ranks - 1) % ranks;
    RUN(an_element_and_a_count);
    RUN(variables_and_elements);
    RUN(rows_columns_and_blocks);
    RUN(three_dimensions);
    RUN(another_shape_at_the_other_side);
    RUN(structs_and_their_members);
    RUN(pointers_to_arrays_and_members);
    RUN(below_the_pointer);
    RUN(partners_that_are_none);
    RUN(tags_and_expressions);
    RUN(regions_in_regions_and_functions);
    RUN(all_receive_first);
    RUN(directives_of_macros);
    RUN(blocks_and_labels);
    RUN(reductions);
    RUN(broadcasts);
    RUN(between_exchanges);
#ifdef _OPENMP
    RUN(threads_with_tags);
#endif
#ifdef __cplusplus
    RUN(templates);
    RUN(containers_lambdas_and_classes);
#else
    arrays_of_variable_size(rank * 0 + 6, 7), names[n++] = "arrays_of_variable_size";
#endif
#pragma commregionfinished
    if (rank == 0)
        for (int i = 0; i < n; i++) puts(names[i]);
#ifdef _OPENMP
    MPI_Finalize();
#endif
    return 0;
}
