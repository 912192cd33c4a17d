/* An mpirun that holds itself up the first time, as Open MPI 4.1's can, and else ends as its job did. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) void PMIx_server_finalize(void) {
    for (;;) pause();
}

int main(void) {
    if (mkdir(getenv("FIRST_TIME"), 0700) == 0) PMIx_server_finalize();
    puts("ok");
    return 7;
}
