/* Every kind of send against every kind of receive, in both orders of posting, in and out of wildcards, at sizes on both sides of every
 * border of the protocol. Rank 0 sends, rank 1 receives.
 *
 *     interoperability [SEND [RECEIVE]]      only that row, or that cell
 *
 * Prints the table of failed messages per cell when there are any. */
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <unistd.h>

static const int sizes[] = {0, 95, 96, 97, 4031, 4032, 4033, 20000, 70000, 300000};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 300000, GUARD = 64, TAG = 5, PIECE = 3000 };

static int rank;
static MPI_Comm data, control; /* of their own, so that a wildcard meets nothing else */
static unsigned char *out, *in;

static unsigned char byte_of(unsigned message, int at) {
    unsigned x = message * 2654435761u + (unsigned)at * 40503u;
    x ^= x >> 15;
    return (unsigned char)(x * 2246822519u >> 24);
}

static void token(int from) {
    if (rank == from)
        MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 0, control);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 0, control, MPI_STATUS_IGNORE);
}

/* ---- sends: post may return an active request (then the message is on its way), or block until it is buffered or matched. */
static void post_send(int bytes, MPI_Request *r) {
    MPI_Send(out, bytes, MPI_BYTE, 1, TAG, data), *r = MPI_REQUEST_NULL;
}
static void post_ssend(int bytes, MPI_Request *r) {
    MPI_Ssend(out, bytes, MPI_BYTE, 1, TAG, data), *r = MPI_REQUEST_NULL;
}
static void post_bsend(int bytes, MPI_Request *r) {
    MPI_Bsend(out, bytes, MPI_BYTE, 1, TAG, data), *r = MPI_REQUEST_NULL;
}
static void post_rsend(int bytes, MPI_Request *r) {
    MPI_Rsend(out, bytes, MPI_BYTE, 1, TAG, data), *r = MPI_REQUEST_NULL;
}
static void post_sendrecv(int bytes, MPI_Request *r) {
    MPI_Sendrecv(out, bytes, MPI_BYTE, 1, TAG, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, data, MPI_STATUS_IGNORE);
    *r = MPI_REQUEST_NULL;
}
static void post_isend(int bytes, MPI_Request *r) {
    MPI_Isend(out, bytes, MPI_BYTE, 1, TAG, data, r);
}
static void post_issend(int bytes, MPI_Request *r) {
    MPI_Issend(out, bytes, MPI_BYTE, 1, TAG, data, r);
}
static void post_ibsend(int bytes, MPI_Request *r) {
    MPI_Ibsend(out, bytes, MPI_BYTE, 1, TAG, data, r);
}
static void post_irsend(int bytes, MPI_Request *r) {
    MPI_Irsend(out, bytes, MPI_BYTE, 1, TAG, data, r);
}
static void post_send_init(int bytes, MPI_Request *r) {
    MPI_Send_init(out, bytes, MPI_BYTE, 1, TAG, data, r);
    MPI_Start(r);
}
static void post_ssend_init(int bytes, MPI_Request *r) {
    MPI_Ssend_init(out, bytes, MPI_BYTE, 1, TAG, data, r);
    MPI_Start(r);
}
static void post_bsend_init(int bytes, MPI_Request *r) {
    MPI_Bsend_init(out, bytes, MPI_BYTE, 1, TAG, data, r);
    MPI_Start(r);
}
static void post_rsend_init(int bytes, MPI_Request *r) {
    MPI_Rsend_init(out, bytes, MPI_BYTE, 1, TAG, data, r);
    MPI_Startall(1, r);
}
static void declare(int bytes) {
    for (int at = 0; at < bytes; at += PIECE) MPIX_Delta_send_data(out + at, at + PIECE < bytes ? PIECE : bytes - at);
}
static void post_delta(int bytes, MPI_Request *r) {
    MPIX_Delta_send_begin(out, bytes, MPI_BYTE, 1, TAG, data, r);
    declare(bytes);
    MPIX_Delta_send_end(r);
}
static void post_delta_variable(int bytes, MPI_Request *r) {
    MPIX_Delta_send_begin(out, LARGEST, MPI_BYTE, 1, TAG, data, r);
    declare(bytes);
    MPIX_Delta_send_end_count(bytes, r);
}
static void post_delta_silent(int bytes, MPI_Request *r) {
    MPIX_Delta_send_begin(out, bytes, MPI_BYTE, 1, TAG, data, r);
    MPIX_Delta_send_end(r);
}

