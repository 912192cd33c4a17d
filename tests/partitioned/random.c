/* Random programs of partitioned messages, beside plain ones: `random FIRST COUNT [THREADS]`. All ranks draw the same pairs from the seed, and each
 * its own order of what it does with them; what comes is known, so each byte is looked at. */
#include <stretto/stretto.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 12, MOST_PARTITIONS = 48, COMMS = 3, THREADS = 3, GAP = 2 };

static int rank, ranks, number_of_threads;
static MPI_Comm comms[COMMS];
static MPI_Datatype spaced; /* a byte of GAP */

typedef struct {
    uint64_t state;
} Dice;
static uint32_t draw(Dice *dice) {
    uint64_t z = (dice->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 33);
}
static int below(Dice *dice, int n) {
    return (int)(draw(dice) % (uint32_t)n);
}
static void shuffle(Dice *dice, int *all, int n) {
    for (int k = n - 1; k > 0; k--) {
        const int other = below(dice, k + 1), kept = all[k];
        all[k] = all[other], all[other] = kept;
    }
}

typedef struct {
    int number, comm, from, to, tag; /* ranks of the world */
    int parts[2];                    /* of the sender, of the receiver */
    int gaps[2];                     /* elements lie GAP apart */
    int bytes;
    unsigned char *memory[2];
    MPI_Request request[2];
} Pair;
static Pair pairs[PAIRS];
static int number_of_pairs;
static long seed, turn;

