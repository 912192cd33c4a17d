/* Rank 0 sends, rank 1 receives, each as a compiler (include/stretto/abi.h), a programmer (stretto.h) or nobody would have it.
 *
 *     fed pairs SENDER RECEIVER    messages of many sizes; "N messages"
 *     fed NAME                     one promise */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/abi.h>
#include <stretto/stretto.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 7, ACK = 8, STRIP = 5000, LARGE = 300000 };

static int rank;
static MPI_Comm world;
static stretto_call sent = {.version = STRETTO_ABI_VERSION, .line = 214, .file = "solver.c", .function = "solve"};
static stretto_call received = {.version = STRETTO_ABI_VERSION, .line = 300, .file = "solver.c", .function = "use"};

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "rank %d: not so: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static char byte(int message, long k) {
    return (char)(k * 31 + k / 251 + message);
}
static void fill(char *a, long low, long high, int message) {
    for (long k = low; k < high; k++) a[k] = byte(message, k);
}
static void check(const char *a, long low, long high, int message) {
    for (long k = low; k < high; k++) require(a[k] == byte(message, k), "the bytes that were sent came");
}
static long least(long a, long b) {
    return a < b ? a : b;
}

/* --- senders ---- */

static void below(char *a, int n, int m) {
    stretto_handle h = stretto_send_begin(&sent, a, n, MPI_CHAR, 1, TAG, world);
    for (long k = 0; k < n; k += STRIP) fill(a, k, least(k + STRIP, n), m), stretto_ready_below(h, a, k + STRIP);
    stretto_send_end(h, &sent, a, n, MPI_CHAR, 1, TAG, world);
}
static void above(char *a, int n, int m) {
    stretto_handle h = stretto_send_begin(&sent, a, n, MPI_CHAR, 1, TAG, world);
    for (long k = n; k > 0; k -= STRIP) {
        fill(a, k > STRIP ? k - STRIP : 0, k, m);
        stretto_ready_above(h, a, k - STRIP);
    }
    stretto_send_end(h, &sent, a, n, MPI_CHAR, 1, TAG, world);
}
static void pieces(char *a, int n, int m) {
    stretto_handle h = stretto_send_begin(&sent, a, n, MPI_CHAR, 1, TAG, world);
    for (int odd = 1; odd >= 0; odd--)
        for (long k = odd * STRIP; k < n; k += 2 * STRIP)
            fill(a, k, least(k + STRIP, n), m), stretto_ready(h, a, k, k + STRIP);
    stretto_send_end(h, &sent, a, n, MPI_CHAR, 1, TAG, world);
}
static void isend(char *a, int n, int m) {
    MPI_Request request;
    stretto_handle h = stretto_send_begin(&sent, a, n, MPI_CHAR, 1, TAG, world);
    for (long k = 0; k < n; k += STRIP) fill(a, k, least(k + STRIP, n), m), stretto_ready_below(h, a, k + STRIP);
    stretto_isend_end(h, &sent, a, n, MPI_CHAR, 1, TAG, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void started(char *a, int n, int m) {
    MPI_Request request;
    MPI_Send_init(a, n, MPI_CHAR, 1, TAG, world, &request);
    stretto_handle h = stretto_start_begin(&sent, a, 1, &request);
    for (long k = 0; k < n; k += STRIP) fill(a, k, least(k + STRIP, n), m), stretto_ready_below(h, a, k + STRIP);
    stretto_start_end(h);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
static void send_annotated(char *a, int n, int m) {
    MPI_Request request;
    MPIX_Delta_send_begin(a, n, MPI_CHAR, 1, TAG, world, &request);
    for (long k = 0; k < n; k += STRIP) {
        fill(a, k, least(k + STRIP, n), m);
        MPIX_Delta_send_data(a + k, (size_t)(least(k + STRIP, n) - k));
    }
    MPIX_Delta_send_end(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void send_plain(char *a, int n, int m) {
    fill(a, 0, n, m);
    MPI_Send(a, n, MPI_CHAR, 1, TAG, world);
}
#ifndef MPI_ABI_VERSION
static void fortran(char *a, int n, int m) {
    const MPI_Fint type = MPI_Type_c2f(MPI_CHAR), comm = MPI_Comm_c2f(world), dest = 1, tag = TAG;
    MPI_Fint error = -1;
    stretto_handle h = stretto_send_begin_f(&sent, a, n, type, dest, tag, comm);
    for (long k = 0; k < n; k += STRIP) fill(a, k, least(k + STRIP, n), m), stretto_ready_below(h, a, k + STRIP);
    stretto_send_end_f(h, &sent, a, &n, &type, &dest, &tag, &comm, &error);
    require(error == MPI_SUCCESS, "the end says so");
}
#endif

/* --- receivers ---- */

static void expect(const MPI_Status *status, int n) {
    int count = -1;
    MPI_Get_count(status, MPI_CHAR, &count);
    require(count == n && status->MPI_SOURCE == 0 && status->MPI_TAG == TAG, "the status is the message's");
}
static void need_below(char *a, int n, int m) {
    MPI_Status status;
    stretto_handle h = stretto_recv_begin(&received, a, LARGE, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    for (long k = 0; k < n; k += STRIP) stretto_need_below(h, a, k + STRIP), check(a, k, least(k + STRIP, n), m);
    require(stretto_recv_end(h, &status) == MPI_SUCCESS, "the end says so");
    expect(&status, n);
}
static void need_above(char *a, int n, int m) {
    stretto_handle h = stretto_recv_begin(&received, a, n, MPI_CHAR, 0, TAG, world, MPI_STATUS_IGNORE);
    for (long k = n; k > 0; k -= STRIP) stretto_need_above(h, a, k - STRIP), check(a, k > STRIP ? k - STRIP : 0, k, m);
    stretto_recv_end(h, MPI_STATUS_IGNORE);
}
static void need_pieces(char *a, int n, int m) {
    MPI_Status status;
    stretto_handle h = stretto_recv_begin(&received, a, n, MPI_CHAR, 0, TAG, world, &status);
    for (int odd = 1; odd >= 0; odd--)
        for (long k = odd * STRIP; k < n; k += 2 * STRIP)
            stretto_need(h, a, k, k + STRIP), check(a, k, least(k + STRIP, n), m);
    stretto_recv_end(h, &status), expect(&status, n);
}
static void waited(char *a, int n, int m) {
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(a, LARGE, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
    stretto_handle h = stretto_wait_begin(&received, a, 1, &request);
    require(MPI_Wait(&request, &status) == MPI_SUCCESS, "the wait says so");
    require(request == MPI_REQUEST_NULL, "the request is completed");
    for (long k = 0; k < n; k += STRIP) stretto_need_below(h, a, k + STRIP), check(a, k, least(k + STRIP, n), m);
    require(stretto_recv_end(h, &status) == MPI_SUCCESS, "the end says so");
    expect(&status, n);
}
/* Among others, one of which has failed to be anything. */
static void waited_among_others(char *a, int n, int m) {
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];
    int token = 0;
    MPI_Irecv(&token, 1, MPI_INT, 0, ACK, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(a, n, MPI_CHAR, 0, TAG, world, &requests[2]);
    MPI_Send(&m, 1, MPI_INT, 0, ACK, MPI_COMM_SELF);
    require(stretto_wait_begin(&received, a + 1, 3, requests) == 0, "nothing comes there");
    stretto_handle h = stretto_wait_begin(&received, a, 3, requests);
    MPI_Waitall(3, requests, statuses);
    require(token == m, "the other has come");
    for (long k = n; k > 0; k -= STRIP) stretto_need_above(h, a, k - STRIP), check(a, k > STRIP ? k - STRIP : 0, k, m);
    require(stretto_recv_end(h, statuses) == MPI_SUCCESS, "the end says so");
    expect(&statuses[2], n);
}
static void waited_persistent(char *a, int n, int m) {
    MPI_Request request;
    MPI_Status status;
    MPI_Recv_init(a, n, MPI_CHAR, 0, TAG, world, &request);
    MPI_Start(&request);
    stretto_handle h = stretto_wait_begin(&received, a, 1, &request);
    MPI_Wait(&request, &status);
    for (long k = 0; k < n; k += STRIP) stretto_need_below(h, a, k + STRIP), check(a, k, least(k + STRIP, n), m);
    stretto_recv_end(h, &status);
    expect(&status, n);
    require(request != MPI_REQUEST_NULL, "it may be started again");
    MPI_Request_free(&request);
}
static void read_after_end(char *a, int n, int m) {
    MPI_Status status;
    stretto_recv_end(stretto_recv_begin(&received, a, n, MPI_CHAR, 0, TAG, world, &status), &status);
    expect(&status, n), check(a, 0, n, m);
}
static void recv_annotated(char *a, int n, int m) {
    MPIX_Delta_recv(a, n, MPI_CHAR, 0, TAG, world, MPI_STATUS_IGNORE);
    for (long k = 0; k < n; k += STRIP) {
        MPIX_Delta_wait_data(a + k, (size_t)(least(k + STRIP, n) - k));
        check(a, k, least(k + STRIP, n), m);
    }
    MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE);
}
static void recv_plain(char *a, int n, int m) {
    MPI_Recv(a, n, MPI_CHAR, 0, TAG, world, MPI_STATUS_IGNORE), check(a, 0, n, m);
}
#ifndef MPI_ABI_VERSION
static void recv_fortran(char *a, int n, int m) {
    const MPI_Fint type = MPI_Type_c2f(MPI_CHAR), comm = MPI_Comm_c2f(world), source = 0, tag = TAG;
    MPI_Fint error = -1, its_status[sizeof(MPI_Status)];
    MPI_Status status;
    stretto_handle h = stretto_recv_begin_f(&received, a, &n, &type, &source, &tag, &comm, its_status, &error);
    for (long k = 0; k < n; k += STRIP) stretto_need_below(h, a, k + STRIP), check(a, k, least(k + STRIP, n), m);
    require(error == MPI_SUCCESS, "the begin says so");
    stretto_recv_end_f(h, its_status);
    MPI_Status_f2c(its_status, &status), expect(&status, n);
}
static void waited_fortran(char *a, int n, int m) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL};
    enum { SIZE = sizeof(MPI_Status) / sizeof(MPI_Fint) };
    MPI_Fint its_requests[2], its_statuses[2 * SIZE];
    MPI_Status status;
    MPI_Irecv(a, n, MPI_CHAR, 0, TAG, world, &requests[1]);
    for (int k = 0; k < 2; k++) its_requests[k] = MPI_Request_c2f(requests[k]);
    stretto_handle h = stretto_wait_begin_f(&received, a, 2, its_requests);
    for (int k = 0; k < 2; k++) { /* MPI_Waitall */
        requests[k] = MPI_Request_f2c(its_requests[k]);
        MPI_Wait(&requests[k], &status), MPI_Status_c2f(&status, its_statuses + k * SIZE);
    }
    for (long k = 0; k < n; k += STRIP) stretto_need_below(h, a, k + STRIP), check(a, k, least(k + STRIP, n), m);
    stretto_recv_end_f(h, its_statuses);
    MPI_Status_f2c(its_statuses + SIZE, &status), expect(&status, n);
}
#endif

struct way {
    const char *name;
    void (*pass)(char *, int, int);
};
static const struct way senders[] = {
    {"below", below},      {"above", above},     {"pieces", pieces},
    {"isend", isend},      {"started", started}, {"annotated", send_annotated},
    {"plain", send_plain},
#ifndef MPI_ABI_VERSION
    {"fortran", fortran},
#endif
    {NULL, NULL},
};
static const struct way receivers[] = {
    {"below", need_below},
    {"above", need_above},
    {"pieces", need_pieces},
    {"at_end", read_after_end},
    {"waited", waited},
    {"among_others", waited_among_others},
    {"persistent", waited_persistent},
    {"annotated", recv_annotated},
    {"plain", recv_plain},
#ifndef MPI_ABI_VERSION
    {"fortran", recv_fortran},
    {"waited_fortran", waited_fortran},
#endif
    {NULL, NULL},
};

static const struct way *find(const struct way *ways, const char *name) {
    while (ways->name && strcmp(ways->name, name)) ways++;
    require(ways->name != NULL, name);
    return ways;
}

static void pairs(char *a, const char *sender, const char *receiver) {
    static const int sizes[] = {0, 100, 4999, 20000, 65536, 131072, LARGE};
    int messages = 0;
    for (int turn = 0; turn < 3; turn++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++, messages++) {
            if (rank == 0) find(senders, sender)->pass(a, sizes[k], messages);
            if (rank == 1) find(receivers, receiver)->pass(a, sizes[k], messages);
        }
    if (rank == 1) printf("%d messages\n", messages);
}

/* --- one promise each ---- */

/* Those that start early and MPI's own take turns. */
static void tried(char *a) {
    enum { MANY = 300, BYTES = 65536 };
    for (int m = 0; m < MANY; m++) rank == 0 ? below(a, BYTES, m) : recv_plain(a, BYTES, m);
}

/* The other half is not computed before the receiver has read this one. */
static void half_leaves_before_the_rest_is_there(char *a, int waits) {
    int token = 0;
    if (rank == 0) {
        stretto_handle h = stretto_send_begin(&sent, a, LARGE, MPI_CHAR, 1, TAG, world);
        fill(a, 0, LARGE / 2, 1), stretto_ready_below(h, a, LARGE / 8);
        usleep(50000); /* the receiver begins to wait for more */
        stretto_ready_below(h, a, LARGE / 2);
        MPI_Recv(&token, 1, MPI_INT, 1, ACK, world, MPI_STATUS_IGNORE);
        fill(a, LARGE / 2, LARGE, 1);
        stretto_send_end(h, &sent, a, LARGE, MPI_CHAR, 1, TAG, world);
    } else {
        MPI_Request request = MPI_REQUEST_NULL;
        if (waits) MPI_Irecv(a, LARGE, MPI_CHAR, 0, TAG, world, &request);
        stretto_handle h = waits ? stretto_wait_begin(&received, a, 1, &request)
                                 : stretto_recv_begin(&received, a, LARGE, MPI_CHAR, 0, TAG, world, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        stretto_need_below(h, a, LARGE / 4), check(a, 0, LARGE / 4, 1);
        MPI_Send(&token, 1, MPI_INT, 0, ACK, world);
        stretto_recv_end(h, MPI_STATUS_IGNORE), check(a, 0, LARGE, 1);
    }
}

static void writes_again(char *a, unsigned flags, int ok, const char *other) {
    if (rank == 1) {
        MPI_Recv(a, LARGE, MPI_CHAR, 0, TAG, world, MPI_STATUS_IGNORE);
        if (!flags) check(a, 0, LARGE, 2);
        return;
    }
    sent.flags = flags;
    stretto_handle h = stretto_send_begin(&sent, a, LARGE, MPI_CHAR, 1, TAG, world);
    if (other) stretto_hold_if_overlap(h, a, other, other + 100);
    stretto_hold_unless(h, a, ok);
    fill(a, 0, LARGE, 1), stretto_ready_below(h, a, LARGE);
    fill(a, 0, LARGE, 2);
    stretto_send_end(h, &sent, a, LARGE, MPI_CHAR, 1, TAG, world);
}

static void second_to_the_same_place_is_plain(char *a) {
    if (rank == 1) {
        recv_plain(a, LARGE, 1), recv_plain(a, LARGE, 2);
        MPI_Recv(a, LARGE, MPI_CHAR, 0, TAG + 1, world, MPI_STATUS_IGNORE), check(a, 0, LARGE, 2);
        return;
    }
    char *b = malloc(LARGE);
    stretto_handle h = stretto_send_begin(&sent, a, LARGE, MPI_CHAR, 1, TAG, world);
    stretto_handle i = stretto_send_begin(&sent, b, LARGE, MPI_CHAR, 1, TAG, world);
    stretto_handle j = stretto_send_begin(&sent, b, LARGE, MPI_CHAR, 1, TAG + 1, world);
    require(h != 0 && i == 0 && j != 0, "only the one to the same place is");
    fill(b, 0, LARGE, 2), stretto_ready_below(i, b, LARGE), stretto_ready_below(j, b, LARGE);
    fill(a, 0, LARGE, 1), stretto_ready_below(h, a, LARGE);
    stretto_send_end(h, &sent, a, LARGE, MPI_CHAR, 1, TAG, world);
    stretto_send_end(i, &sent, b, LARGE, MPI_CHAR, 1, TAG, world);
    MPI_Request request;
    stretto_isend_end(j, &sent, b, LARGE, MPI_CHAR, 1, TAG + 1, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(b);
}

// Of those that are started together the first goes first, whichever is filled first.
static void started_in_the_order_of_their_requests(char *a) {
    if (rank == 1) {
        for (int round = 0; round < 2; round++) recv_plain(a, LARGE, 1), recv_plain(a, LARGE, 2);
        return;
    }
    char *b = malloc(LARGE);
    MPI_Request requests[2];
    MPI_Send_init(a, LARGE, MPI_CHAR, 1, TAG, world, &requests[0]);
    MPI_Send_init(b, LARGE, MPI_CHAR, 1, TAG, world, &requests[1]);
    for (int round = 0; round < 2; round++) {
        stretto_handle second = round ? 0 : stretto_start_begin(&sent, b, 2, requests);
        require(second == 0, "it would pass the first one");
        stretto_handle first = stretto_start_begin(&sent, a, 2, requests);
        require(first != 0 && stretto_start_begin(&sent, a, 2, requests) == 0, "it begins once");
        fill(b, 0, LARGE, 2), fill(a, 0, LARGE, 1), stretto_ready_below(first, a, LARGE);
        stretto_start_end(first);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]), MPI_Request_free(&requests[1]);
    free(b);
}

static struct part {
    stretto_handle handle;
    char *a;
    long begin;
} parts[4];
static void *say(void *which) {
    const struct part *part = which;
    for (long k = part->begin; k < LARGE; k += 4 * STRIP)
        fill(part->a, k, least(k + STRIP, LARGE), 1), stretto_ready(part->handle, part->a, k, k + STRIP);
    return NULL;
}
static void threads_say_their_parts(char *a) {
    if (rank == 1) {
        recv_plain(a, LARGE, 1);
        return;
    }
    pthread_t threads[3];
    stretto_handle h = stretto_send_begin(&sent, a, LARGE, MPI_CHAR, 1, TAG, world);
    for (int k = 0; k < 4; k++) parts[k] = (struct part){h, a, (k + 1L) * STRIP};
    parts[3].begin = 0;
    for (int k = 0; k < 3; k++) pthread_create(&threads[k], NULL, say, &parts[k]);
    say(&parts[3]);
    for (int k = 0; k < 3; k++) pthread_join(threads[k], NULL);
    stretto_send_end(h, &sent, a, LARGE, MPI_CHAR, 1, TAG, world);
}

static void errors_are_mpis(char *a) {
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Request none;
    require(stretto_irecv(a, -1, MPI_CHAR, 0, TAG, world, &none) != MPI_SUCCESS, "a wrong count is an error");
    require(none == MPI_REQUEST_NULL, "there is nothing to wait for then");
    const int nowhere = 99;
    int class = MPI_SUCCESS;
    stretto_handle h = stretto_send_begin(&sent, a, LARGE, MPI_CHAR, nowhere, TAG, world);
    require(h == 0, "to nobody it is not begun");
    MPI_Error_class(stretto_send_end(h, &sent, a, LARGE, MPI_CHAR, nowhere, TAG, world), &class);
    require(class == MPI_ERR_RANK, "the end says what is wrong");
    if (rank == 0) below(a, LARGE, 1), below(a, LARGE, 2);
    if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(a, 30000, MPI_CHAR, 0, TAG, world, &request);
        h = stretto_wait_begin(&received, a, 1, &request);
        require(h == 0, "what has failed is left to the wait");
        MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
        require(class == MPI_ERR_TRUNCATE, "which says so");
        MPI_Status status;
        h = stretto_recv_begin(&received, a, 30000, MPI_CHAR, 0, TAG, world, &status);
        MPI_Error_class(stretto_recv_error(h), &class);
        require(class == MPI_ERR_TRUNCATE, "a message that is too long is an error, known after the begin");
        MPI_Error_class(stretto_recv_end(h, &status), &class);
        require(class == MPI_ERR_TRUNCATE, "a message that is too long is an error");
    }
}

static void of_a_later_version(char *a) {
    sent.version = received.version = STRETTO_ABI_VERSION + 1;
    require(stretto_send_begin(&sent, a, LARGE, MPI_CHAR, 1 - rank, TAG, world) == 0, "it is plain");
    if (rank == 0) below(a, LARGE, 1);
    if (rank == 1) need_below(a, LARGE, 1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(world, &rank);
    char *a = malloc(LARGE);
    const char *name = argv[1];
    if (!strcmp(name, "pairs")) pairs(a, argv[2], argv[3]);
    if (!strcmp(name, "tried")) tried(a);
    if (!strcmp(name, "half")) half_leaves_before_the_rest_is_there(a, 0);
    if (!strcmp(name, "half_waited")) half_leaves_before_the_rest_is_there(a, 1);
    if (!strcmp(name, "held")) writes_again(a, 0, 0, NULL);
    if (!strcmp(name, "overlaps")) writes_again(a, 0, 1, a + LARGE - 1);
    if (!strcmp(name, "checked")) writes_again(a, STRETTO_CALL_CHECKED, 1, a + LARGE);
    if (!strcmp(name, "same_place")) second_to_the_same_place_is_plain(a);
    if (!strcmp(name, "in_order")) started_in_the_order_of_their_requests(a);
    if (!strcmp(name, "threads")) threads_say_their_parts(a);
    if (!strcmp(name, "errors")) errors_are_mpis(a);
    if (!strcmp(name, "later")) of_a_later_version(a);
    if (!strcmp(name, "unended") && rank == 0) stretto_send_begin(&sent, a, LARGE, MPI_CHAR, 1, TAG, world);
    MPI_Finalize();
    return 0;
}
