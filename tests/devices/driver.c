/* A stand-in for a device's driver: CUDA's, HIP's of version 5 or 6, or Level Zero's, as -D says. Memory of its device is closed to the processor.
 * An access of the MPI library is let through, an instruction at a time, as if the library knew the device; one of libstretto is counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { ROOM = 1 << 20, TRAP_FLAG = 0x100 };
static char *device, *registered;
static size_t used;
static volatile long touches;

static int is_libstrettos(void) {
    void *frames[32];
    const int n = backtrace(frames, 32);
    Dl_info here;
    int past_the_signal = 0;
    dladdr((void *)is_libstrettos, &here);
    for (int k = 2; k < n; k++) {
        Dl_info in;
        if (!dladdr(frames[k], &in) || !in.dli_fname) continue;
        const int ours = strstr(in.dli_fname, "libstretto") != NULL;
        if (strstr(in.dli_fname, "libc.so") || in.dli_fbase == here.dli_fbase) {
            past_the_signal = 1;
            continue;
        }
        if (ours && !past_the_signal) continue; /* its handler, which passes the fault on to us */
        return ours;
    }
    return 0;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    const uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)device;
    if (at >= ROOM) {
        signal(number, SIG_DFL);
        return;
    }
    if (is_libstrettos()) touches++;
    mprotect(device, ROOM, PROT_READ | PROT_WRITE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void after_the_access(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    mprotect(device, ROOM, PROT_NONE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

__attribute__((constructor)) static void start(void) {
    void *frames[2];
    backtrace(frames, 2); /* loads what it needs */
    device = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    registered = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    action.sa_sigaction = after_the_access;
    sigaction(SIGTRAP, &action, NULL);
}

enum kind { UNKNOWN, REGISTERED, ON_DEVICE };
static enum kind kind_of(uintptr_t address) {
    return address - (uintptr_t)device < ROOM       ? ON_DEVICE
           : address - (uintptr_t)registered < ROOM ? REGISTERED
                                                    : UNKNOWN;
}

#if defined CUDA
/* cuda.h: attribute 2 is the memory's type (1 the host's, 2 the device's), 8 whether it is managed. */
int cuPointerGetAttribute(void *value, int attribute, unsigned long long address) {
    enum { SUCCESS = 0, INVALID_VALUE = 1, MEMORY_TYPE = 2 };
    const enum kind kind = kind_of(address);
    if (kind == UNKNOWN) return INVALID_VALUE;
    *(unsigned *)value = attribute == MEMORY_TYPE ? (kind == ON_DEVICE ? 2 : 1) : 0;
    return SUCCESS;
}

#elif defined HIP
/* hip_runtime_api.h: the memory's type is 0 the host's, 1 the device's; since version 6 one more, and 0 what HIP does not know. */
int hipPointerGetAttributes(void *attributes, const void *address) {
    enum { SUCCESS = 0, INVALID_VALUE = 1 };
    const enum kind kind = kind_of((uintptr_t)address);
    if (HIP < 6 && kind == UNKNOWN) return INVALID_VALUE;
    *(int *)attributes = (int)kind - (HIP < 6);
    return SUCCESS;
}

int hipRuntimeGetVersion(int *version) {
    *version = HIP * 10000000;
    return 0;
}

#elif defined LEVEL_ZERO
/* ze_api.h: a memory's type is 0 unknown, 1 the host's, 2 the device's; who asks names a context of a driver, and what it gives and expects. */
enum { SUCCESS = 0, INVALID = 0x78000004, CONTEXT_DESCRIPTION = 0xd, MEMORY_PROPERTIES = 0x17 };
static int started, driver, context;

int zeInit(unsigned flags) {
    started = flags == 0;
    return SUCCESS;
}

int zeDriverGet(unsigned *number, void **drivers) {
    if (!started) return INVALID;
    if (drivers) *drivers = &driver;
    *number = 1;
    return SUCCESS;
}

int zeContextCreate(void *its_driver, const int *description, void **made) {
    if (its_driver != &driver || *description != CONTEXT_DESCRIPTION) return INVALID;
    *made = &context;
    return SUCCESS;
}

int zeMemGetAllocProperties(void *its_context, const void *address, void *properties, void **its_device) {
    struct {
        int structure;
        void *more;
        int type;
    } *const asked = properties;
    if (its_context != &context || asked->structure != MEMORY_PROPERTIES) return INVALID;
    asked->type = (int)kind_of((uintptr_t)address);
    *its_device = NULL;
    return SUCCESS;
}
#endif

void *stand_in_allocate(size_t bytes) {
    void *memory = device + used;
    used += (bytes + 4095) / 4096 * 4096;
    return memory;
}

void *stand_in_registered(void) {
    return registered;
}

/* To the device and back. */
void stand_in_copy(void *to, const void *from, size_t bytes) {
    mprotect(device, ROOM, PROT_READ | PROT_WRITE);
    memcpy(to, from, bytes);
    mprotect(device, ROOM, PROT_NONE);
}

long stand_in_touches(void) {
    return touches;
}
