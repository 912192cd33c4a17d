// timeline.h: what each rank did when, for the report. Recorded in a repetition of its own, so that it costs the
// measured ones nothing but a branch.
//
// Kernels need not know: the MPI calls that they make are replaced here by functions that note them.
#pragma once
#include <mpi.h>
#include <stretto/stretto.h>

#include "clock.h"

enum Kind { COMPUTE, CALL, WAIT, SEND, RECEIVE };

extern int timeline_on;
void timeline_start(void);
void timeline_stop(void);
void timeline_write(const char *folder, const char *kernel, const char *variant); // all ranks; one file per rank
void timeline_computed(void);                                                     // since the last event
void timeline_add(enum Kind, double begin, double end, int peer, long bytes);
void timeline_posted(const MPI_Request *, int source, long bytes); // an Irecv, to be found again at its wait
void timeline_completed(const MPI_Request *, double when);
void timeline_forget(const MPI_Request *);

// How often a kernel called Stretto since timeline_start().
enum { BEGINS, SEND_DATA, RECEIVES, WAIT_DATA, ANNOTATIONS };
extern long timeline_calls[ANNOTATIONS];

static inline long bytes_of(int count, MPI_Datatype type) {
    int size;
    MPI_Type_size(type, &size);
    return (long)count * size;
}

#define NOTED_THEN(kind, call, then)             \
    do {                                         \
        if (!timeline_on) return call;           \
        double begin = now();                    \
        int rc = call;                           \
        timeline_add(kind, begin, now(), -1, 0); \
        then;                                    \
        return rc;                               \
    } while (0)
#define NOTED(kind, call) NOTED_THEN(kind, call, )

