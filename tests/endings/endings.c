/* How a job ends: MPI_Finalize with messages still under way, communicators left open, a rank that dies.
 *
 *     endings NAME      prints "ok" on every rank that came through */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <unistd.h>

enum { N = 300000 };
static unsigned char buffer[N], other[N];
static int rank, ranks;

static void fill(unsigned char *at, int what) {
    for (int i = 0; i < N; i++) at[i] = (unsigned char)(i * 7 + i / 251 + what);
}
static void check(const unsigned char *at, int what) {
    for (int i = 0; i < N; i++)
        if (at[i] != (unsigned char)(i * 7 + i / 251 + what)) {
            printf("rank %d: byte %d is wrong\n", rank, i);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
}
static void receive_late(int what) {
    usleep(200000);
    MPI_Recv(other, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(other, what);
}

static void a_send_then_finalize(void) {
    if (rank == 0) fill(buffer, 1), MPI_Send(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) receive_late(1);
}
static void a_freed_send_then_finalize(void) {
    MPI_Request request;
    if (rank == 0) {
        fill(buffer, 2);
        MPI_Isend(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    if (rank == 1) receive_late(2);
}
static void a_delta_send_then_finalize(void) {
    MPI_Request request;
    if (rank == 0) {
        MPIX_Delta_send_begin(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        fill(buffer, 3);
        MPIX_Delta_send_data(buffer, N / 2);
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) receive_late(3);
}
static void a_freed_delta_send_then_finalize(void) {
    MPI_Request request;
    if (rank == 0) {
        MPIX_Delta_send_begin(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        fill(buffer, 4);
        MPIX_Delta_send_end(&request);
        MPI_Request_free(&request);
    }
    if (rank == 1) receive_late(4);
}
static void many_sends_then_finalize(void) {
    if (rank == 0)
        for (int i = 0; i < 20; i++) fill(buffer, i), MPI_Send(buffer, 3900 + i, MPI_BYTE, 1, i, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Status status;
        int bytes;
        usleep(200000);
        for (int i = 19; i >= 0; i--) {
            MPI_Probe(0, i, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            MPI_Recv(other, N, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (bytes != 3900 + i || other[1] != (unsigned char)(7 + i)) MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
}
/* A wrong program that works today: what was buffered is dropped. */
static void a_message_never_received_then_finalize(void) {
    if (rank == 0) MPI_Send(buffer, 3800, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
}
/* It may stay uncompleted: MPI libraries, too, cancel no send that waits for its receiver. */
static void a_cancelled_send_never_received_then_finalize(void) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
    }
}
/* No cancel need have an effect. */
static void a_cancelled_send_received_late_then_finalize(void) {
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0, flag = 0;
    double begin = MPI_Wtime();
    if (rank == 0) {
        fill(buffer, 5);
        MPI_Isend(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        while (!flag && MPI_Wtime() - begin < 0.1) MPI_Test(&request, &flag, &status);
        if (flag) MPI_Test_cancelled(&status, &cancelled);
        MPI_Send(&cancelled, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        if (!flag) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        MPI_Recv(&cancelled, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!cancelled) receive_late(5);
    }
}
static void everybody_at_once_then_finalize(void) {
    MPI_Request request[32];
    unsigned char *all = malloc((size_t)ranks * N);
    fill(buffer, rank);
    for (int r = 0; r < ranks; r++) MPI_Irecv(all + (size_t)r * N, N, MPI_BYTE, r, 1, MPI_COMM_WORLD, &request[r]);
    for (int r = 0; r < ranks; r++) MPI_Isend(buffer, N, MPI_BYTE, r, 1, MPI_COMM_WORLD, &request[ranks + r]);
    MPI_Waitall(2 * ranks, request, MPI_STATUSES_IGNORE);
    for (int r = 0; r < ranks; r++) check(all + (size_t)r * N, r);
}
/* The library of the receiver answers large messages one by one, for which a sender that computes has room for few: many answers are
 * still to come when all that either program asked for is done. */
static void deltas_whose_sender_computes_then_finalize(void) {
    const size_t bytes = 24 << 20;
    unsigned char *all = calloc(bytes, 1);
    if (rank == 0)
        for (int r = 1; r < ranks; r++) {
            MPI_Recv(all, (int)bytes, MPI_BYTE, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (all[0] != r || all[bytes - 1] != r) MPI_Abort(MPI_COMM_WORLD, 3);
        }
    else {
        MPI_Request request;
        MPIX_Delta_send_begin(all, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        memset(all, rank, bytes);
        MPIX_Delta_send_end(&request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        usleep(300000);
    }
}
static void communicators_left_open(void) {
    MPI_Comm comm[3];
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        if (rank == 0) fill(buffer, i), MPI_Send(buffer, N, MPI_BYTE, 1, 1, comm[i]);
        if (rank == 1) MPI_Recv(other, N, MPI_BYTE, 0, 1, comm[i], MPI_STATUS_IGNORE), check(other, i);
    }
}
static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *extra) {
    (void)comm, (void)keyval, (void)extra;
    int me = *(int *)value;
    fill(buffer, me);
    MPI_Sendrecv(buffer, N, MPI_BYTE, 0, 1, other, N, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    check(other, me);
    puts("deleted");
    return MPI_SUCCESS;
}
/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF: a user's callback may still send. */
static void a_callback_in_finalize_sends(void) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &rank);
}
static void a_rank_dies_in_a_delta_message(void) {
    MPI_Request request;
    if (rank == 0) {
        MPIX_Delta_send_begin(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPIX_Delta_send_data(buffer, N / 2);
        MPI_Recv(other, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        raise(SIGKILL);
    }
    if (rank == 1) {
        MPI_Send(other, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(other, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
static void abort_in_a_delta_message(void) {
    MPI_Request request;
    if (rank == 0) {
        MPIX_Delta_send_begin(buffer, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPIX_Delta_send_data(buffer, N / 2);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    if (rank == 1) MPI_Recv(other, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Its peer sends no more. Whole pages, as the edges of others come before the receive returns. */
static void abort_beside_what_never_comes(void) {
    enum { BYTES = 64 * 4096 };
    static unsigned char whole[BYTES] __attribute__((aligned(4096)));
    MPI_Request request;
    if (rank == 0) {
        MPIX_Delta_send_begin(whole, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        MPIX_Delta_send_data(whole, BYTES / 2);
        for (;;) pause();
    }
    MPIX_Delta_recv(whole, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Abort(MPI_COMM_WORLD, 5);
}

#define ENDING(name) \
    { #name, name }
static const struct {
    const char *name;
    void (*body)(void);
} endings[] = {
    ENDING(a_send_then_finalize),
    ENDING(a_freed_send_then_finalize),
    ENDING(a_delta_send_then_finalize),
    ENDING(a_freed_delta_send_then_finalize),
    ENDING(many_sends_then_finalize),
    ENDING(a_message_never_received_then_finalize),
    ENDING(a_cancelled_send_never_received_then_finalize),
    ENDING(a_cancelled_send_received_late_then_finalize),
    ENDING(everybody_at_once_then_finalize),
    ENDING(deltas_whose_sender_computes_then_finalize),
    ENDING(communicators_left_open),
    ENDING(a_callback_in_finalize_sends),
    ENDING(a_rank_dies_in_a_delta_message),
    ENDING(abort_in_a_delta_message),
    ENDING(abort_beside_what_never_comes),
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (argc > 1 && strcmp(argv[1], endings[i].name) == 0) endings[i].body();
    MPI_Finalize();
    puts("ok");
    return 0;
}
