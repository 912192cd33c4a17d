/* libyielding_waits.so (LD_PRELOAD): a rank of MPICH 4.0 that waits lets another have the core. Below MPI_THREAD_MULTIPLE it polls UCX alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    if (!progress) *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned made = progress(worker);
    if (!made) sched_yield();
    return made;
}
