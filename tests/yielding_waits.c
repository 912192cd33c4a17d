/* libyielding_waits.so (LD_PRELOAD): a rank of MPICH 4.0 that waits lets another have the core. Below MPI_THREAD_MULTIPLE it polls UCX alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

/* UCX's own: a program may have loaded MPI, and UCX with it, unseen by others. */
static unsigned (*its_progress(void))(void *) {
    void *const library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    unsigned (*found)(void *);
    *(void **)&found = dlsym(library, "ucp_worker_progress");
    return found;
}

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    if (!progress) progress = its_progress();
    const unsigned made = progress(worker);
    if (!made) sched_yield();
    return made;
}
