// compress: a file is compressed with libbz2 by p ranks and written by rank 0. Each rank takes a contiguous part and makes
// a bzip2 stream of it; streams one after the other are a file that `bunzip2` reads. How long a stream becomes nobody
// knows before it has been made, but what has been made is final: it may leave.
//
//   plain = Tc + (p-1) Tm     ideal = max(Tc, (p-1) Tm)     Tm: one rank's stream to rank 0, whose link takes p-1
//
// So at most twice as fast, where Tc = (p-1) Tm. (With --ratio T_compute / T_message = p-1.)
//
// With -DVIA_GATHER the streams come together by MPI_Gatherv, or in rounds of MPI_Igather and MPI_Igatherv while they are made, as LibNBC's
// authors did it (SC07, 5.1).
#include <bzlib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/kernel.h"

// Blocks of 100 kB (`bzip2 -1`): libbz2 gives out a block when it is full, and smaller ones make a finer pipeline.
enum { LEVEL = 1, FEED = 16384 };

static char *part;          // this rank's share of the file
static long part_bytes;     //
static char **stream;       // rank 0: every rank's stream; elsewhere: stream[rank]
static long *stream_bytes;  // how long each has become
static long *largest;       // how long each may become at most
static long *parts;         // bytes of each rank's share
static long message_length; // this rank's stream, known from a first run: for message()

// The bound of libbz2's manual for a buffer that always suffices.
static long bound(long bytes) {
    return bytes + bytes / 100 + 600;
}
static long share(long bytes, int r) {
    return bytes * r / ranks;
}