static const struct {
    const char *name;
    void (*post)(int bytes, MPI_Request *request);
    char blocks, ready, persistent, variable;
} sends[] = {
    {"Send", post_send, 1, 0, 0, 0},
    {"Ssend", post_ssend, 1, 0, 0, 0},
    {"Bsend", post_bsend, 0, 0, 0, 0},
    {"Rsend", post_rsend, 1, 1, 0, 0},
    {"Sendrecv", post_sendrecv, 1, 0, 0, 0},
    {"Isend", post_isend, 0, 0, 0, 0},
    {"Issend", post_issend, 0, 0, 0, 0},
    {"Ibsend", post_ibsend, 0, 0, 0, 0},
    {"Irsend", post_irsend, 0, 1, 0, 0},
    {"Send_init", post_send_init, 0, 0, 1, 0},
    {"Ssend_init", post_ssend_init, 0, 0, 1, 0},
    {"Bsend_init", post_bsend_init, 0, 0, 1, 0},
    {"Rsend_init", post_rsend_init, 0, 1, 1, 0},
    {"delta", post_delta, 0, 0, 0, 0},
    {"delta-variable", post_delta_variable, 0, 0, 0, 1},
    {"delta-silent", post_delta_silent, 0, 0, 0, 0},
};

/* ---- receives: start what can be posted early, then finish. The rest is done in finish. */
static int source, tag;
static MPI_Request request[3];
static MPI_Status status[3];

