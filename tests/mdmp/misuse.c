/* Wrong directives: each ends the job with a message that names the lines marked HERE and THERE.
 *
 *     misuse NAME */
#define STRETTO_MDMP_CALLS
#include <stretto/mdmp.h>

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static float a[100000], b[100000];

static void begin_at(int level) {
    int provided;
    MPI_Init_thread(NULL, NULL, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}
static void begin(void) {
    begin_at(MPI_THREAD_SINGLE);
}

/* --- sizes --- */

static void sizes_differ(int sent, int taken) {
    begin();
    MDMP_REGION();
    if (rank == 0) MDMP_SEND(a[10], sent, 1);  /* sizes THERE */
    if (rank == 1) MDMP_RECV(b[20], taken, 0); /* sizes HERE */
    MPI_Barrier(MPI_COMM_WORLD);
}
static void receives_more(void) {
    sizes_differ(50, 100);
}
static void receives_less(void) {
    sizes_differ(100, 50);
}
static void receives_a_long_one_for_a_short_one(void) {
    sizes_differ(100, 50000);
}
static void receives_a_short_one_for_a_long_one(void) {
    sizes_differ(50000, 100);
}
static void receives_a_longer_one(void) {
    sizes_differ(50000, 50001);
}
static void receives_nothing(void) {
    sizes_differ(50, 0);
}
static void receives_the_next_one(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE();
    if (rank == 0) MDMP_SEND(a[0], 50000, 1);
    if (rank == 0) MDMP_SEND(a[10], 60000, 1); /* THERE */
    if (rank == 1) MDMP_RECV(b[0], 50000, 0);
    if (rank == 1) MDMP_RECV(b[50000], 50000, 0); /* HERE */
    MDMP_EXCHANGE_END();
    MPI_Barrier(MPI_COMM_WORLD);
}
static void types_differ(void) {
    static double d[50];
    begin();
    MDMP_REGION();
    if (rank == 0) MDMP_SEND(a[0], 100, 1); /* THERE */
    if (rank == 1) MDMP_RECV(d[0], 50, 0);  /* HERE */
    MPI_Barrier(MPI_COMM_WORLD);
}

/* --- arguments --- */

static void partner_is_no_rank(void) {
    begin();
    MDMP_REGION();
    MDMP_SEND(a[0], 1, ranks); /* HERE */
}
static void partner_is_no_rank_of_the_communicator(void) {
    begin();
    MDMP_REGION(MDMP_COMM(MPI_COMM_SELF));
    MDMP_SEND(a[0], 1, 1); /* HERE */
}
static void partner_is_any(void) {
    begin();
    MDMP_REGION();
    MDMP_RECV(a[0], 1, MPI_ANY_SOURCE); /* HERE */
}
static void tag_is_negative(void) {
    begin();
    MDMP_REGION();
    MDMP_RECV(a[0], 1, MDMP_NONE, MDMP_TAG(-1)); /* HERE */
}
static void tag_is_too_large(void) {
    int *most, found;
    begin();
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    MDMP_REGION();
    MDMP_RECV(a[0], 1, 0, MDMP_TAG(*most)); /* HERE */
}
static void count_is_negative(void) {
    begin();
    MDMP_REGION();
    MDMP_SEND_SECTION(a[0], (3, rank - 5), (4, 1), 0); /* HERE */
}
static void memory_is_none(void) {
    float *none = NULL;
    begin();
    MDMP_REGION();
    MDMP_RECV(none[0], 3, 0); /* HERE */
}
static void section_is_too_large(void) {
    begin();
    MDMP_REGION();
    MDMP_RECV_SECTION(a[0], (INT64_MAX / 4, 7), (7, 1), 0); /* HERE */
}
static void dimensions_are_too_many(void) {
    begin();
    MDMP_REGION();
    MDMP_SEND_SECTION(a[0], (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), /* HERE */
                      (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 0);
}

/* --- overlap --- */

static void receives_into_what_is_sent(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_SEND(a[10], 20, 0); /* THERE */
    MDMP_RECV(a[29], 20, 0); /* HERE */
    MDMP_EXCHANGE_END();
}
static void sends_what_is_received(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_RECV_SECTION(a[0], (10, 10), (100, 3), 0); /* THERE */
    MDMP_SEND_SECTION(a[7], (10), (101), 0);        /* HERE */
    MDMP_EXCHANGE_END();
}
static void receives_twice(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE();
    MDMP_RECV(a[0], 100, 0); /* THERE */
    MDMP_RECV(a[99], 1, 0);  /* HERE */
    MDMP_EXCHANGE_END();
}
static void receives_twice_in_one(void) {
    begin();
    MDMP_REGION();
    MDMP_RECV_SECTION(a[0], (5, 5), (3, 1), 0); /* HERE */
}

/* --- regions --- */

static void outside_a_region(void) {
    begin();
    MDMP_REGION();
    MDMP_REGION_END();
    MDMP_SEND(a[0], 1, 0); /* HERE */
}
static void outside_a_region_before_mpi(void) {
    MDMP_RECV(a[0], 1, 0); /* HERE */
}
static void exchange_outside_a_region(void) {
    begin();
    MDMP_EXCHANGE(); /* HERE */
}
static void region_is_not_ended(void) {
    begin();
    MDMP_REGION(); /* HERE */
    MPI_Finalize();
}
static void region_is_not_ended_at_exit(void) {
    MDMP_REGION(); /* HERE */
    exit(0);
}
static void end_without_a_region(void) {
    begin();
    MDMP_REGION();
    MDMP_REGION_END();
    MDMP_REGION_END(); /* HERE */
}
static void region_after_finalize(void) {
    begin();
    MPI_Finalize();
    MDMP_REGION(); /* HERE */
}
static void send_after_finalize(void) {
    begin();
    MDMP_REGION();
    MDMP_REGION_END();
    MPI_Finalize();
    MDMP_SEND(a[0], 1, 0); /* HERE */
}
static void exchange_is_not_ended(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE(); /* THERE */
    MDMP_SEND(a[0], 1, 0);
    MDMP_REGION_END(); /* HERE */
}
static void exchange_in_an_exchange(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE(); /* THERE */
    MDMP_EXCHANGE(); /* HERE */
}

/* --- communicators --- */

static void communicator_is_null(void) {
    begin();
    MDMP_REGION(MDMP_COMM(MPI_COMM_NULL)); /* HERE */
}
static void communicator_of_a_send_is_null(void) {
    begin();
    MDMP_REGION();
    MDMP_SEND(a[0], 1, 0, MDMP_COMM(MPI_COMM_NULL)); /* HERE */
}
static void communicator_is_of_no_region(void) {
    begin();
    MDMP_REGION(MDMP_COMM(MPI_COMM_SELF));
    MDMP_REGION_END();
    MDMP_REGION();
    MDMP_SEND(a[0], 1, 0, MDMP_COMM(MPI_COMM_SELF)); /* HERE */
}
static void communicator_is_freed(void) {
    MPI_Comm comm;
    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MDMP_REGION(MDMP_COMM(comm)); /* HERE */
    MPI_Comm_free(&comm);
}

/* --- threads --- */

static void *send_one(void *none) {
    MDMP_SEND(a[0], 1, 0); /* thread HERE */
    return none;
}
static void *end_one(void *none) {
    MDMP_REGION_END(); /* ends HERE */
    return none;
}
static void run(void *(*what)(void *)) {
    pthread_t thread;
    MDMP_REGION();
    pthread_create(&thread, NULL, what, NULL);
    pthread_join(thread, NULL);
}
static void second_thread_of_one(void) {
    begin_at(MPI_THREAD_FUNNELED);
    run(send_one);
}
static void another_thread_ends_a_region(void) {
    begin_at(MPI_THREAD_MULTIPLE);
    run(end_one);
}

/* --- reductions and broadcasts: rank 0 names its own line, and that of who differs --- */

static void reductions_differ_in_size(void) {
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_REDUCE(+, a[10], 50);  /* THERE */
    if (rank == 0) MDMP_REDUCE(+, b[20], 100); /* HERE */
}
static void reductions_differ_in_operation(void) {
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_REDUCE(max, a[10], 50); /* THERE */
    if (rank == 0) MDMP_REDUCE(+, b[20], 50);   /* HERE */
}
static void reductions_differ_in_type(void) {
    static int k[50];
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_REDUCE(max, k[0], 50); /* THERE */
    if (rank == 0) MDMP_REDUCE(max, a[0], 50); /* HERE */
}
static void reductions_differ_in_root(void) {
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_REDUCE(+, a[0], 50, MDMP_ROOT(1)); /* THERE */
    if (rank == 0) MDMP_REDUCE(+, a[0], 50);               /* HERE */
}
static void broadcasts_differ_in_size(void) {
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_BCAST(a[0], 50000, 0); /* THERE */
    if (rank == 0) MDMP_BCAST(a[0], 50, 0);    /* HERE */
}
static void broadcasts_differ_in_root(void) {
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_BCAST(a[0], 5, 1); /* THERE */
    if (rank == 0) MDMP_BCAST(a[0], 5, 0); /* HERE */
}
static void collectives_differ(void) {
    begin();
    MDMP_REGION();
    if (rank == 1) MDMP_BCAST(a[0], 50, 0);  /* THERE */
    if (rank == 0) MDMP_REDUCE(+, a[0], 50); /* HERE */
}
static void operation_is_unknown(void) {
    begin();
    MDMP_REGION();
    MDMP_REDUCE(mean, a[0], 1); /* HERE */
}
static void operation_is_of_other_numbers(void) {
    begin();
    MDMP_REGION();
    MDMP_REDUCE(^, a[0], 1); /* HERE */
}
static void elements_are_no_numbers(void) {
    static struct stretto_directive directive = {1, 0, __LINE__, 3, "misuse.c", "f", "+: pair", NULL}; /* HERE */
    begin();
    MDMP_REGION();
    stretto_range_reduce(&directive, STRETTO_OP_ADD, a, 1, 16, 0, STRETTO_ROOT_ALL, NULL);
}
static void elements_are_too_long(void) {
    static struct stretto_directive directive = {1, 0, __LINE__, 3, "misuse.c", "f", "+: wide", NULL}; /* HERE */
    begin();
    MDMP_REGION();
    stretto_range_reduce(&directive, STRETTO_OP_ADD, a, 1, 16, STRETTO_TYPE_SIGNED, STRETTO_ROOT_ALL, NULL);
}
static void root_is_no_rank(void) {
    begin();
    MDMP_REGION();
    MDMP_BCAST(a[0], 1, ranks); /* HERE */
}
static void root_of_a_reduction_is_no_rank(void) {
    begin();
    MDMP_REGION();
    MDMP_REDUCE(+, a[0], 1, MDMP_ROOT(-1)); /* HERE */
}
static void reduces_twice_in_one(void) {
    begin();
    MDMP_REGION();
    MDMP_REDUCE_SECTION(+, a[0], (5, 5), (3, 1)); /* HERE */
}
static void broadcast_count_is_negative(void) {
    begin();
    MDMP_REGION();
    MDMP_BCAST(a[0], rank - 5, 0); /* HERE */
}
static void reduction_outside_a_region(void) {
    begin();
    MDMP_REDUCE(+, a[0], 1); /* HERE */
}
static void reduction_in_an_exchange(void) {
    begin();
    MDMP_REGION();
    MDMP_EXCHANGE(); /* THERE */
    MDMP_SEND(a[0], 1, 0);
    MDMP_REDUCE(+, a[0], 1); /* HERE */
}
static void reduction_after_finalize(void) {
    begin();
    MDMP_REGION();
    MDMP_REGION_END();
    MPI_Finalize();
    MDMP_REDUCE(+, a[0], 1); /* HERE */
}
static void reduction_of_another_communicator(void) {
    begin();
    MDMP_REGION();
    MDMP_REDUCE(+, a[0], 1, MDMP_COMM(MPI_COMM_SELF)); /* HERE */
}
static void broadcast_between_groups(void) {
    MPI_Comm half, between;
    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &between);
    MDMP_REGION(MDMP_COMM(between));
    MDMP_BCAST(a[0], 1, 0); /* HERE */
}

static void version_is_later(void) {
    static struct stretto_directive directive = {99, 0, 12, 3, "later.c", "f", NULL, NULL};
    begin();
    stretto_region_begin(&directive, NULL);
}

#define MISUSE(name) \
    { #name, name }

static const struct {
    const char *name;
    void (*run)(void);
} misuses[] = {
    MISUSE(receives_more),
    MISUSE(receives_less),
    MISUSE(receives_a_long_one_for_a_short_one),
    MISUSE(receives_a_short_one_for_a_long_one),
    MISUSE(receives_a_longer_one),
    MISUSE(receives_nothing),
    MISUSE(receives_the_next_one),
    MISUSE(types_differ),
    MISUSE(partner_is_no_rank),
    MISUSE(partner_is_no_rank_of_the_communicator),
    MISUSE(partner_is_any),
    MISUSE(tag_is_negative),
    MISUSE(tag_is_too_large),
    MISUSE(count_is_negative),
    MISUSE(memory_is_none),
    MISUSE(section_is_too_large),
    MISUSE(dimensions_are_too_many),
    MISUSE(receives_into_what_is_sent),
    MISUSE(sends_what_is_received),
    MISUSE(receives_twice),
    MISUSE(receives_twice_in_one),
    MISUSE(outside_a_region),
    MISUSE(outside_a_region_before_mpi),
    MISUSE(exchange_outside_a_region),
    MISUSE(region_is_not_ended),
    MISUSE(region_is_not_ended_at_exit),
    MISUSE(end_without_a_region),
    MISUSE(region_after_finalize),
    MISUSE(send_after_finalize),
    MISUSE(exchange_is_not_ended),
    MISUSE(exchange_in_an_exchange),
    MISUSE(communicator_is_null),
    MISUSE(communicator_of_a_send_is_null),
    MISUSE(communicator_is_of_no_region),
    MISUSE(communicator_is_freed),
    MISUSE(second_thread_of_one),
    MISUSE(another_thread_ends_a_region),
    MISUSE(reductions_differ_in_size),
    MISUSE(reductions_differ_in_operation),
    MISUSE(reductions_differ_in_type),
    MISUSE(reductions_differ_in_root),
    MISUSE(broadcasts_differ_in_size),
    MISUSE(broadcasts_differ_in_root),
    MISUSE(collectives_differ),
    MISUSE(operation_is_unknown),
    MISUSE(operation_is_of_other_numbers),
    MISUSE(elements_are_no_numbers),
    MISUSE(elements_are_too_long),
    MISUSE(root_is_no_rank),
    MISUSE(root_of_a_reduction_is_no_rank),
    MISUSE(reduces_twice_in_one),
    MISUSE(broadcast_count_is_negative),
    MISUSE(reduction_outside_a_region),
    MISUSE(reduction_in_an_exchange),
    MISUSE(reduction_after_finalize),
    MISUSE(reduction_of_another_communicator),
    MISUSE(broadcast_between_groups),
    MISUSE(version_is_later),
};

int main(int argc, char **argv) {
    for (size_t k = 0; k < sizeof misuses / sizeof *misuses; k++)
        if (argc > 1 && strcmp(misuses[k].name, argv[1]) == 0) {
            misuses[k].run();
            puts("not noticed");
            return 0;
        }
    fprintf(stderr, "misuse NAME\n");
    return 2;
}
