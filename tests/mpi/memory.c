/* Memory that changes hands while a message may still come into it (docs/safety.md): what has the place next is never written to, and what the
 * program asks of the kernel for it holds as after MPI_Recv. */
#define _GNU_SOURCE
#include "promise.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <ucontext.h>
#include <unistd.h>

enum { BYTES = 1 << 20, HALF = BYTES / 2, TIMES = 2 };

static unsigned char *map_at(void *place, long bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0);
    unsigned char *memory = mmap(place, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/* The window lets a part leave at once (STRETTO_BUDGET), the rest only when we call MPI again. */
static void transfer(unsigned char *buffer, unsigned what) {
    MPI_Request request;
    if (rank == 0) {
        unsigned char *memory = malloc(BYTES);
        fill(memory, BYTES, what);
        MPI_Isend(memory, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        usleep(20000);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        free(memory);
    }
    if (rank == 1) MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All that was sent before has come, wherever it went. */
static void all_has_come(void) {
    if (rank == 0) hear(1);
    if (rank == 1) usleep(30000), tell(0);
    if (rank == 0) tell(1);
    if (rank == 1) hear(0);
    int token = 0;
    MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static int kernel_may_write(void *memory) {
    const int zeros = open("/dev/zero", O_RDONLY);
    const int may = read(zeros, memory, 1) == 1;
    close(zeros);
    return may;
}

static int part_holds(const unsigned char *memory, long from, long bytes, unsigned what) {
    for (long k = 0; k < bytes; k++)
        if (memory[k] != byte_of(what, from + k)) return 0;
    return 1;
}

PROMISE(released_what_is_unmapped_goes_to_nobody) {
    for (int k = 0; k < TIMES; k++) {
        unsigned char *buffer = map_at(NULL, BYTES);
        transfer(buffer, k);
        CHECK(munmap(buffer, BYTES) == 0);
        buffer = memset(map_at(buffer, BYTES), 'y', BYTES);
        all_has_come();
        CHECK(all_are(buffer, BYTES, 'y'));
        munmap(buffer, BYTES);
    }
}

PROMISE(released_what_is_mapped_over_is_the_new) {
    for (int k = 0; k < 2 * TIMES; k++) {
        unsigned char *buffer = map_at(NULL, BYTES);
        transfer(buffer, k);
        if (k % 2) {
            const int segment = shmget(IPC_PRIVATE, HALF, 0600);
            CHECK(segment >= 0 && shmat(segment, buffer + HALF, SHM_REMAP) == buffer + HALF);
            shmctl(segment, IPC_RMID, NULL);
        } else {
            map_at(buffer + HALF, HALF);
        }
        all_has_come();
        CHECK(all_are(buffer + HALF, HALF, 0));
        if (rank == 1) CHECK(part_holds(buffer, 0, HALF, k));
        munmap(buffer, BYTES);
    }
}

/* Unless somebody else has made the heap longer meanwhile. */
PROMISE(released_what_the_heap_gives_back_goes_to_nobody) {
    enum { PAGE = 4096 };
    for (int k = 0; k < 2 * TIMES; k++) {
        sbrk(PAGE - (intptr_t)sbrk(0) % PAGE);
        unsigned char *buffer = sbrk(BYTES);
        CHECK(buffer != (void *)-1);
        transfer(buffer, k);
        const int ours = sbrk(0) == buffer + BYTES;
        if (ours) {
            CHECK(k % 2 ? sbrk(-HALF) != (void *)-1 : brk(buffer + HALF) == 0);
            CHECK(sbrk(HALF) == buffer + HALF);
        }
        all_has_come();
        if (ours) CHECK(all_are(buffer + HALF, HALF, 0));
        if (rank == 1) CHECK(part_holds(buffer, 0, HALF, k));
    }
}

PROMISE(released_what_is_dropped_reads_as_zeros) {
    for (int k = 0; k < TIMES; k++) {
        unsigned char *buffer = map_at(NULL, BYTES);
        transfer(buffer, k);
        CHECK(madvise(buffer + 8192, HALF, MADV_DONTNEED) == 0);
        all_has_come();
        CHECK(all_are(buffer + 8192, HALF, 0));
        if (rank == 1) CHECK(part_holds(buffer, 0, 8192, k));
        munmap(buffer, BYTES);
    }
}

PROMISE(released_what_grows_or_shrinks_in_place_or_moves_has_its_message) {
    for (int k = 0; k < 4; k++) {
        unsigned char *buffer = map_at(NULL, BYTES), *place = map_at(NULL, 8 * BYTES);
        const long bytes = k == 1 ? HALF : k == 2 ? BYTES : 8 * BYTES, kept = bytes < BYTES ? bytes : BYTES;
        transfer(buffer, k);
        unsigned char *moved = k < 2 ? mremap(buffer, BYTES, bytes, MREMAP_MAYMOVE)
                                     : mremap(buffer, BYTES, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
        CHECK(moved != MAP_FAILED);
        if (rank == 1) CHECK(part_holds(moved, 0, kept, k));
        all_has_come();
        if (rank == 1) CHECK(part_holds(moved, 0, kept, k));
        munmap(moved, bytes);
        munmap(place, 8 * BYTES);
    }
}

static unsigned char block[BYTES] __attribute__((aligned(4096))) = {1}; /* of a file's private pages */

PROMISE(released_what_is_made_read_only_has_its_message_and_stays_so) {
    for (int k = 0; k < 2 * TIMES; k++) {
        unsigned char *buffer = k % 2 ? block : map_at(NULL, BYTES);
        transfer(buffer, k);
        CHECK((k < TIMES ? mprotect(buffer, BYTES, PROT_READ) : pkey_mprotect(buffer, BYTES, PROT_READ, -1)) == 0);
        if (rank == 1) CHECK(part_holds(buffer, 0, BYTES, k));
        all_has_come();
        CHECK(!kernel_may_write(buffer + HALF) && !kernel_may_write(buffer + BYTES - 1));
        CHECK(mprotect(buffer, BYTES, PROT_READ | PROT_WRITE) == 0);
        if (buffer != block) munmap(buffer, BYTES);
    }
}

/* A call that waits for what comes, and then does as it should, leaves errno as it was. */
PROMISE(released_errno_stays_while_a_call_waits) {
    const int nowhere = open("/dev/null", O_WRONLY);
    for (int k = 0; k < 4; k++) {
        unsigned char *buffer = k == 1 ? malloc(BYTES) : map_at(NULL, BYTES);
        transfer(buffer, k);
        errno = EDOM;
        if (k == 0) CHECK(write(nowhere, buffer, BYTES) == BYTES);
        if (k == 1) buffer = realloc(buffer, 2 * BYTES);
        if (k == 2) CHECK(mprotect(buffer, BYTES, PROT_READ) == 0);
        if (k == 3) CHECK(mremap(buffer, BYTES, HALF, 0) == buffer);
        CHECK(errno == EDOM);
        if (rank == 1) CHECK(part_holds(buffer, 0, HALF, k));
        all_has_come();
        k == 1 ? free(buffer) : (void)munmap(buffer, k == 3 ? HALF : BYTES);
    }
    close(nowhere);
}

PROMISE(released_what_is_locked_has_its_message) {
    for (int k = 0; k < TIMES; k++) {
        unsigned char *buffer = map_at(NULL, BYTES);
        const int allowed = mlock(buffer, BYTES) == 0;
        munlock(buffer, BYTES);
        transfer(buffer, k);
        CHECK(((k % 2 ? mlock(buffer, BYTES) : mlock2(buffer, BYTES, 0)) == 0) == allowed);
        if (rank == 1) CHECK(part_holds(buffer, 0, BYTES, k));
        munmap(buffer, BYTES);
    }
}

static int free_block(MPI_Comm comm, int key, void *memory, void *extra) {
    (void)comm, (void)key, (void)extra;
    free(memory);
    return MPI_SUCCESS;
}

PROMISE(released_what_a_callback_frees_goes_to_nobody) {
    int key;
    mallopt(M_MMAP_THRESHOLD, 64 << 10); /* so that the next allocation has the place */
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_block, &key, NULL);
    for (int k = 0; k < TIMES; k++) {
        unsigned char *buffer = malloc(BYTES);
        transfer(buffer, k);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, buffer);
        MPI_Comm_delete_attr(MPI_COMM_SELF, key);
        buffer = memset(malloc(BYTES), 'y', BYTES); /* the same memory */
        all_has_come();
        CHECK(all_are(buffer, BYTES, 'y'));
        free(buffer);
    }
    MPI_Comm_free_keyval(&key);
}

/* A fiber: its stack is memory like any other to the kernel. */
static ucontext_t fiber, scheduler;

static void __attribute__((noinline)) receive_into_a_variable(void) {
    unsigned char local[BYTES] __attribute__((aligned(4096)));
    transfer(local, 1);
    if (rank == 1) CHECK(local[0] == byte_of(1, 0));
}

static void __attribute__((noinline)) use_the_same_stack(void) {
    volatile unsigned char local[BYTES];
    for (long k = BYTES - 1; k >= 0; k--) local[k] = 0;
    all_has_come();
    int bad = 0;
    for (long k = 0; k < BYTES; k++) bad += local[k] != 0;
    CHECK(!bad);
}

static void work(void) {
    receive_into_a_variable();
    use_the_same_stack();
}

PROMISE(released_a_fiber_uses_its_stack_again) {
    enum { STACK = 1 << 23 };
    unsigned char *stack = map_at(NULL, STACK);
    getcontext(&fiber);
    fiber.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK};
    fiber.uc_link = &scheduler;
    makecontext(&fiber, work, 0);
    swapcontext(&scheduler, &fiber);
    munmap(stack, STACK);
}

/* Another thread's stack: where it is closed, the kernel has no room to tell that thread of it. */
static pthread_barrier_t lent, received;
static unsigned char *of_the_thread;

static void __attribute__((noinline)) lend_a_variable(void) {
    unsigned char local[BYTES] __attribute__((aligned(4096)));
    of_the_thread = local;
    pthread_barrier_wait(&lent);
    pthread_barrier_wait(&received);
}

static void __attribute__((noinline)) go_deep(void) {
    volatile unsigned char local[BYTES];
    for (long k = 0; k < BYTES; k += 1024) local[k] = 0;
}

static void *lend_and_go_on(void *none) {
    lend_a_variable();
    go_deep();
    return none;
}

PROMISE(released_a_message_comes_onto_the_stack_of_another_thread) {
    pthread_t thread;
    pthread_barrier_init(&lent, NULL, 2), pthread_barrier_init(&received, NULL, 2);
    pthread_create(&thread, NULL, lend_and_go_on, NULL);
    pthread_barrier_wait(&lent);
    transfer(of_the_thread, 5);
    pthread_barrier_wait(&received);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&lent), pthread_barrier_destroy(&received);
    all_has_come();
}

/* libc itself reads into it, moves it and grows it. */
PROMISE(released_a_line_grows_where_a_message_came) {
    size_t room = BYTES;
    unsigned char *longer = memset(malloc(2 * BYTES), 'l', 2 * BYTES);
    longer[2 * BYTES - 1] = '\n';
    FILE *file = fmemopen(longer, 2 * BYTES, "r");
    char *line = malloc(BYTES);
    transfer((unsigned char *)line, 6);
    CHECK(getline(&line, &room, file) == 2 * BYTES);
    CHECK(memcmp(line, longer, 2 * BYTES) == 0);
    all_has_come();
    CHECK(memcmp(line, longer, 2 * BYTES) == 0);
    fclose(file);
    free(line), free(longer);
}
