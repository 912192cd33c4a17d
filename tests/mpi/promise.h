/* What a test of a promise is written with. A promise is a function that all ranks run, named as what it holds:
 *
 *     PROMISE(a_receive_of_zero_bytes_completes) {
 *         if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
 *         if (rank == 1) CHECK(MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
 *     }
 *
 * promises.c runs them, all ranks together, with two, three or four ranks. What a promise sends it also receives. Its name says where it runs
 * (test_promises.py): with `thread` in it also at MPI_THREAD_MULTIPLE, beginning with `pages_` only by pages, without annotations; `released_` and
 * `unmatched_` in a launch of their own; others in every setting below that level. */
#ifndef STRETTO_TESTS_PROMISE_H
#define STRETTO_TESTS_PROMISE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int rank, ranks;
extern int thread_level; /* what MPI_Init_thread was asked for; MPI_THREAD_SINGLE after MPI_Init */

void promise_add(const char *name, void (*body)(void));
void promise_check(int good, const char *file, int line, const char *what);

#define PROMISE(name)                                           \
    static void name(void);                                     \
    __attribute__((constructor)) static void add_##name(void) { \
        promise_add(#name, name);                               \
    }                                                           \
    static void name(void)
#define CHECK(what) promise_check(!!(what), __FILE__, __LINE__, #what)

/* Sizes on both sides of every border of the protocol: header, short and long first fragment, eager limits. */
static const int sizes[] = {0, 1, 95, 96, 97, 4031, 4032, 4033, 4096, 20000, 65536, 70000, 300000};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 300000 };

/* Bytes that tell which message they are of and where in it they belong. */
static inline unsigned char byte_of(unsigned message, size_t at) {
    unsigned x = message * 2654435761u + (unsigned)at * 40503u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    return (unsigned char)(x >> 13);
}
static inline void fill(void *buffer, size_t bytes, unsigned message) {
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)buffer)[i] = byte_of(message, i);
}
static inline int holds(const void *buffer, size_t bytes, unsigned message) {
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)buffer)[i] != byte_of(message, i)) return 0;
    return 1;
}
/* Are these bytes all `what`? For what must not have been written. */
static inline int all_are(const void *buffer, size_t bytes, unsigned char what) {
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)buffer)[i] != what) return 0;
    return 1;
}
static inline int count_of(const MPI_Status *status, MPI_Datatype type) {
    int count = -1;
    MPI_Get_count(status, type, &count);
    return count;
}
/* The status that a receive of `bytes` MPI_BYTEs from source with tag must give. */
static inline int status_is(const MPI_Status *status, int source, int tag, int bytes) {
    return status->MPI_SOURCE == source && status->MPI_TAG == tag && count_of(status, MPI_BYTE) == bytes;
}
static inline int status_is_empty(const MPI_Status *status) {
    return status_is(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
}
static inline int error_class(int code) {
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}
/* Two buffers of the largest size and some more, of each rank: what most promises send from and receive into. */
extern unsigned char *out, *in;
/* A word between two ranks, for the order of things in a test. */
static inline void tell(int other) {
    MPI_Send(NULL, 0, MPI_BYTE, other, 9999, MPI_COMM_WORLD);
}
static inline void hear(int other) {
    MPI_Recv(NULL, 0, MPI_BYTE, other, 9999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#endif