static void irecv(void) {
    request[0] = request[2] = MPI_REQUEST_NULL;
    MPI_Irecv(in, LARGEST, MPI_BYTE, source, tag, data, &request[1]);
}
static void finish_recv(int bytes) {
    (void)bytes, MPI_Recv(in, LARGEST, MPI_BYTE, source, tag, data, &status[1]);
}
static void finish_wait(int bytes) {
    (void)bytes, MPI_Wait(&request[1], &status[1]);
}
static void finish_test(int bytes) {
    int flag = 0;
    (void)bytes;
    while (!flag) MPI_Test(&request[1], &flag, &status[1]);
}
static void finish_waitall(int bytes) {
    (void)bytes, MPI_Waitall(3, request, status);
}
static void finish_waitany(int bytes) {
    int at;
    (void)bytes, MPI_Waitany(3, request, &at, &status[1]);
}
static void finish_waitsome(int bytes) {
    int n, at[3];
    MPI_Status some[3];
    (void)bytes, MPI_Waitsome(3, request, &n, at, some), status[1] = some[0];
}
static void finish_testall(int bytes) {
    int flag = 0;
    (void)bytes;
    while (!flag) MPI_Testall(3, request, &flag, status);
}
static void finish_testany(int bytes) {
    int flag = 0, at;
    (void)bytes;
    while (!flag) MPI_Testany(3, request, &at, &flag, &status[1]);
}
static void finish_testsome(int bytes) {
    int n = 0, at[3];
    MPI_Status some[3];
    (void)bytes;
    while (n == 0) MPI_Testsome(3, request, &n, at, some);
    status[1] = some[0];
}
static void finish_get_status(int bytes) {
    int flag = 0;
    (void)bytes;
    while (!flag) MPI_Request_get_status(request[1], &flag, &status[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}
static void recv_init(void) {
    MPI_Recv_init(in, LARGEST, MPI_BYTE, source, tag, data, &request[1]);
    MPI_Start(&request[1]);
}
static void finish_persistent(int bytes) {
    (void)bytes;
    MPI_Wait(&request[1], &status[1]);
    MPI_Request_free(&request[1]);
}
static void finish_mrecv(int bytes) {
    MPI_Message message;
    (void)bytes;
    MPI_Mprobe(source, tag, data, &message, &status[1]);
    MPI_Mrecv(in, LARGEST, MPI_BYTE, &message, &status[1]);
}
static void finish_imrecv(int bytes) {
    MPI_Message message;
    int flag = 0;
    (void)bytes;
    while (!flag) MPI_Improbe(source, tag, data, &flag, &message, &status[1]);
    MPI_Imrecv(in, LARGEST, MPI_BYTE, &message, &request[1]);
    MPI_Wait(&request[1], &status[1]);
}
static void finish_sendrecv(int bytes) {
    (void)bytes;
    MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, in, LARGEST, MPI_BYTE, source, tag, data, &status[1]);
}
static void finish_probe_recv(int bytes) {
    int count;
    (void)bytes;
    MPI_Probe(source, tag, data, &status[0]);
    MPI_Get_count(&status[0], MPI_BYTE, &count);
    MPI_Recv(in, count, MPI_BYTE, status[0].MPI_SOURCE, status[0].MPI_TAG, data, &status[1]);
}
static void finish_iprobe_irecv(int bytes) {
    int flag = 0;
    (void)bytes;
    while (!flag) MPI_Iprobe(source, tag, data, &flag, &status[0]);
    irecv();
    MPI_Wait(&request[1], &status[1]);
}
static int good_so_far = 1;
static unsigned message;
static void finish_delta(int bytes) {
    MPIX_Delta_recv(in, LARGEST, MPI_BYTE, source, tag, data, MPI_STATUS_IGNORE);
    for (int end = bytes; end > 0; end -= PIECE) { /* from behind */
        int begin = end > PIECE ? end - PIECE : 0;
        MPIX_Delta_wait_data(in + begin, end - begin);
        for (int i = begin; i < end; i++) good_so_far &= in[i] == byte_of(message, i);
    }
    MPIX_Delta_recv_end(in, &status[1]);
}
static void finish_delta_end(int bytes) {
    (void)bytes;
    MPIX_Delta_recv(in, LARGEST, MPI_BYTE, source, tag, data, MPI_STATUS_IGNORE);
    MPIX_Delta_recv_end(in, &status[1]);
}

static const struct {
    const char *name;
    void (*start)(void);
    void (*finish)(int bytes);
} receives[] = {
    {"Recv", NULL, finish_recv},
    {"Wait", irecv, finish_wait},
    {"Test", irecv, finish_test},
    {"Waitall", irecv, finish_waitall},
    {"Waitany", irecv, finish_waitany},
    {"Waitsome", irecv, finish_waitsome},
    {"Testall", irecv, finish_testall},
    {"Testany", irecv, finish_testany},
    {"Testsome", irecv, finish_testsome},
    {"get_status", irecv, finish_get_status},
    {"Recv_init", recv_init, finish_persistent},
    {"Mrecv", NULL, finish_mrecv},
    {"Imrecv", NULL, finish_imrecv},
    {"Sendrecv", NULL, finish_sendrecv},
    {"Probe+Recv", NULL, finish_probe_recv},
    {"Iprobe+Irecv", NULL, finish_iprobe_irecv},
    {"delta", NULL, finish_delta},
    {"delta-end", NULL, finish_delta_end},
};
enum { SENDS = sizeof sends / sizeof *sends, RECEIVES = sizeof receives / sizeof *receives };

static int failed[SENDS][RECEIVES], all_failed, messages;

/* One message. receive_first: it is posted before the send begins (or, where it cannot be, entered about then). */
static void one(int s, int r, int receive_first, int wild, int bytes) {
    message++;
    if (rank == 0) {
        MPI_Request mine;
        for (int i = 0; i < bytes; i++) out[i] = byte_of(message, i);
        if (receive_first) token(1);
        if (!receive_first && sends[s].blocks) token(0);
        sends[s].post(bytes, &mine);
        if (!receive_first && !sends[s].blocks) token(0);
        MPI_Wait(&mine, MPI_STATUS_IGNORE);
        if (sends[s].persistent) MPI_Request_free(&mine);
        memset(out, 0, bytes);
        token(1); /* buffered sends may not pile up */
        return;
    }
    source = wild & 1 ? MPI_ANY_SOURCE : 0, tag = wild & 2 ? MPI_ANY_TAG : TAG;
    memset(in, 0xEE, bytes + 4096);
    good_so_far = 1;
    if (!receive_first) {
        token(0);
        if (sends[s].blocks && message % 4 == 0) usleep(100);
    }
    if (receives[r].start) receives[r].start();
    if (receive_first) token(1);
    receives[r].finish(bytes);
    token(1);
    int count = -1, right = 1, beyond = 1;
    MPI_Get_count(&status[1], MPI_BYTE, &count);
    for (int i = 0; i < bytes; i++) right &= in[i] == byte_of(message, i);
    /* a variable delta message may touch as much as a first fragment has (rule 10) */
    for (int i = sends[s].variable ? 4032 : 0; i < GUARD + (sends[s].variable ? 4032 : 0); i++)
        if (i >= bytes) beyond &= in[i] == 0xEE;
    for (int i = bytes; !sends[s].variable && i < bytes + GUARD; i++) beyond &= in[i] == 0xEE;
    int enveloped = status[1].MPI_SOURCE == 0 && status[1].MPI_TAG == TAG && count == bytes;
    messages++;
    if (right && beyond && enveloped && good_so_far) return;
    failed[s][r]++;
    if (all_failed++ < 40)
        printf("failed: %s to %s, %d bytes, %s first, wildcards %d:%s%s%s%s (source %d tag %d count %d)\n",
               sends[s].name, receives[r].name, bytes, receive_first ? "receive" : "send", wild,
               right ? "" : " wrong data", beyond ? "" : " written beyond", enveloped ? "" : " wrong status",
               good_so_far ? "" : " wait_data too early", status[1].MPI_SOURCE, status[1].MPI_TAG, count);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &data);
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    out = calloc(LARGEST + 8192, 1), in = calloc(LARGEST + 8192, 1);
    int room = 4 * (LARGEST + MPI_BSEND_OVERHEAD);
    void *attached = malloc(room);
    MPI_Buffer_attach(attached, room);
    for (int s = 0; s < SENDS; s++)
        for (int r = 0; r < RECEIVES; r++) {
            if ((argc > 1 && strcmp(argv[1], sends[s].name)) || (argc > 2 && strcmp(argv[2], receives[r].name)))
                continue;
            if (rank == 1) printf("at %s to %s\n", sends[s].name, receives[r].name), fflush(stdout);
            for (int first = 0; first < 2; first++)
                for (int wild = 0; wild < 4; wild++)
                    for (int i = 0; i < SIZES; i++) {
                        if (sends[s].ready && (!first || !receives[r].start)) continue;
                        one(s, r, first, wild, sizes[i]);
                    }
        }
    MPI_Buffer_detach(&attached, &room);
    if (rank == 1) {
        if (all_failed) {
            printf("%-15s", "");
            for (int r = 0; r < RECEIVES; r++) printf(" %6.6s", receives[r].name);
            for (int s = 0; s < SENDS; s++) {
                printf("\n%-15s", sends[s].name);
                for (int r = 0; r < RECEIVES; r++) printf(" %6d", failed[s][r]);
            }
            puts("");
        }
        printf("messages %d failed %d\n", messages, all_failed);
    }
    MPI_Comm_free(&data);
    MPI_Comm_free(&control);
    MPI_Finalize();
    return all_failed > 0;
}
