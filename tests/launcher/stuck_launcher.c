/* An mpirun that holds itself up the first time, as Open MPI's can, and else ends as its job did. PLACE: the function in which it waits. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) void PLACE(void) {
    for (;;) pause();
}

int main(void) {
    if (mkdir(getenv("FIRST_TIME"), 0700) == 0) PLACE();
    puts("ok");
    return 7;
}
