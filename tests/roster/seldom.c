/* Put before libc: rank 1 has a core only now and then, as beside programs that take all of them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

int sched_yield(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = getenv("PMI_RANK");
    if (rank && *rank == '1') usleep(20000);
    return 0;
}