// Compresses this rank's part into stream[rank]; calls produced() after each FEED bytes of it, with what came of them, perhaps nothing.
static void compress_part(void (*produced)(const char *data, long bytes)) {
    bz_stream bz = {0};
    if (BZ2_bzCompressInit(&bz, LEVEL, 0, 0) != BZ_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    bz.next_out = stream[rank];
    bz.avail_out = (unsigned)largest[rank];
    for (long fed = 0, state = BZ_RUN_OK; state != BZ_STREAM_END;) {
        char *before = bz.next_out;
        double begin = cpu_seconds();
        if (fed < part_bytes) {
            long more = part_bytes - fed < FEED ? part_bytes - fed : FEED;
            bz.next_in = part + fed;
            bz.avail_in = (unsigned)more;
            state = BZ2_bzCompress(&bz, BZ_RUN);
            fed += more;
        } else {
            state = BZ2_bzCompress(&bz, BZ_FINISH);
        }
        if (state < 0) MPI_Abort(MPI_COMM_WORLD, 1);
        worked_seconds(cpu_seconds() - begin);
        if (produced) produced(before, bz.next_out - before);
    }
    stream_bytes[rank] = bz.next_out - stream[rank];
    BZ2_bzCompressEnd(&bz);
}

static void write_streams(void) {
    if (rank != 0 || !option.output) return;
    FILE *out = fopen(option.output, "wb");
    for (int r = 0; out && r < ranks; r++) fwrite(stream[r], 1, (size_t)stream_bytes[r], out);
    if (!out || fclose(out) != 0) {
        perror(option.output);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#ifdef VIA_GATHER

enum { IN_A_ROUND = 65536 };

static char *all;              // rank 0: all streams, each at its place
static long steps, steps_each; // of FEED bytes, in a round
static long rounds, round_now; // as many for all ranks, whose parts are equal but for a byte
static long *begun;            // of each round, in this rank's stream
static int *sizes, *places; // of each round: how many bytes each rank has made, this one's behind them; where they go
static MPI_Request *going;  // of each round two
static int *which;

static int *sizes_of(long k) {
    return sizes + k * (ranks + 1);
}
static int *places_of(long k) {
    return places + k * ranks;
}

static void plain(void) {
    compress_part(NULL);
    int mine = (int)stream_bytes[rank];
    MPI_Gather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++) {
        stream_bytes[r] = sizes[r];
        places[r] = (int)(stream[r] - all);
    }
    MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : stream[rank], mine, MPI_BYTE, all, sizes, places, MPI_BYTE, 0,
                MPI_COMM_WORLD);
    write_streams();
}

// What was made in a round follows the sizes, which rank 0 must know before.
static void gather_pieces(long k) {
    if (rank == 0) MPI_Wait(&going[2 * k], MPI_STATUS_IGNORE);
    for (int r = 0; rank == 0 && r < ranks; r++)
        places_of(k)[r] = k == 0 ? (int)(stream[r] - all) : places_of(k - 1)[r] + sizes_of(k - 1)[r];
    MPI_Igatherv(rank == 0 ? MPI_IN_PLACE : stream[rank] + begun[k], sizes_of(k)[ranks], MPI_BYTE, all, sizes_of(k),
                 places_of(k), MPI_BYTE, 0, MPI_COMM_WORLD, &going[2 * k + 1]);
}

static void next_round(long made) {
    const long k = round_now++;
    begun[k + 1] = made;
    sizes_of(k)[ranks] = (int)(made - begun[k]);
    MPI_Igather(&sizes_of(k)[ranks], 1, MPI_INT, sizes_of(k), 1, MPI_INT, 0, MPI_COMM_WORLD, &going[2 * k]);
    if (k > 0) gather_pieces(k - 1);
}

static void gather_produced(const char *data, long bytes) {
    int done;
    if (++steps % steps_each == 0 && round_now < rounds - 1) next_round(data + bytes - stream[rank]);
    MPI_Testsome(2 * (int)round_now, going, &done, which, MPI_STATUSES_IGNORE);
}

static void pipelined(long in_a_round) {
    long longest = 0;
    for (int r = 0; r < ranks; r++) longest = parts[r] > longest ? parts[r] : longest;
    rounds = (longest + in_a_round - 1) / in_a_round + 1;
    steps_each = in_a_round / FEED;
    steps = round_now = begun[0] = 0;
    for (long k = 0; k < 2 * rounds; k++) going[k] = MPI_REQUEST_NULL;
    compress_part(gather_produced);
    while (round_now < rounds) next_round(stream_bytes[rank]);
    gather_pieces(rounds - 1);
    MPI_Waitall(2 * (int)rounds, going, MPI_STATUSES_IGNORE);
    for (int r = 0; rank == 0 && r < ranks; r++) {
        stream_bytes[r] = 0;
        for (long k = 0; k < rounds; k++) stream_bytes[r] += sizes_of(k)[r];
    }
    write_streams();
}

// The library's own in the program without libstretto, and Stretto's in the other.
static void hand(long in_a_round) {
    pipelined(in_a_round);
}
static void delta(void) {
    pipelined(IN_A_ROUND);
}

static void make_room(void) {
    size_t whole = 0;
    long most = 0;
    for (int r = 0; r < ranks; r++) {
        whole += (size_t)largest[r];
        most = parts[r] / FEED + 4 > most ? parts[r] / FEED + 4 : most;
    }
    if (rank == 0) all = malloc(whole);
    for (int r = 0; all && r < ranks; r++) {
        free(stream[r]);
        stream[r] = r == 0 ? all : stream[r - 1] + largest[r - 1];
    }
    begun = calloc((size_t)most + 1, sizeof *begun);
    sizes = calloc((size_t)most * (size_t)(ranks + 1), sizeof *sizes);
    places = calloc((size_t)most * (size_t)ranks, sizeof *places);
    going = calloc((size_t)(2 * most), sizeof(MPI_Request));
    which = calloc((size_t)(2 * most), sizeof *which);
    if ((rank == 0 && !all) || !begun || !sizes || !places || !going || !which) give_up("no memory for rounds");
}

#else

static void plain(void) {
    compress_part(NULL);
    if (rank != 0) {
        MPI_Send(stream[rank], (int)stream_bytes[rank], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    } else {
        for (int r = 1; r < ranks; r++) {
            MPI_Status status;
            int bytes;
            MPI_Recv(stream[r], (int)largest[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            stream_bytes[r] = bytes;
        }
        write_streams();
    }
}

// With Stretto: the message begins before its size is known, and grows.
static void may_leave(const char *data, long bytes) {
    if (bytes > 0) MPIX_Delta_send_data(data, (size_t)bytes);
}

static void delta(void) {
    if (rank != 0) {
        MPI_Request request;
        MPIX_Delta_send_begin(stream[rank], (int)largest[rank], MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        compress_part(may_leave);
        MPIX_Delta_send_end_count((int)stream_bytes[rank], &request);
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    } else {
        for (int r = 1; r < ranks; r++)
            MPIX_Delta_recv(stream[r], (int)largest[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compress_part(NULL);
        for (int r = 1; r < ranks; r++) {
            MPI_Status status;
            int bytes;
            MPIX_Delta_recv_end(stream[r], &status);
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            stream_bytes[r] = bytes;
        }
        write_streams();
    }
}

// By hand: chunks of one size leave as they fill, a shorter one, perhaps of nothing, is the last. Rank 0 keeps receives
// posted for all that may come, takes what has come whenever it has compressed a block, and cancels the rest.
static long chunk, sent; // of the stream that is being made
static MPI_Request *going;
static int goings;
static MPI_Request *coming;
static int comings, *of_rank;
static int *which;
static MPI_Status *statuses;

static void send_chunks(long made, int all) {
    while (made - sent >= chunk || all) {
        long bytes = made - sent < chunk ? made - sent : chunk;
        MPI_Isend(stream[rank] + sent, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &going[goings++]);
        sent += bytes;
        if (bytes < chunk) return;
    }
}

static void hand_produced(const char *data, long bytes) {
    send_chunks(data + bytes - stream[rank], 0);
}

static int take_what_came(void) { // returns how many streams have ended
    int done, ended = 0;
    MPI_Testsome(comings, coming, &done, which, statuses);
    for (int k = 0; done != MPI_UNDEFINED && k < done; k++) {
        int bytes;
        MPI_Get_count(&statuses[k], MPI_BYTE, &bytes);
        stream_bytes[of_rank[which[k]]] += bytes;
        ended += bytes < chunk;
    }
    return ended;
}

static int streams_ended;
static void hand_look(const char *data, long bytes) {
    (void)data, (void)bytes;
    streams_ended += take_what_came();
}

static void hand(long chunk_bytes) {
    chunk = chunk_bytes;
    sent = goings = comings = streams_ended = 0;
    if (rank != 0) {
        compress_part(hand_produced);
        send_chunks(stream_bytes[rank], 1);
        MPI_Waitall(goings, going, MPI_STATUSES_IGNORE);
    } else {
        for (int r = 1; r < ranks; r++)
            for (long at = stream_bytes[r] = 0; at <= largest[r]; at += chunk, comings++) {
                long bytes = largest[r] - at < chunk ? largest[r] - at : chunk;
                MPI_Irecv(stream[r] + at, (int)bytes, MPI_BYTE, r, 1, MPI_COMM_WORLD, &coming[comings]);
                of_rank[comings] = r;
            }
        compress_part(hand_look);
        while (streams_ended < ranks - 1) streams_ended += take_what_came();
        for (int k = 0; k < comings; k++)
            if (coming[k] != MPI_REQUEST_NULL) MPI_Cancel(&coming[k]);
        MPI_Waitall(comings, coming, MPI_STATUSES_IGNORE);
        write_streams();
    }
}

static void make_room(void) {
    long posts = 0, smallest_chunk = 512;
    for (int r = 0; r < ranks; r++) posts += largest[r] / smallest_chunk + 2;
    going = malloc((size_t)posts * sizeof *going);
    coming = malloc((size_t)posts * sizeof *coming);
    of_rank = malloc((size_t)posts * sizeof *of_rank);
    which = malloc((size_t)posts * sizeof *which);
    statuses = malloc((size_t)posts * sizeof *statuses);
    if (!going || !coming || !of_rank || !which || !statuses) give_up("no memory for chunks");
}

#endif

static void message(void) { // every rank's finished stream, in turn
    if (rank != 0) MPI_Send(stream[rank], (int)message_length, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    for (int r = 1; rank == 0 && r < ranks; r++)
        MPI_Recv(stream[r], (int)largest[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int hops(void) {
    return ranks - 1;
}

static void compute(void) {
    compress_part(NULL);
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (!option.file) give_up("needs a file: --file FILE");
    struct stat file = {0};
    FILE *in = fopen(option.file, "rb");
    int opened = in && fstat(fileno(in), &file) == 0 && S_ISREG(file.st_mode), all_opened;
    MPI_Allreduce(&opened, &all_opened, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_opened) give_up("%s: cannot be read as a file by every rank", option.file);
    long bytes = file.st_size, shortest;
    MPI_Allreduce(&bytes, &shortest, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    if (shortest < ranks) give_up("%s: %ld bytes are too few for %d ranks", option.file, shortest, ranks);
    if (bound(bytes) > INT_MAX) give_up("%s: larger than 2 GiB", option.file);

    part_bytes = share(bytes, rank + 1) - share(bytes, rank);
    part = malloc((size_t)part_bytes);
    stream = calloc((size_t)ranks, sizeof *stream);
    stream_bytes = calloc((size_t)ranks, sizeof *stream_bytes);
    largest = calloc((size_t)ranks, sizeof *largest);
    parts = calloc((size_t)ranks, sizeof *parts);
    if (!part || !stream || !stream_bytes || !largest || !parts) give_up("no memory for %ld bytes", bytes);
    for (int r = 0; r < ranks; r++) {
        parts[r] = share(bytes, r + 1) - share(bytes, r);
        largest[r] = bound(parts[r]);
        if (r == rank || rank == 0) stream[r] = malloc((size_t)largest[r]);
    }
    make_room();
    int read =
        fseek(in, share(bytes, rank), SEEK_SET) == 0 && fread(part, 1, (size_t)part_bytes, in) == (size_t)part_bytes;
    int all_read;
    MPI_Allreduce(&read, &all_read, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_read) give_up("%s: cannot be read to its end", option.file);
    fclose(in);
    compress_part(NULL);
    message_length = stream_bytes[rank];
    option.bytes = message_length;
    MPI_Bcast(&option.bytes, 1, MPI_LONG, ranks - 1, MPI_COMM_WORLD); // what the line of JSON calls a message's bytes
}

static void reset(void) {
    for (int r = 0; r < ranks; r++)
        if (stream[r]) memset(stream[r], 0xff, (size_t)largest[r]);
}

static struct Result result(void) { // rank 0's streams, moved together as they stand in the file
    if (rank != 0) return (struct Result){0};
    static char *together;
    size_t total = 0;
    free(together);
    for (int r = 0; r < ranks; r++) total += (size_t)stream_bytes[r];
    together = malloc(total);
    if (!together) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0, at = 0; r < ranks; at += (int)stream_bytes[r], r++)
        memcpy(together + at, stream[r], (size_t)stream_bytes[r]);
    return (struct Result){together, total};
}

const struct Kernel *kernel(void) {
    static const struct Kernel compress = {.name = "compress",
                                           .set_up = set_up,
                                           .reset = reset,
                                           .message = message,
                                           .message_hops = hops,
                                           .compute = compute,
                                           .plain = plain,
                                           .delta = delta,
                                           .hand = hand,
                                           .result = result,
                                           .work_is_given = 1};
    return &compress;
}