static void wrong(const char *what, const Pair *pair) {
    fprintf(stderr,
            "rank %d: seed %ld, turn %ld: %s of pair %d (%d to %d, comm %d, tag %d, %d bytes, %d to %d parts)\n", rank,
            seed, turn, what, pair->number, pair->from, pair->to, pair->comm, pair->tag, pair->bytes, pair->parts[0],
            pair->parts[1]);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char byte_of(const Pair *pair, int k) {
    return (unsigned char)(k * 5 + k / 253 + pair->number * 31 + (int)turn * 17 + (int)seed);
}
static int stride(const Pair *pair, int side) {
    return pair->gaps[side] ? GAP : 1;
}
static void fill(Pair *pair, int part) {
    const int each = pair->bytes / pair->parts[0];
    for (int k = part * each; k < (part + 1) * each; k++) pair->memory[0][k * stride(pair, 0)] = byte_of(pair, k);
}
static void look(Pair *pair, int part) {
    const int each = pair->bytes / pair->parts[1];
    for (int k = part * each; k < (part + 1) * each; k++)
        if (pair->memory[1][k * stride(pair, 1)] != byte_of(pair, k)) wrong("a wrong byte", pair);
}

static int in_comm(int comm, int world) {
    return comm == 2 ? ranks - 1 - world : world; /* the last one is reversed */
}

static void draw_pairs(Dice *dice) {
    const int divisors[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 48}, units[] = {0, 1, 2, 20, 84, 100, 500, 1400, 5000};
    number_of_pairs = 1 + below(dice, PAIRS);
    for (int k = 0; k < number_of_pairs; k++) {
        Pair *pair = &pairs[k];
        *pair = (Pair){.number = k,
                       .comm = below(dice, COMMS),
                       .from = below(dice, ranks),
                       .tag = (int[]){0, 1, 1000, 40000}[below(dice, 4)]};
        pair->to = below(dice, 8) ? (pair->from + 1 + below(dice, ranks - 1)) % ranks : pair->from;
        pair->bytes = 48 * units[below(dice, 9)];
        for (int side = 0; side < 2; side++) {
            pair->parts[side] = divisors[below(dice, 10)];
            pair->gaps[side] = !below(dice, 5);
            if (rank == (side ? pair->to : pair->from)) pair->memory[side] = calloc((size_t)pair->bytes + 1, GAP);
        }
    }
}

static void make_requests(void) {
    for (int k = 0; k < number_of_pairs; k++) {
        Pair *pair = &pairs[k];
        for (int side = 0; side < 2; side++) {
            if (!pair->memory[side]) continue;
            const MPI_Datatype type = pair->gaps[side] ? spaced : MPI_BYTE;
            const MPI_Count each = pair->bytes / pair->parts[side];
            if (side)
                MPI_Precv_init(pair->memory[1], pair->parts[1], each, type, in_comm(pair->comm, pair->from), pair->tag,
                               comms[pair->comm], MPI_INFO_NULL, &pair->request[1]);
            else
                MPI_Psend_init(pair->memory[0], pair->parts[0], each, type, in_comm(pair->comm, pair->to), pair->tag,
                               comms[pair->comm], MPI_INFO_NULL, &pair->request[0]);
        }
    }
}

/* A partition that is to be marked. */
typedef struct {
    Pair *pair;
    int part;
} Mark;
static Mark marks[PAIRS * MOST_PARTITIONS];
static int number_of_marks;

static void ask(Dice *dice) {
    Pair *pair = &pairs[below(dice, number_of_pairs)];
    if (!pair->memory[1]) return;
    int here = 0, part = below(dice, pair->parts[1]);
    MPI_Parrived(pair->request[1], part, &here);
    if (here) look(pair, part);
}

typedef struct {
    int first;
    Dice dice;
} Hand;
static void *mark(void *with) {
    Hand *hand = with;
    for (int k = hand->first; k < number_of_marks; k += number_of_threads) {
        Pair *pair = marks[k].pair;
        fill(pair, marks[k].part);
        if (below(&hand->dice, 2))
            MPI_Pready(marks[k].part, pair->request[0]);
        else
            MPI_Pready_list(1, &marks[k].part, pair->request[0]);
        if (!below(&hand->dice, 3)) ask(&hand->dice);
    }
    return NULL;
}
static void mark_all(Dice *dice) {
    pthread_t others[THREADS];
    Hand hands[THREADS];
    for (int k = 0; k < number_of_threads; k++) hands[k] = (Hand){k, {draw(dice)}};
    for (int k = 1; k < number_of_threads; k++) pthread_create(&others[k], NULL, mark, &hands[k]);
    mark(&hands[0]);
    for (int k = 1; k < number_of_threads; k++) pthread_join(others[k], NULL);
}

static void complete(Dice *dice, MPI_Request *all, int n) {
    int how = below(dice, 5), done = 0, which[2 * PAIRS + 2];
    MPI_Status statuses[2 * PAIRS + 2];
    if (how == 0) MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    if (how == 1)
        for (int k = n - 1; k >= 0; k--) MPI_Wait(&all[k], MPI_STATUS_IGNORE);
    if (how == 2)
        while (!done) MPI_Testall(n, all, &done, statuses);
    if (how == 3)
        for (int left = n; left; left--) {
            MPI_Waitany(n, all, &done, MPI_STATUS_IGNORE);
            if (done == MPI_UNDEFINED) break;
        }
    if (how == 4)
        for (done = 0; done != MPI_UNDEFINED;) MPI_Waitsome(n, all, &done, which, statuses);
}

static void one_turn(Dice *dice) {
    enum { PLAIN = 20000 };
    static unsigned char plain[2][PLAIN];
    MPI_Request all[2 * PAIRS + 2];
    int order[2 * PAIRS], n = 0;
    for (int k = 0; k < 2 * number_of_pairs; k++)
        if (pairs[k / 2].memory[k % 2]) order[n++] = k;
    shuffle(dice, order, n);
    number_of_marks = 0;
    for (int k = 0; k < n; k++) {
        Pair *pair = &pairs[order[k] / 2];
        if (order[k] % 2 && pair->bytes) memset(pair->memory[1], 0xee, (size_t)pair->bytes);
        if (below(dice, 4) || ranks < 2)
            MPI_Start(&pair->request[order[k] % 2]);
        else
            MPI_Startall(1, &pair->request[order[k] % 2]);
        all[k] = pair->request[order[k] % 2];
        for (int part = 0; order[k] % 2 == 0 && part < pair->parts[0]; part++)
            marks[number_of_marks++] = (Mark){pair, part};
    }
    for (int k = number_of_marks - 1; k > 0; k--) {
        const int other = below(dice, k + 1);
        const Mark kept = marks[k];
        marks[k] = marks[other], marks[other] = kept;
    }
    /* A plain message beside them, which any receive may take. */
    memset(plain[0], (int)(rank + turn), PLAIN);
    MPI_Irecv(plain[1], PLAIN, MPI_BYTE, MPI_ANY_SOURCE, 0, comms[turn % 2], &all[n]);
    MPI_Isend(plain[0], PLAIN, MPI_BYTE, (rank + 1) % ranks, 0, comms[turn % 2], &all[n + 1]);
    mark_all(dice);
    complete(dice, all, n + 2);
    for (int k = 0; k < number_of_pairs; k++)
        for (int part = 0; pairs[k].memory[1] && part < pairs[k].parts[1]; part++) look(&pairs[k], part);
    const int left = (rank + ranks - 1) % ranks;
    for (int k = 0; k < PLAIN; k++)
        if (plain[1][k] != (unsigned char)(left + turn)) wrong("a plain message beside that", &pairs[0]);
}

int main(int argc, char **argv) {
    int level;
    const long first = argc > 1 ? atol(argv[1]) : 1, count = argc > 2 ? atol(argv[2]) : 1;
    number_of_threads = argc > 3 ? THREADS : 1;
    MPI_Init_thread(&argc, &argv, number_of_threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_create_resized(MPI_BYTE, 0, GAP, &spaced);
    MPI_Type_commit(&spaced);
    for (seed = first; seed < first + count; seed++) {
        Dice shared = {(uint64_t)seed}, own = {(uint64_t)(seed * 1000 + rank)};
        comms[0] = MPI_COMM_WORLD;
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
        draw_pairs(&shared);
        make_requests();
        const long turns = 1 + below(&shared, 4);
        for (turn = 0; turn < turns; turn++) one_turn(&own);
        for (int k = 0; k < 2 * number_of_pairs; k++) {
            if (!pairs[k / 2].memory[k % 2]) continue;
            MPI_Request_free(&pairs[k / 2].request[k % 2]);
            free(pairs[k / 2].memory[k % 2]);
        }
        MPI_Comm_free(&comms[1]);
        MPI_Comm_free(&comms[2]);
    }
    MPI_Type_free(&spaced);
    if (rank == 0) printf("%ld programs\n", count);
    MPI_Finalize();
    return 0;
}