static inline int noted_Send(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c) {
    if (timeline_on) timeline_add(SEND, now(), now(), dest, bytes_of(n, t));
    NOTED(WAIT, MPI_Send(b, n, t, dest, tag, c));
}
static inline int noted_Isend(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c, MPI_Request *r) {
    if (timeline_on) timeline_add(SEND, now(), now(), dest, bytes_of(n, t));
    NOTED(CALL, MPI_Isend(b, n, t, dest, tag, c, r));
}
static inline int noted_Recv(void *b, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Status *s) {
    NOTED_THEN(WAIT, MPI_Recv(b, n, t, source, tag, c, s), timeline_add(RECEIVE, now(), now(), source, bytes_of(n, t)));
}
static inline int noted_Irecv(void *b, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Request *r) {
    if (timeline_on) timeline_posted(r, source, bytes_of(n, t));
    NOTED(CALL, MPI_Irecv(b, n, t, source, tag, c, r));
}
static inline int noted_Wait(MPI_Request *r, MPI_Status *s) {
    NOTED_THEN(WAIT, MPI_Wait(r, s), timeline_completed(r, now()));
}
static inline int noted_Waitall(int n, MPI_Request *r, MPI_Status *s) {
    NOTED_THEN(WAIT, MPI_Waitall(n, r, s), for (int k = 0; k < n; k++) timeline_completed(r + k, now()));
}
static inline int noted_Testsome(int n, MPI_Request *r, int *done, int *which, MPI_Status *s) {
    NOTED_THEN(CALL, MPI_Testsome(n, r, done, which, s),
               for (int k = 0; *done != MPI_UNDEFINED && k < *done; k++) timeline_completed(r + which[k], now()));
}
static inline int noted_Testall(int n, MPI_Request *r, int *done, MPI_Status *s) {
    NOTED_THEN(CALL, MPI_Testall(n, r, done, s), for (int k = 0; *done && k < n; k++) timeline_completed(r + k, now()));
}
static inline int noted_Alltoall(const void *b, int n, MPI_Datatype t, void *in, int in_n, MPI_Datatype in_t,
                                 MPI_Comm c) {
    NOTED(WAIT, MPI_Alltoall(b, n, t, in, in_n, in_t, c));
}
static inline int noted_Ialltoall(const void *b, int n, MPI_Datatype t, void *in, int in_n, MPI_Datatype in_t,
                                  MPI_Comm c, MPI_Request *r) {
    NOTED(CALL, MPI_Ialltoall(b, n, t, in, in_n, in_t, c, r));
}
static inline int noted_Allreduce(const void *b, void *in, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
    NOTED(WAIT, MPI_Allreduce(b, in, n, t, op, c));
}
static inline int noted_Iallreduce(const void *b, void *in, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c,
                                   MPI_Request *r) {
    NOTED(CALL, MPI_Iallreduce(b, in, n, t, op, c, r));
}
static inline int noted_Alltoallv(const void *b, const int *n, const int *at, MPI_Datatype t, void *in, const int *in_n,
                                  const int *in_at, MPI_Datatype in_t, MPI_Comm c) {
    NOTED(WAIT, MPI_Alltoallv(b, n, at, t, in, in_n, in_at, in_t, c));
}
static inline int noted_Ialltoallv(const void *b, const int *n, const int *at, MPI_Datatype t, void *in,
                                   const int *in_n, const int *in_at, MPI_Datatype in_t, MPI_Comm c, MPI_Request *r) {
    NOTED(CALL, MPI_Ialltoallv(b, n, at, t, in, in_n, in_at, in_t, c, r));
}
static inline int noted_Delta_alltoallv_begin(const void *b, const int *n, const int *at, MPI_Datatype t, void *in,
                                              const int *in_n, const int *in_at, MPI_Datatype in_t, MPI_Comm c,
                                              MPI_Request *r) {
    NOTED(CALL, MPIX_Delta_alltoallv_begin(b, n, at, t, in, in_n, in_at, in_t, c, r));
}
static inline int noted_Cancel(MPI_Request *r) {
    if (timeline_on) timeline_forget(r);
    return MPI_Cancel(r);
}
static inline int noted_Delta_send_begin(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c,
                                         MPI_Request *r) {
    timeline_calls[BEGINS] += timeline_on;
    NOTED(CALL, MPIX_Delta_send_begin(b, n, t, dest, tag, c, r));
}
static inline int noted_Delta_alltoall_begin(const void *b, int n, MPI_Datatype t, void *in, int in_n,
                                             MPI_Datatype in_t, MPI_Comm c, MPI_Request *r) {
    NOTED(CALL, MPIX_Delta_alltoall_begin(b, n, t, in, in_n, in_t, c, r));
}
static inline int noted_Delta_collective_end(MPI_Request *r) {
    NOTED(WAIT, MPIX_Delta_collective_end(r));
}
static inline int noted_Delta_send_end(MPI_Request *r) {
    NOTED(CALL, MPIX_Delta_send_end(r));
}
static inline int noted_Delta_send_end_count(int n, MPI_Request *r) {
    NOTED(CALL, MPIX_Delta_send_end_count(n, r));
}
static inline int noted_Delta_wait(MPI_Request *r, MPI_Status *s) {
    NOTED(WAIT, MPIX_Delta_wait(r, s));
}
static inline int noted_Delta_recv(void *b, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Status *s) {
    timeline_calls[RECEIVES] += timeline_on;
    NOTED(WAIT, MPIX_Delta_recv(b, n, t, source, tag, c, s));
}
static inline int noted_Delta_recv_end(const void *b, MPI_Status *s) {
    NOTED(WAIT, MPIX_Delta_recv_end(b, s));
}
static inline void noted_Delta_send_data(const void *address, size_t bytes) {
    double begin = timeline_on ? now() : 0;
    MPIX_Delta_send_data(address, bytes);
    if (timeline_on) timeline_calls[SEND_DATA]++, timeline_add(CALL, begin, now(), -1, 0);
}
static inline void noted_Delta_wait_data(const void *address, size_t bytes) {
    double begin = timeline_on ? now() : 0;
    MPIX_Delta_wait_data(address, bytes);
    if (timeline_on) timeline_calls[WAIT_DATA]++, timeline_add(WAIT, begin, now(), -1, 0);
}
#undef NOTED

#ifndef STRETTO_UNNOTED // which what a compiler shall see is compiled with
#define MPI_Send noted_Send
#define MPI_Isend noted_Isend
#define MPI_Recv noted_Recv
#define MPI_Irecv noted_Irecv
#define MPI_Wait noted_Wait
#define MPI_Waitall noted_Waitall
#define MPI_Testsome noted_Testsome
#define MPI_Alltoall noted_Alltoall
#define MPI_Ialltoall noted_Ialltoall
#define MPI_Testall noted_Testall
#define MPI_Allreduce noted_Allreduce
#define MPI_Iallreduce noted_Iallreduce
#define MPI_Alltoallv noted_Alltoallv
#define MPI_Ialltoallv noted_Ialltoallv
#define MPIX_Delta_alltoallv_begin noted_Delta_alltoallv_begin
#define MPI_Cancel noted_Cancel
#define MPIX_Delta_send_begin noted_Delta_send_begin
#define MPIX_Delta_alltoall_begin noted_Delta_alltoall_begin
#define MPIX_Delta_collective_end noted_Delta_collective_end
#define MPIX_Delta_send_end noted_Delta_send_end
#define MPIX_Delta_send_end_count noted_Delta_send_end_count
#define MPIX_Delta_wait noted_Delta_wait
#define MPIX_Delta_recv noted_Delta_recv
#define MPIX_Delta_recv_end noted_Delta_recv_end
#define MPIX_Delta_send_data noted_Delta_send_data
#define MPIX_Delta_wait_data noted_Delta_wait_data
#endif
