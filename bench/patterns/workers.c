// A master hands out tasks, a worker gets the next one for each result. Which worker does which task is chance, what it sends back is not.
#include "pattern.h"

enum { TASK = 32 * KIB, RESULT = 16 * KIB, TASKS = 4 }; // of a worker in a step, on average
enum { NO_MORE };                                       // a tag; a task's is its number, from 1 on

static char *task, *result;

static void buffers(void) {
    task = memory(TASK);
    result = memory(RESULT);
}

static uint64_t name_of(long step, int number, int is_result) {
    return data_of(2 * (step * TASKS * ranks + number) + is_result, 0);
}

static void hand_out(long step, int number, int to) {
    if (number > TASKS * (ranks - 1)) {
        MPI_Send(NULL, 0, MPI_BYTE, to, NO_MORE, WORLD);
        return;
    }
    make_data(task, TASK, name_of(step, number, 0));
    MPI_Send(task, TASK, MPI_BYTE, to, number, WORLD);
}

static void master(long step) {
    int next = 1;
    for (int worker = 1; worker < ranks; worker++) hand_out(step, next++, worker);
    for (int results = 0; results < TASKS * (ranks - 1); results++) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
        MPI_Recv(result, RESULT, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, WORLD, MPI_STATUS_IGNORE);
        hand_out(step, next++, status.MPI_SOURCE);
        use_data(result, RESULT, name_of(step, status.MPI_TAG, 1));
    }
}

static void worker(long step) {
    for (;;) {
        MPI_Status status;
        MPI_Recv(task, TASK, MPI_BYTE, 0, MPI_ANY_TAG, WORLD, &status);
        if (status.MPI_TAG == NO_MORE) return;
        use_data(task, TASK, name_of(step, status.MPI_TAG, 0));
        make_data(result, RESULT, name_of(step, status.MPI_TAG, 1));
        MPI_Send(result, RESULT, MPI_BYTE, 0, status.MPI_TAG, WORLD);
    }
}

static void step_of_all(long step) {
    if (rank == 0)
        master(step);
    else
        worker(step);
}

const struct Pattern workers[] = {
    {"workers", "a master's tasks of 32 KiB, results of 16 KiB from any source", .set_up = buffers,
     .step = step_of_all},
    {0},
};
