/* What MPI reads besides messages: lists, names, ranks, the buffer of a request, what its callbacks read, a window. All of it may have just been
 * received, by a call that returned before all had come (docs/safety.md). Under any other setting these are promises of MPI like the others. */
#include "promise.h"
#include <unistd.h>

enum { LIST = 1 << 16, BYTES = LIST * sizeof(int) };

/* The window lets a part leave at once (STRETTO_BUDGET); the rest leaves when the sender calls MPI again. */
static void send_slowly(const void *from, int to) {
    MPI_Request request;
    MPI_Isend(from, BYTES, MPI_BYTE, to, 1, MPI_COMM_WORLD, &request);
    usleep(20000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1's list comes from rank 0. */
static void give(int *list) {
    if (rank == 0) send_slowly(list, 1);
    if (rank != 1) return;
    memset(list, 0, BYTES);
    MPI_Recv(list, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int *list_of(int step) {
    int *list = aligned_alloc(4096, BYTES);
    for (int k = 0; k < LIST; k++) list[k] = k * step;
    return list;
}

static int size_of(MPI_Datatype type) {
    int bytes = -1;
    MPI_Type_size(type, &bytes);
    MPI_Type_free(&type);
    return bytes;
}

PROMISE(released_a_datatype_is_made_from_lists_that_came) {
    int *list = list_of(2), *ones = list_of(0);
    MPI_Datatype type;
    for (int k = 0; k < LIST; k++) ones[k] = 1;
    give(list);
    MPI_Type_create_indexed_block(LIST, 1, list, MPI_INT, &type);
    CHECK(size_of(type) == BYTES);
    give(ones);
    MPI_Type_indexed(LIST, ones, list, MPI_INT, &type);
    CHECK(size_of(type) == BYTES);
    free(list);
    free(ones);
}

/* Handles of predefined types are the same in ranks of one executable only where they are no addresses: each gets back its own. */
PROMISE(released_a_datatype_is_made_from_types_that_came) {
    MPI_Datatype *types = aligned_alloc(4096, BYTES), type;
    enum { MANY = BYTES / sizeof *types };
    MPI_Aint *places = calloc(MANY, sizeof *places);
    int *ones = list_of(0);
    for (int k = 0; k < MANY; k++) types[k] = MPI_SHORT, places[k] = 2 * k, ones[k] = 1;
    if (rank == 1) MPI_Send(types, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(types, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    give((int *)types);
    if (rank == 1) {
        MPI_Type_create_struct(MANY, ones, places, types, &type);
        CHECK(size_of(type) == 2 * MANY);
    }
    free(types);
    free(places);
    free(ones);
}

PROMISE(released_a_name_that_came_is_given_to_a_communicator) {
    int *list = list_of(0), length;
    char *text = (char *)list + BYTES / 2, found[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    strcpy(text, "a name that was sent");
    give(list);
    MPI_Comm_set_name(comm, text);
    MPI_Comm_get_name(comm, found, &length);
    CHECK(strcmp(found, "a name that was sent") == 0);
    MPI_Comm_free(&comm);
    free(list);
}

PROMISE(released_a_key_and_a_value_that_came_are_given_to_an_info) {
    int *list = list_of(0), found = 0;
    char *key = (char *)list + BYTES / 2 - 4, value[8]; /* over the border of two pages */
    MPI_Info info;
    MPI_Info_create(&info);
    strcpy(key, "some_key");
    strcpy(key + 100, "yes");
    give(list);
    MPI_Info_set(info, key, key + 100);
    MPI_Info_get(info, "some_key", 7, value, &found);
    CHECK(found && strcmp(value, "yes") == 0);
    MPI_Info_free(&info);
    free(list);
}

PROMISE(released_a_name_is_written_where_a_message_came) {
    int *list = list_of(0), level, many = 0;
    give(list);
    if (rank == 1) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
        MPI_T_cvar_get_num(&many);
        for (int border = 4096; many > 0 && border < BYTES; border += 4096) {
            int length = 1000, nothing = 0, verbosity, bind, scope;
            MPI_Datatype type;
            MPI_T_enum values;
            char *text = (char *)list + border - 3;
            MPI_T_cvar_get_info(0, text, &length, &verbosity, &type, &values, NULL, &nothing, &bind, &scope);
            CHECK(length > 4 && strlen(text) + 1 == (size_t)length);
        }
        MPI_T_finalize();
    }
    free(list);
}

PROMISE(released_a_group_is_made_from_ranks_that_came) {
    int *list = list_of(1), there[2] = {-1, -1}, size = 0;
    MPI_Group world, group;
    give(list);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, list, &group);
    MPI_Group_size(group, &size);
    MPI_Group_translate_ranks(world, 2, list, group, there);
    CHECK(size == 2 && there[0] == 0 && there[1] == 1);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(list);
}

PROMISE(released_coordinates_that_came_name_a_rank) {
    int *list = list_of(0), *coordinates = list + LIST / 2, there = -1;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (const int[]){0}, 0, &grid);
    coordinates[0] = 1;
    give(list);
    MPI_Cart_rank(grid, coordinates, &there);
    CHECK(there == 1);
    MPI_Comm_free(&grid);
    free(list);
}

PROMISE(released_a_persistent_send_leaves_out_of_what_came) {
    int *list = list_of(3), got[8] = {0};
    const int bytes = sizeof got;
    for (int how = 0; how < 3; how++) { /* short, to itself, by MPI_Startall */
        const int to = how == 1 ? rank : 1 - rank;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (rank < 2) MPI_Recv_init(got, bytes, MPI_BYTE, to, 2, MPI_COMM_WORLD, &requests[0]);
        if (rank < 2) MPI_Send_init(list + LIST / 2, bytes, MPI_BYTE, to, 2, MPI_COMM_WORLD, &requests[1]);
        give(list);
        if (rank < 2 && how == 2) MPI_Startall(2, requests);
        for (int k = 0; k < 2 && rank < 2 && how != 2; k++) MPI_Start(&requests[k]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank < 2) CHECK(got[0] == LIST / 2 * 3 && got[7] == (LIST / 2 + 7) * 3);
        for (int k = 0; k < 2 && rank < 2; k++) MPI_Request_free(&requests[k]);
    }
    free(list);
}

#if MPI_VERSION >= 4
PROMISE(released_a_partition_leaves_out_of_what_came) {
    int *list = list_of(5), *got = list_of(0);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) MPI_Psend_init(list, 4, LIST / 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 1) MPI_Start(&request);
    give(list);
    if (rank == 0) MPI_Precv_init(got, 4, LIST / 4, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0) MPI_Start(&request);
    if (rank == 1) MPI_Pready_range(0, 2, request), MPI_Pready_list(1, (const int[]){3}, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) CHECK(memcmp(got, list, BYTES) == 0);
    if (rank < 2) MPI_Request_free(&request);
    free(list);
    free(got);
}
#endif

static int copied_sum;
static int copy(MPI_Comm comm, int key, void *state, void *in, void *result, int *flag) {
    (void)comm, (void)key, (void)state;
    copied_sum = ((int *)in)[LIST - 1];
    *(void **)result = in;
    *flag = 1;
    return MPI_SUCCESS;
}
static int count_end(MPI_Comm comm, int key, void *value, void *state) {
    (void)comm, (void)key, (void)state;
    copied_sum += ((int *)value)[1];
    return MPI_SUCCESS;
}

PROMISE(released_an_attributes_functions_read_what_came) {
    int *list = list_of(7), key;
    MPI_Comm first, second;
    MPI_Comm_create_keyval(copy, count_end, &key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &first);
    MPI_Comm_set_attr(first, key, list);
    give(list);
    MPI_Comm_dup(first, &second);
    CHECK(copied_sum == (LIST - 1) * 7);
    give(list);
    MPI_Comm_free(&second);
    CHECK(copied_sum == LIST * 7);
    give(list);
    MPI_Comm_delete_attr(first, key);
    CHECK(copied_sum == (LIST + 1) * 7);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&key);
    free(list);
}

static int query(void *state, MPI_Status *status) {
    MPI_Status_set_elements(status, MPI_BYTE, ((int *)state)[LIST - 1]);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int end_of_request(void *state) {
    copied_sum = ((int *)state)[LIST - 2];
    return MPI_SUCCESS;
}
static int cancel_request(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

PROMISE(released_a_requests_functions_read_what_came) {
    int *list = list_of(1), flag = 0;
    MPI_Status status;
    for (int how = 0; how < 2; how++) {
        MPI_Request request;
        MPI_Grequest_start(query, end_of_request, cancel_request, list, &request);
        MPI_Grequest_complete(request);
        give(list);
        if (how == 0) MPI_Wait(&request, &status);
        for (flag = 0; how == 1 && !flag;) MPI_Test(&request, &flag, &status);
        CHECK(count_of(&status, MPI_BYTE) == LIST - 1 && copied_sum == LIST - 2);
    }
    free(list);
}

/* Rank 1 makes a call that does not name the block, while another gets it. */
static void others_get(MPI_Win window, int *list, int step) {
    int *got = list_of(0), token = 0, reader = ranks - 1;
    give(list);
    if (rank == 1 && reader != 1) {
        MPI_Send(&token, 1, MPI_INT, reader, 4, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, reader, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == reader) {
        if (reader != 1) MPI_Recv(&token, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(got, LIST, MPI_INT, 1, 0, LIST, MPI_INT, window);
        MPI_Win_unlock(1, window);
        CHECK(got[LIST - 1] == (LIST - 1) * step && got[LIST / 2] == LIST / 2 * step);
        if (reader != 1) MPI_Send(&token, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    }
    free(got);
}

/* A handler of the program's, called out of a call that goes wrong. */
static int *told_list, told_step, times_told, wrongly_told, receives_then;
static void read_it(MPI_Comm *comm, int *error, ...) {
    (void)comm, (void)error;
    times_told++;
    if (receives_then) MPI_Recv(told_list, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = LIST; k-- > 0;) wrongly_told += told_list[k] != k * told_step;
}
static MPI_Comm with_handler(void) {
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Comm_create_errhandler(read_it, &handler);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    times_told = wrongly_told = 0;
    return comm;
}

PROMISE(released_an_error_handler_reads_what_came) {
    char byte = 0;
    told_list = list_of(told_step = 3);
    MPI_Comm comm = with_handler();
    for (int k = 0; k < 4; k++) {
        receives_then = 0;
        give(told_list);
        if (rank != 1) continue;
        if (k == 0) MPI_Recv(&byte, 1, MPI_CHAR, 99, 0, comm, MPI_STATUS_IGNORE);
        if (k == 1) MPI_Send(&byte, 1, MPI_CHAR, 99, 0, comm);
        if (k == 2) MPI_Bcast(&byte, 1, MPI_CHAR, 99, comm);
        if (k == 3) MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
        CHECK(times_told == k + 1 && wrongly_told == 0);
    }
    MPI_Comm_free(&comm);
    free(told_list);
}

PROMISE(released_an_error_handler_receives_and_reads) {
    char byte = 0;
    told_list = list_of(told_step = 5);
    MPI_Comm comm = with_handler();
    for (int k = 0; k < 3; k++) {
        receives_then = 1;
        if (rank == 0) send_slowly(told_list, 1);
        if (rank != 1) continue;
        memset(told_list, 0, BYTES);
        if (k == 0) MPI_Recv(&byte, 1, MPI_CHAR, 99, 0, comm, MPI_STATUS_IGNORE);
        if (k == 1) MPI_Send(&byte, 1, MPI_CHAR, 99, 0, comm);
        if (k == 2) MPI_Bcast(&byte, 1, MPI_CHAR, 99, comm);
        CHECK(times_told == k + 1 && wrongly_told == 0);
    }
    MPI_Comm_free(&comm);
    free(told_list);
}

PROMISE(released_a_window_gives_what_came) {
    int *list = list_of(11);
    MPI_Win window;
    MPI_Win_create(list, BYTES, sizeof *list, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int k = 0; k < 3; k++) others_get(window, list, 11);
    MPI_Win_free(&window);
    free(list);
}

PROMISE(released_memory_of_a_windows_own_gives_what_came) {
    int *list = NULL;
    MPI_Win window;
    MPI_Win_allocate(BYTES, sizeof *list, MPI_INFO_NULL, MPI_COMM_WORLD, &list, &window);
    for (int k = 0; k < LIST; k++) list[k] = 13 * k;
    for (int k = 0; k < 3; k++) others_get(window, list, 13);
    MPI_Win_free(&window);
}

/* A whole record is five numbers. Of few of them every library takes all at once; ours would give each rank a part. */
static int part_of_a_record;
static void add_records(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    if (*count % 5) part_of_a_record++;
    for (int k = 0; k < *count; k++) ((double *)inout)[k] += ((double *)in)[k];
}

PROMISE(an_operation_of_the_program_gets_whole_records) {
    enum { NUMBERS = 500 };
    static double mine[NUMBERS], all[NUMBERS];
    MPI_Op op;
    MPI_Request request;
    for (int k = 0; k < NUMBERS; k++) mine[k] = rank + k;
    MPI_Op_create(add_records, 1, &op);
    for (int count = 5; count <= NUMBERS; count *= 10) {
        MPI_Allreduce(mine, all, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
        MPI_Reduce(mine, all, count, MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
        MPI_Iallreduce(mine, all, count, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(all[4] == ranks * 4 + ranks * (ranks - 1) / 2);
    }
    MPI_Op_free(&op);
    CHECK(part_of_a_record == 0);
}
