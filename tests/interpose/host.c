/* host LIBRARY: loads late.c's library with RTLD_LOCAL, as Python loads an extension, and lets it do everything. It has no
 * MPI of its own. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*late_exchange)(void) = handle ? (int (*)(void))dlsym(handle, "late_exchange") : NULL;
    if (!late_exchange) return fprintf(stderr, "host: %s\n", dlerror()), 2;
    return late_exchange();
}
