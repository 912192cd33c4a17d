// Particles move to neighbouring ranks, in each step another number of them: counts travel first, or the receiver asks for them.
#include "pattern.h"

enum { TO_LEFT, TO_RIGHT };
enum { PARTICLE = 6 * sizeof(double), MOST = 1500 };

static char *in, *out[2];

static void buffers(void) {
    in = memory((size_t)MOST * PARTICLE);
    for (int side = 0; side < 2; side++) out[side] = memory((size_t)MOST * PARTICLE);
}

static int number(long step, int from, int direction) {
    return (int)((step * 7919 + from * 104729 + direction * 31) % MOST);
}

static uint64_t name_of(long step, int from, int direction) {
    return data_of(2 * step + direction, from);
}

static int make_particles(long step, int direction) {
    const int bytes = number(step, rank, direction) * PARTICLE;
    make_data(out[direction], (size_t)bytes, name_of(step, rank, direction));
    return bytes;
}

static void counted(long step) {
    for (int direction = TO_LEFT; direction <= TO_RIGHT; direction++) {
        const int to = direction == TO_LEFT ? left() : right(), from = direction == TO_LEFT ? right() : left();
        int going = make_particles(step, direction), coming;
        MPI_Sendrecv(&going, 1, MPI_INT, to, 0, &coming, 1, MPI_INT, from, 0, WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out[direction], going, MPI_BYTE, to, 1, in, coming, MPI_BYTE, from, 1, WORLD, MPI_STATUS_IGNORE);
        use_data(in, (size_t)coming, name_of(step, from, direction));
    }
}

static void probed(long step) {
    MPI_Request going[2];
    for (int direction = TO_LEFT; direction <= TO_RIGHT; direction++) {
        const int bytes = make_particles(step, direction);
        MPI_Isend(out[direction], bytes, MPI_BYTE, direction == TO_LEFT ? left() : right(), direction, WORLD,
                  &going[direction]);
    }
    for (int direction = TO_LEFT; direction <= TO_RIGHT; direction++) {
        const int from = direction == TO_LEFT ? right() : left();
        MPI_Status status;
        int bytes;
        MPI_Probe(from, direction, WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        MPI_Recv(in, bytes, MPI_BYTE, from, direction, WORLD, MPI_STATUS_IGNORE);
        use_data(in, (size_t)bytes, name_of(step, from, direction));
    }
    MPI_Waitall(2, going, MPI_STATUSES_IGNORE);
}

const struct Pattern particles[] = {
    {"particles", "counts first, then up to 70 KB of particles, each step another number", .set_up = buffers,
     .step = counted},
    {"particles-probed", "up to 70 KB of particles, whose number MPI_Probe tells", .set_up = buffers, .step = probed},
    {0},
};
