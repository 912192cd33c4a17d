/* Derived datatypes on either side, with different type maps of the same signature, and gaps that stay as they were. */
#include "promise.h"

static MPI_Datatype committed(MPI_Datatype type) {
    MPI_Type_commit(&type);
    return type;
}
static MPI_Datatype vector_type(int count, int block, int stride, MPI_Datatype of) {
    MPI_Datatype type;
    MPI_Type_vector(count, block, stride, of, &type);
    return committed(type);
}

/* Both sides know how many MPI_INTs go; the receiver checks them by packing what it got. */
static void exchange(const void *from, int n_out, MPI_Datatype type_out, void *to, int n_in, MPI_Datatype type_in) {
    if (rank == 0) MPI_Send(from, n_out, type_out, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Status status;
        MPI_Recv(to, n_in, type_in, 0, 1, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, type_in) == n_in);
    }
    if (rank == 0) { /* and with a probe and a receive that was posted late */
        MPI_Request request;
        MPI_Isend(from, n_out, type_out, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        MPI_Status status;
        MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, type_in) == n_in);
        MPI_Recv(to, n_in, type_in, 0, 1, MPI_COMM_WORLD, &status);
        CHECK(count_of(&status, type_in) == n_in);
    }
}

static const int lengths[] = {1, 23, 24, 1007, 1008, 1009, 5000, 40000};
enum { LENGTHS = 8, MOST = 40000 };

PROMISE(a_vector_is_sent_to_contiguous_memory_and_back) {
    int *strided = malloc(3 * MOST * sizeof(int)), *flat = malloc(MOST * sizeof(int));
    for (int k = 0; k < LENGTHS; k++) {
        int n = lengths[k], good = 1;
        MPI_Datatype type = vector_type(n, 1, 3, MPI_INT);
        for (int i = 0; i < 3 * n; i++) strided[i] = i % 3 ? -1 : i + k;
        exchange(strided, 1, type, flat, n, MPI_INT);
        if (rank == 1)
            for (int i = 0; i < n; i++) good &= flat[i] == 3 * i + k;
        CHECK(good);
        for (int i = 0; i < n; i++) flat[i] = i * 7 + k;
        for (int i = 0; i < 3 * n; i++) strided[i] = -1;
        exchange(flat, n, MPI_INT, strided, 1, type);
        if (rank == 1)
            for (int i = 0; i < 3 * n; i++) good &= strided[i] == (i % 3 ? -1 : i / 3 * 7 + k);
        CHECK(good);
        MPI_Type_free(&type);
    }
    free(strided);
    free(flat);
}

PROMISE(elements_that_fit_no_fragment_border_arrive_whole) {
    /* MPI_DOUBLE_INT has 12 bytes of signature in 16: fragments of multiples of 32 would end inside. */
    struct {
        double d;
        int i;
    } *from = calloc(20000, sizeof *from), *to = calloc(20000, sizeof *to);
    static const int many[] = {1, 8, 9, 309, 310, 311, 5833, 5834, 20000};
    for (int k = 0; k < 9; k++) {
        int good = 1;
        for (int i = 0; i < many[k]; i++) from[i].d = i * 0.25 + k, from[i].i = i + k;
        exchange(from, many[k], MPI_DOUBLE_INT, to, many[k], MPI_DOUBLE_INT);
        if (rank == 1)
            for (int i = 0; i < many[k]; i++) good &= to[i].d == i * 0.25 + k && to[i].i == i + k;
        CHECK(good);
    }
    free(from);
    free(to);
}

PROMISE(a_struct_of_int_and_double_is_sent_as_another_struct) {
    struct compact {
        int i;
        double d;
    } *from = malloc(20000 * sizeof *from);
    struct wide {
        double gap, d;
        int more, i;
    } *to = malloc(20000 * sizeof *to);
    MPI_Datatype one, two, raw;
    int counts[] = {1, 1};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Aint at_one[] = {(char *)&from->i - (char *)from, (char *)&from->d - (char *)from};
    MPI_Aint at_two[] = {(char *)&to->i - (char *)to, (char *)&to->d - (char *)to};
    MPI_Type_create_struct(2, counts, at_one, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(struct compact), &one);
    MPI_Type_free(&raw);
    MPI_Type_create_struct(2, counts, at_two, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(struct wide), &two);
    MPI_Type_free(&raw);
    MPI_Type_commit(&one);
    MPI_Type_commit(&two);
    static const int many[] = {1, 7, 8, 9, 309, 310, 1000, 20000};
    for (int k = 0; k < 8; k++) {
        int good = 1;
        for (int i = 0; i < many[k]; i++) {
            from[i].i = i - k, from[i].d = i * 1.5;
            to[i] = (struct wide){-1, -1, -1, -1};
        }
        exchange(from, many[k], one, to, many[k], two);
        if (rank == 1)
            for (int i = 0; i < many[k]; i++)
                good &= to[i].i == i - k && to[i].d == i * 1.5 && to[i].gap == -1 && to[i].more == -1;
        CHECK(good);
    }
    MPI_Type_free(&one);
    MPI_Type_free(&two);
    free(from);
    free(to);
}

