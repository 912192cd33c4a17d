// compress: a file is compressed with libbz2 by p ranks and written by rank 0. Each rank takes a contiguous part and makes
// a bzip2 stream of it; streams one after the other are a file that `bunzip2` reads. How long a stream becomes nobody
// knows before it has been made, but what has been made is final: it may leave.
//
//   plain = Tc + (p-1) Tm     ideal = max(Tc, (p-1) Tm)     Tm: one rank's stream to rank 0, whose link takes p-1
//
// So at most twice as fast, where Tc = (p-1) Tm. (With --ratio T_compute / T_message = p-1.)
//
// With -DVIA_GATHER the streams come together by MPI_Gatherv, or by MPI_Igathers of one piece of each, as LibNBC's authors did it (SC07, 5.1).
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
static long message_length; // this rank's stream, known from a first run: for message()

// The bound of libbz2's manual for a buffer that always suffices.
static long bound(long bytes) {
    return bytes + bytes / 100 + 600;
}
static long share(long bytes, int r) {
    return bytes * r / ranks;
}

// Compresses this rank's part into stream[rank]; calls produced() after each piece of it.
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
        if (produced && bz.next_out > before) produced(before, bz.next_out - before);
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

enum { PIECE = 32768, LARGEST_PIECE = 65536, MOST_OPEN = 32 };

static char *rows; // rank 0: of each round a piece of each rank
static MPI_Request *going;
static int goings, *which;
static long piece, begun; // of this rank's stream

static void plain(void) {
    int *bytes = malloc((size_t)ranks * sizeof *bytes), *at = malloc((size_t)ranks * sizeof *at), mine;
    compress_part(NULL);
    mine = (int)stream_bytes[rank];
    MPI_Gather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0, end = 0; rank == 0 && r < ranks; end += bytes[r++]) at[r] = end;
    MPI_Gatherv(stream[rank], mine, MPI_BYTE, rows, bytes, at, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++) {
        stream_bytes[r] = bytes[r];
        memcpy(stream[r], rows + at[r], (size_t)bytes[r]);
    }
    write_streams();
    free(bytes), free(at);
}

static void gather_next(void) {
    if (goings >= MOST_OPEN) MPI_Wait(&going[goings - MOST_OPEN], MPI_STATUS_IGNORE);
    char *row = rank == 0 ? rows + (long)goings * ranks * piece : NULL;
    MPI_Igather(stream[rank] + begun, (int)piece, MPI_BYTE, row, (int)piece, MPI_BYTE, 0, MPI_COMM_WORLD,
                &going[goings++]);
    begun += piece;
}

static void gather_produced(const char *data, long bytes) {
    const long made = data + bytes - stream[rank];
    int done;
    while (made - begun >= piece) gather_next();
    MPI_Testsome(goings, going, &done, which, MPI_STATUSES_IGNORE);
}

// As many rounds as the longest stream has pieces: what comes behind a shorter one is not looked at.
static void pipelined(long piece_bytes) {
    int bytes, rounds, *of_all = malloc((size_t)ranks * sizeof *of_all);
    piece = piece_bytes;
    begun = goings = 0;
    compress_part(gather_produced);
    bytes = (int)stream_bytes[rank];
    rounds = (bytes + (int)piece - 1) / (int)piece;
    MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    while (goings < rounds) gather_next();
    MPI_Gather(&bytes, 1, MPI_INT, of_all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Waitall(goings, going, MPI_STATUSES_IGNORE);
    for (int r = 0; rank == 0 && r < ranks; r++) {
        stream_bytes[r] = of_all[r];
        for (long k = 0; k * piece < of_all[r]; k++) {
            const long rest = of_all[r] - k * piece;
            memcpy(stream[r] + k * piece, rows + (k * ranks + r) * piece, (size_t)(rest < piece ? rest : piece));
        }
    }
    write_streams();
    free(of_all);
}

// The library's own MPI_Igather in the program without libstretto, and Stretto's in the other.
static void hand(long piece_bytes) {
    pipelined(piece_bytes);
}
static void delta(void) {
    pipelined(PIECE);
}

static void make_room(long most, long posts) {
    stream[rank] = realloc(stream[rank], (size_t)(most + 2 * LARGEST_PIECE));
    if (rank == 0) rows = malloc((size_t)ranks * (size_t)(most + 2 * LARGEST_PIECE));
    going = malloc((size_t)posts * sizeof *going);
    which = malloc((size_t)posts * sizeof *which);
    if (!stream[rank] || (rank == 0 && !rows) || !going || !which) give_up("no memory for pieces");
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
    MPIX_Delta_send_data(data, (size_t)bytes);
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

static void make_room(long most, long posts) {
    (void)most;
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
    if (!part || !stream || !stream_bytes || !largest) give_up("no memory for %ld bytes", bytes);
    long posts = 0, most = 0, smallest_chunk = 512;
    for (int r = 0; r < ranks; r++) {
        largest[r] = bound(share(bytes, r + 1) - share(bytes, r));
        posts += largest[r] / smallest_chunk + 2;
        most = largest[r] > most ? largest[r] : most;
        if (r == rank || rank == 0) stream[r] = malloc((size_t)largest[r]);
    }
    make_room(most, posts);
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
