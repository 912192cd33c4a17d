// kernel.h: all that a kernel of `stretto bench` sees of the harness.
//
// A kernel is one file. It describes itself by a struct Kernel, returned by the function kernel(), and has the same
// communication written three times: `plain` as an MPI program would have it, `delta` with Stretto's annotations, `hand`
// as the best that a patient programmer can do with non-blocking chunks. Some have a fourth, `independent`: non-blocking
// messages, and nothing under them but computation that does not depend on them. main() is the harness's (main.c).
//
// Each file is built twice: with STRETTO_PLAIN, so that no libstretto is in the process (all but delta are measured
// there), and linked with libstretto (delta). Some are built by stretto-cc, too, without the annotations (plain).
#pragma once
#include <mpi.h>
#include <stretto/stretto.h>

#include "timeline.h"
#include "work.h"

struct Options {
    long bytes;         // of one message
    long elements;      // doubles in it
    double dilate;      // > 1: a core that is so many times slower, mostly asleep
    const char *file;   // compress: what to compress
    const char *output; // compress: where rank 0 writes it, or null
    long depth; // of a way by hand that is asked for so: after how many more tiles one is waited for; 0: at the end
};
extern struct Options option;
extern int rank, ranks;
extern long wrong; // kernels count here what they find wrong

struct Result {
    const void *data;
    size_t bytes;
};

struct Kernel {
    const char *name;
    void (*set_up)(void);      // after MPI_Init and the options, again with those after --then; may call give_up()
    void (*reset)(void);       // before each repetition: nothing of an earlier one may look like a result
    void (*message)(void);     // the messages alone
    int (*message_hops)(void); // how many of them in a row that is: T_message = span / hops
    void (*compute)(void);     // the computation alone, on all ranks at once
    void (*plain)(void);
    void (*delta)(void);           // null: an application that knows nothing of Stretto
    void (*hand)(long chunk);      // chunk in bytes
    struct Result (*result)(void); // what this rank has in its hands at the end, {0} if nothing
    int work_is_given;             // the work cannot be chosen (a real file): --ratio means nothing, dilation stretches
    void (*independent)(void);     // null: no computation is independent of the messages
    void (*tiled)(long chunk);     // hand has collectives: the same by MPI_Isend and MPI_Irecv; else null
    void (*puts)(long chunk);      // the same by MPI_Put and flags; else null
};
const struct Kernel *kernel(void);

// The program cannot go on: rank 0 prints the reason, all ranks end in order. To be called by all ranks if by one.
void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

// Zeros on pages that hold nothing else, null if there is no memory. A delta receive returns before the whole message has come only where
// the message's last page is its own (docs/pages.md).
void *own_pages(size_t bytes);

// So many MPI_REQUEST_NULL, to be waited for as if they were messages; ends the program if there is no memory.
MPI_Request *no_requests(long count);

static inline long least(long a, long b) {
    return a < b ? a : b;
}

// Elements of the annotated loops' strips: 512 bytes, finer than any delta.
enum { STRIP = 64 };
