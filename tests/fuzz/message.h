/* What a message of the fuzzer is made of: bytes that tell which message they are, laid out in memory by a datatype.
 *
 * A message has n elements of one signature; either side lays them out in its own way. The contents are numbered by their place in
 * the signature, so that both sides agree on them whatever the layouts are. */
#ifndef STRETTO_TESTS_FUZZ_MESSAGE_H
#define STRETTO_TESTS_FUZZ_MESSAGE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* PAIRS: a double and an int, MPI_DOUBLE_INT. MIXED: a double and a byte, so that no fragment ends between two of them. */
enum signature { BYTES, INTS, DOUBLES, PAIRS, MIXED, SIGNATURES };
enum layout {
    PLAIN,
    STRIDED,
    IRREGULAR,
    ONE_TYPE,
    LAYOUTS
}; /* ONE_TYPE: of PAIRS and MIXED, a struct in which the smaller comes first */

static inline int element_bytes(int signature) {
    return (const int[]){1, 4, 8, 12, 9}[signature];
}
static inline int element_extent(int signature) {
    return (const int[]){1, 4, 8, 16, 16}[signature];
}
extern MPI_Datatype mixed_type; /* a double and the byte behind it, 16 bytes from one to the next */
static inline MPI_Datatype element_type(int signature) {
    switch (signature) {
    case INTS:
        return MPI_INT;
    case DOUBLES:
        return MPI_DOUBLE;
    case PAIRS:
        return MPI_DOUBLE_INT;
    case MIXED:
        return mixed_type;
    default:
        return MPI_BYTE;
    }
}

/* Where in memory byte k of the message lies. */
static inline size_t place(int signature, int layout, size_t k) {
    size_t size = element_bytes(signature), extent = element_extent(signature), i = k / size, in = k % size;
    switch (layout) {
    case STRIDED:
        return 2 * i * extent + in;
    case IRREGULAR:
        return (i + i / 3) * extent + in;
    case ONE_TYPE:
        if (signature >= PAIRS) return 24 * i + (in < 8 ? 8 + in : in - 8);
        return i * extent + in;
    default:
        return i * extent + in;
    }
}
/* Bytes of memory that n elements take, the last one's gap included. */
static inline size_t memory_bytes(int signature, int layout, size_t n) {
    size_t extent = element_extent(signature);
    switch (layout) {
    case STRIDED:
        return 2 * n * extent;
    case IRREGULAR:
        return (n + n / 3 + 1) * extent;
    case ONE_TYPE:
        return n * (signature >= PAIRS ? 24 : extent);
    default:
        return n * extent;
    }
}

/* The count and (committed) type for n elements. Free the type with free_type. */
static inline MPI_Datatype make_type(int signature, int layout, int n, int *count) {
    MPI_Datatype element = element_type(signature), type = element, raw;
    *count = n;
    if (n == 0) return type;
    switch (layout) {
    case STRIDED:
        MPI_Type_vector(n, 1, 2, element, &type);
        *count = 1;
        break;
    case IRREGULAR: {
        int blocks = (n + 2) / 3, *length = malloc(blocks * sizeof *length), *at = malloc(blocks * sizeof *at);
        for (int b = 0; b < blocks; b++) length[b] = b < blocks - 1 ? 3 : n - 3 * b, at[b] = 4 * b;
        MPI_Type_indexed(blocks, length, at, element, &type);
        free(length), free(at);
        *count = 1;
        break;
    }
    case ONE_TYPE:
        if (signature >= PAIRS) {
            MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){8, 0},
                                   (MPI_Datatype[]){MPI_DOUBLE, signature == PAIRS ? MPI_INT : MPI_BYTE}, &raw);
            MPI_Type_create_resized(raw, 0, 24, &type);
            MPI_Type_free(&raw);
        } else {
            MPI_Type_contiguous(n, element, &type);
            *count = 1;
        }
        break;
    default:
        return type;
    }
    MPI_Type_commit(&type);
    return type;
}
static inline void free_type(int signature, MPI_Datatype *type) {
    if (*type != element_type(signature)) MPI_Type_free(type);
}

/* In the first 16 bytes of a message that forges a first fragment stands the job's nonce, which STRETTO_NONCE tells. */
extern unsigned char forged_nonce[16];

static inline unsigned char content(unsigned id, size_t k, int forged) {
    if (forged && k < 16) return forged_nonce[k];
    uint32_t x = id * 2654435761u + (uint32_t)k * 40503u;
    x ^= x >> 15;
    return (unsigned char)(x * 2246822519u >> 24);
}
static inline void write_content(unsigned char *memory, int signature, int layout, unsigned id, int forged,
                                 size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++) memory[place(signature, layout, k)] = content(id, k, forged);
}
/* Is byte k of the message what was sent, for all k < bytes? */
static inline int has_content(const unsigned char *memory, int signature, int layout, unsigned id, int forged,
                              size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        if (memory[place(signature, layout, k)] != content(id, k, forged)) return 0;
    return 1;
}
static inline uint64_t hash_of(const unsigned char *memory, size_t bytes, uint64_t hash) {
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ memory[i]) * 1099511628211u;
    return hash;
}

#endif
