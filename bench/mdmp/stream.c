/* The STREAM benchmark of the MDMP paper: its four kernels, of int and of double, whose arrays are communicated in each turn: the end of what
 * a kernel reads is received, and the end of what it writes is sent. So all of each loop is looked at until its last element. Built five times
 * (bench/driver/mdmp_stream.py):
 *
 *   -DBY_DIRECTIVES   in a region, by MDMP's directives
 *   -DOUTSIDE         the same program, but the kernels stand outside of the region, and nothing is communicated in them
 *   -DALONE           the kernels alone
 *   (none)            by MPI's plain calls
 *
 *   mpirun -n 2 stream TURNS ELEMENTS SENT [ELEMENTS SENT ...]
 *
 * Prints one line of JSON: for each two, of int and then of double, of copy, scale, add and triad, the slowest rank's seconds of a turn and a
 * checksum of rank 0's arrays. */
#include "results.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#if defined BY_DIRECTIVES || defined OUTSIDE
#include <stretto/mdmp.h>
#endif

#define DIRECTIVE(words) _Pragma(#words)
#ifdef BY_DIRECTIVES
#define BEGIN DIRECTIVE(commregion)
#define END DIRECTIVE(commregionfinished)
#define EXCHANGE(reads, writes)                   \
    DIRECTIVE(recv(reads[n - sent], sent, other)) \
    DIRECTIVE(send(writes[n - sent], sent, other))
#elif defined OUTSIDE || defined ALONE
#define BEGIN (void)sent, (void)other;
#define END
#define EXCHANGE(reads, writes) __asm__ volatile("" : : : "memory"); /* each turn is done */
#else
#define BEGIN MPI_Request requests[2];
#define END
#define EXCHANGE(reads, writes)                                                                                 \
    MPI_Irecv(reads + n - sent, sent * (int)sizeof *reads, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[0]);   \
    MPI_Isend(writes + n - sent, sent * (int)sizeof *writes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[1]); \
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#endif

#define Element int
#define NAMED(kernel) kernel##_of_int
#include "stream_kernels.h"
#undef Element
#undef NAMED
#define Element double
#define NAMED(kernel) kernel##_of_double
#include "stream_kernels.h"

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int turns = argc > 1 ? atoi(argv[1]) : 0;
    int wrong = argc < 4 || argc % 2 || turns < 1 || (ranks > 1 && ranks % 2);
    for (int k = 2; !wrong && k < argc; k += 2) wrong = atoi(argv[k + 1]) < 1 || atoi(argv[k]) < atoi(argv[k + 1]);
    if (wrong) {
        if (rank == 0)
            fprintf(stderr, "usage: %s TURNS ELEMENTS SENT ...; 1 <= SENT <= ELEMENTS, and an even number of ranks\n",
                    argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
#ifdef OUTSIDE
    int there = rank, here = -1;
    const int partner = ranks > 1 ? rank ^ 1 : MPI_PROC_NULL;
#pragma commregion
#pragma recv(here, partner)
#pragma send(there, partner)
#pragma commregionfinished
    if (ranks > 1 && here != partner) MPI_Abort(MPI_COMM_WORLD, 4);
#endif
    for (int k = 2; k < argc; k += 2) {
        run_of_int(turns, atoi(argv[k]), atoi(argv[k + 1]), rank, ranks);
        run_of_double(turns, atoi(argv[k]), atoi(argv[k + 1]), rank, ranks);
    }
    if (rank == 0) print_end();
    MPI_Finalize();
    return 0;
}
