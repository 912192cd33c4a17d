// pattern.h: what a pattern of communication is written with. A pattern is one step of an unmodified program, over and over; a family of
// patterns is one file.
//
// A step makes what it sends with `make_data`, and takes what has come with `use_data`, which adds it to the program's checksum and works for
// each of its bytes. All ranks do the same steps, and what a step sends depends on the step alone: so the checksum is the same however
// messages travel, and in whatever order MPI lets them come.
#pragma once
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define WORLD MPI_COMM_WORLD

enum { KIB = 1 << 10, MIB = 1 << 20 };

enum Works {
    LITTLE_AND_MUCH, // work for each byte: none but the checksum's, or as long as the step's messages take
    LITTLE,          // messages are so short that work for their bytes means nothing
    MUCH             // without work the pattern is another one
};

struct Pattern {
    const char *name, *about;
    enum Works works;
    long steps;           // of a job; 0: as many as fill its time
    void (*set_up)(void); // may be NULL
    void (*step)(long step);
};

// A family ends with an entry without a name.
extern const struct Pattern neighbours[], lockstep[], halos[], transposes[], pipelines[], particles[], workers[],
    solver[], collectives[];

extern int rank, ranks;
extern long all_steps; // of this job

static inline int left(void) {
    return (rank + ranks - 1) % ranks;
}
static inline int right(void) {
    return (rank + 1) % ranks;
}

// Memory until the program ends, all 0; or the job ends with a message.
void *memory(size_t bytes);

// What `whose` sends in `step`: a name of the data, not the data.
static inline uint64_t data_of(long step, int whose) {
    return (uint64_t)step * 4096 + (uint64_t)whose;
}

// Fills with the data of this name. Whoever uses it names it likewise.
void make_data(void *to, size_t bytes, uint64_t name);
void use_data(const void *from, size_t bytes, uint64_t name);

// Work as for so many bytes, which needs no data of others.
void compute(size_t bytes);
