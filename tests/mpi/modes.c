/* The send modes: synchronous ones wait for the match, buffered ones for nothing, ready ones find their receive posted. */
#include "promise.h"
#include <stdint.h>

static int completes_within(MPI_Request *request, double seconds) {
    int flag = 0;
    double begin = MPI_Wtime();
    while (!flag && MPI_Wtime() - begin < seconds) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

PROMISE(a_synchronous_send_completes_only_when_matched) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request request;
            fill(out, sizes[i], i);
            MPI_Issend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            CHECK(!completes_within(&request, 0.003));
            tell(1);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            fill(out, sizes[i], i + 100);
            MPI_Ssend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        }
        if (rank == 1) {
            MPI_Status status;
            hear(0);
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i));
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i + 100));
        }
    }
}

/* Hole 8. The sizes of a first fragment, 96 and 4032, are the protocol's open point and left out. */
PROMISE(a_probe_does_not_complete_a_synchronous_send) {
    static const int some[] = {0, 95, 97, 4033, 20000, 70000, 300000};
    for (int i = 0; i < 7; i++) {
        if (rank == 0) {
            MPI_Request request;
            fill(out, some[i], i);
            MPI_Issend(out, some[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            hear(1); /* it was probed */
            CHECK(!completes_within(&request, 0.003));
            tell(1);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Status status;
            MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, some[i]));
            tell(0);
            hear(0);
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, some[i]) && holds(in, some[i], i));
        }
    }
}

/* Hole 16: the attached buffer is sized for the messages, by MPI's own rule. */
PROMISE(buffered_sends_fit_the_buffer_that_mpi_asks_for) {
    int room = 0;
    for (int i = 0; i < SIZES; i++) {
        int packed = 0;
        MPI_Pack_size(sizes[i], MPI_BYTE, MPI_COMM_WORLD, &packed);
        room += packed + MPI_BSEND_OVERHEAD;
    }
    if (rank == 0) {
        void *attached = malloc(room);
        int size = 0;
        MPI_Buffer_attach(attached, room);
        for (int i = 0; i < SIZES; i++) {
            fill(out, sizes[i], i);
            if (i % 2)
                MPI_Bsend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            else {
                MPI_Request request;
                MPI_Ibsend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            memset(out, 0, sizes[i]); /* a buffered send has its copy */
        }
        tell(1);
        MPI_Buffer_detach(&attached, &size);
        CHECK(size == room);
        free(attached);
    }
    if (rank == 1) {
        hear(0);
        for (int i = 0; i < SIZES; i++) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i));
        }
    }
}

PROMISE(buffered_sends_head_to_head_do_not_block) {
    if (rank < 2) {
        int room = LARGEST + MPI_BSEND_OVERHEAD, size = 0;
        void *attached = malloc(room);
        MPI_Status status;
        MPI_Buffer_attach(attached, room);
        fill(out, LARGEST, rank);
        MPI_Bsend(out, LARGEST, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Recv(in, LARGEST, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 1 - rank, 1, LARGEST) && holds(in, LARGEST, 1 - rank));
        MPI_Buffer_detach(&attached, &size);
        free(attached);
    }
}

PROMISE(a_ready_send_meets_its_posted_receive) {
    for (int i = 0; i < SIZES; i++)
        for (int blocking = 0; blocking < 2; blocking++) {
            MPI_Request request;
            MPI_Status status;
            if (rank == 0) {
                fill(out, sizes[i], i);
                hear(1);
                if (blocking)
                    MPI_Rsend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                else {
                    MPI_Irsend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }
            }
            if (rank == 1) {
                MPI_Irecv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
                tell(0);
                MPI_Wait(&request, &status);
                CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i));
            }
        }
}

PROMISE(a_send_that_returned_has_given_its_buffer_back) {
    for (int i = 0; i < SIZES; i++) {
        if (rank == 0) {
            MPI_Request request;
            fill(out, sizes[i], i);
            MPI_Send(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            fill(out, sizes[i], i + 100);
            MPI_Isend(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            memset(out, 0, sizes[i]);
        }
        if (rank == 1)
            for (int k = 0; k < 2; k++) {
                MPI_Status status;
                MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                CHECK(status_is(&status, 0, 1, sizes[i]) && holds(in, sizes[i], i + k * 100));
            }
    }
}

/* Rule 2, the escape: a message that has a first fragment's length and begins as one, with the job's nonce (which STRETTO_NONCE
 * sets here) and all else that a receiver looks at (message/header.h). */
static void forge(unsigned char *message, int bytes, int what) {
    const char *nonce = getenv("STRETTO_NONCE");
    fill(message, bytes, what);
    memset(message, 0, 96);
    for (int k = 0; nonce && k < 16; k++) {
        unsigned byte = 0;
        if (sscanf(nonce + 2 * k, "%2x", &byte) == 1) message[k] = byte;
    }
    message[16] = 1;                                            /* version; flags and sender are 0 */
    memcpy(message + 24, &(uint64_t){100000}, 8);               /* bytes of the message */
    memcpy(message + 32, &(uint32_t){(uint32_t)bytes - 96}, 4); /* of them here */
    memcpy(message + 36, &(uint32_t){4096}, 4);                 /* of a delta */
    memcpy(message + 40, &(uint32_t){900}, 4);                  /* first tag */
    memcpy(message + 44, &(uint32_t){26}, 4);                   /* how many */
}

PROMISE(a_message_that_looks_like_a_header_arrives_as_it_is) {
    static const int lengths[] = {96, 4032};
    int room = 2 * (LARGEST + MPI_BSEND_OVERHEAD);
    void *attached = malloc(room);
    if (rank == 0) MPI_Buffer_attach(attached, room);
    for (int i = 0; i < 2; i++)
        for (int mode = 0; mode < 6; mode++) {
            unsigned char *forged = malloc(lengths[i]);
            forge(forged, lengths[i], mode);
            if (rank == 0) {
                MPI_Request request;
                memcpy(out, forged, lengths[i]);
                switch (mode) {
                case 0:
                    MPI_Send(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                    break;
                case 1:
                    MPI_Ssend(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                    break;
                case 2:
                    MPI_Bsend(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                    memset(out, 0, lengths[i]);
                    break;
                case 3:
                    MPI_Isend(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    break;
                case 4:
                    MPI_Issend(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    break;
                case 5:
                    MPI_Send_init(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                    MPI_Start(&request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    MPI_Request_free(&request);
                    break;
                }
            }
            if (rank == 1) {
                MPI_Status status;
                if (mode % 2) MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
                if (mode % 2) CHECK(status_is(&status, 0, 1, lengths[i]));
                MPI_Recv(in, mode % 3 ? LARGEST : lengths[i], MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
                CHECK(status_is(&status, 0, 1, lengths[i]) && memcmp(in, forged, lengths[i]) == 0);
            }
            free(forged);
        }
    if (rank == 0) MPI_Buffer_detach(&attached, &room);
    free(attached);
}

/* Rule 3: by its nonce alone does a receiver know a header of this job. */
PROMISE(a_header_of_another_job_arrives_as_it_is) {
    static const int lengths[] = {96, 4032};
    for (int i = 0; i < 2; i++) {
        forge(out, lengths[i], i);
        out[15] ^= 1;
        if (rank == 0) MPI_Send(out, lengths[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            CHECK(status_is(&status, 0, 1, lengths[i]) && memcmp(in, out, lengths[i]) == 0);
        }
    }
}