/* Elements of some doubles and one thing more, with a gap behind it. */
static void exchange_elements(int doubles, MPI_Datatype last, int last_bytes) {
    enum { MOST = 2000, FIRST_FRAGMENT = 4032 };
    const int bytes = 8 * doubles + last_bytes, extent = 8 * doubles + 8;
    char *from = malloc((size_t)(MOST * extent)), *to = malloc((size_t)(MOST * extent));
    MPI_Datatype raw, type;
    MPI_Datatype types[] = {MPI_DOUBLE, last};
    int counts[] = {doubles, 1};
    MPI_Aint at[] = {0, 8 * doubles};
    MPI_Type_create_struct(2, counts, at, types, &raw);
    MPI_Type_create_resized(raw, 0, extent, &type);
    MPI_Type_free(&raw);
    MPI_Type_commit(&type);
    const int many[] = {1, FIRST_FRAGMENT / bytes, FIRST_FRAGMENT / bytes + 1, MOST};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < MOST * extent; i++) from[i] = (char)(i * 7 + k), to[i] = -1;
        exchange(from, many[k], type, to, many[k], type);
        int good = 1;
        for (int i = 0; i < many[k] * extent; i++) good &= to[i] == (i % extent < bytes ? from[i] : -1);
        if (rank == 1) CHECK(good);
    }
    MPI_Type_free(&type);
    free(from);
    free(to);
}

PROMISE(elements_that_fit_no_header_arrive_whole) {
    exchange_elements(3, MPI_CHAR, 1);
}

PROMISE(elements_that_fit_a_header_and_no_first_fragment_arrive_whole) {
    exchange_elements(2, MPI_INT, 4);
}

