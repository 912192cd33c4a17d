/* What may be called before MPI_Init (MPI 4.1, 11.4.1), by many threads at once: the first call of all finds the MPI library. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 16 };

static pthread_barrier_t together;

static void *ask(void *wrong) {
    int version = 0, subversion, yes = 1, length = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    pthread_barrier_wait(&together);
    MPI_Get_version(&version, &subversion);
    MPI_Initialized(&yes);
    MPI_Get_library_version(text, &length);
    *(int *)wrong = version != MPI_VERSION || yes || length == 0;
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int wrong[THREADS], sum = 0, finalized = 0;
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, ask, &wrong[i]);
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        sum += wrong[i];
    }
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Finalized(&finalized);
    sum += !finalized;
    printf("early: %d wrong\n", sum);
    return sum != 0;
}