PROMISE(an_indexed_type_is_sent_in_its_own_order) {
    enum { BLOCKS = 900 };
    int length[BLOCKS], at[BLOCKS], total = 0;
    for (int i = 0; i < BLOCKS; i++) {
        length[i] = i % 7;
        at[i] = (BLOCKS - 1 - i) * 8; /* backwards */
        total += length[i];
    }
    MPI_Datatype type;
    MPI_Type_indexed(BLOCKS, length, at, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    double *memory = malloc(BLOCKS * 8 * sizeof *memory), *flat = malloc(total * sizeof *flat);
    for (int i = 0; i < BLOCKS * 8; i++) memory[i] = i;
    exchange(memory, 1, type, flat, total, MPI_DOUBLE);
    int good = 1, k = 0;
    if (rank == 1)
        for (int i = 0; i < BLOCKS; i++)
            for (int j = 0; j < length[i]; j++) good &= flat[k++] == at[i] + j;
    CHECK(good);
    for (int i = 0; i < total; i++) flat[i] = i;
    for (int i = 0; i < BLOCKS * 8; i++) memory[i] = -1;
    exchange(flat, total, MPI_DOUBLE, memory, 1, type);
    k = 0;
    if (rank == 1)
        for (int i = 0; i < BLOCKS; i++)
            for (int j = 0; j < 8; j++) good &= memory[at[i] + j] == (j < length[i] ? k++ : -1);
    CHECK(good);
    MPI_Type_free(&type);
    free(memory);
    free(flat);
}

PROMISE(a_subarray_meets_a_resized_column) {
    enum { ROWS = 200, COLUMNS = 150, SUB_ROWS = 120, SUB_COLUMNS = 60 };
    float *matrix = malloc(ROWS * COLUMNS * sizeof *matrix),
          *columns = malloc(SUB_ROWS * SUB_COLUMNS * sizeof *columns);
    int whole[] = {ROWS, COLUMNS}, part[] = {SUB_ROWS, SUB_COLUMNS}, begin[] = {30, 40};
    MPI_Datatype sub, row, resized;
    MPI_Type_create_subarray(2, whole, part, begin, MPI_ORDER_C, MPI_FLOAT, &sub);
    MPI_Type_commit(&sub);
    /* rows of the sub array, each laid down as a column */
    row = vector_type(SUB_COLUMNS, 1, SUB_ROWS, MPI_FLOAT);
    MPI_Type_create_resized(row, 0, sizeof(float), &resized);
    MPI_Type_commit(&resized);
    for (int i = 0; i < ROWS * COLUMNS; i++) matrix[i] = i;
    exchange(matrix, 1, sub, columns, SUB_ROWS, resized);
    int good = 1;
    if (rank == 1)
        for (int r = 0; r < SUB_ROWS; r++)
            for (int c = 0; c < SUB_COLUMNS; c++) good &= columns[c * SUB_ROWS + r] == (r + 30) * COLUMNS + c + 40;
    CHECK(good);
    MPI_Type_free(&sub);
    MPI_Type_free(&row);
    MPI_Type_free(&resized);
    free(matrix);
    free(columns);
}

PROMISE(bytes_and_packed_are_interchangeable) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            int at = 0;
            fill(in, sizes[i], i);
            MPI_Pack(in, sizes[i], MPI_BYTE, out, LARGEST, &at, MPI_COMM_WORLD);
            MPI_Send(out, at, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
            MPI_Send(in, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        }
        if (rank == 1)
            for (int k = 0; k < 2; k++) {
                MPI_Status status;
                MPI_Recv(in, LARGEST, k ? MPI_PACKED : MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                CHECK(count_of(&status, MPI_BYTE) == sizes[i] && holds(in, sizes[i], i));
            }
    }
}

PROMISE(a_type_freed_while_its_message_is_under_way_still_counts) {
    int *strided = malloc(2 * MOST * sizeof(int));
    MPI_Request request;
    MPI_Datatype type = vector_type(MOST, 1, 2, MPI_INT);
    if (rank == 0)
        for (int i = 0; i < 2 * MOST; i++) strided[i] = i;
    else
        memset(strided, 0xFF, 2 * MOST * sizeof(int));
    if (rank == 0) MPI_Isend(strided, 1, type, 1, 1, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Irecv(strided, 1, type, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    int good = 1;
    if (rank == 1)
        for (int i = 0; i < 2 * MOST; i++) good &= strided[i] == (i % 2 ? -1 : i);
    CHECK(good);
    free(strided);
}

PROMISE(absolute_addresses_and_mpi_bottom) {
    MPI_Aint at;
    MPI_Datatype type;
    int length = 70000;
    unsigned char *buffer = rank == 0 ? out : in;
    MPI_Get_address(buffer, &at);
    MPI_Type_create_hindexed(1, &length, &at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    if (rank == 0) fill(out, length, 1), MPI_Send(MPI_BOTTOM, 1, type, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        memset(in, 0, length);
        MPI_Recv(MPI_BOTTOM, 1, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(holds(in, length, 1));
    }
    MPI_Type_free(&type);
}

PROMISE(a_negative_lower_bound_is_respected) {
    /* the elements of the buffer backwards: stride -1 */
    enum { N = 9000 };
    double *memory = malloc(N * sizeof *memory);
    MPI_Datatype backwards = vector_type(N, 1, -1, MPI_DOUBLE);
    for (int i = 0; i < N; i++) memory[i] = rank == 0 ? i : -1;
    if (rank == 0) MPI_Send(memory, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(memory + N - 1, 1, backwards, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int good = 1;
        for (int i = 0; i < N; i++) good &= memory[i] == N - 1 - i;
        CHECK(good);
    }
    MPI_Type_free(&backwards);
    free(memory);
}

/* MPI_PACKED inside: which bytes of memory such a type names, the library alone knows. */
PROMISE(a_type_that_has_packed_bytes_inside) {
    unsigned char *gapped = malloc(2 * LARGEST);
    for (int i = 0; i < SIZES; i++)
        for (int way = 0; way < 3 && sizes[i]; way++) {
            if (rank == 0) {
                fill(out, sizes[i], i);
                MPI_Send(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            }
            if (rank == 1) {
                MPI_Datatype type = vector_type(sizes[i], 1, 2, MPI_PACKED);
                MPI_Status status;
                MPI_Request request;
                memset(gapped, 0xEE, 2 * sizes[i]);
                if (way == 2) { /* the handle goes before the message has come */
                    MPI_Irecv(gapped, 1, type, 0, 1, MPI_COMM_WORLD, &request);
                    MPI_Type_free(&type);
                    MPI_Wait(&request, &status);
                } else {
                    if (way == 1) MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
                    MPI_Recv(gapped, 1, type, 0, 1, MPI_COMM_WORLD, &status);
                    MPI_Type_free(&type);
                }
                int good = 1;
                for (int k = 0; k < sizes[i]; k++) in[k] = gapped[2 * k];
                for (int k = 0; k < sizes[i] - 1; k++) good &= gapped[2 * k + 1] == 0xEE;
                CHECK(good && holds(in, sizes[i], i) && count_of(&status, MPI_BYTE) == sizes[i]);
            }
        }
    free(gapped);
}
