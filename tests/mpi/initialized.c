/* What a program is told of its environment is what it would be told without Stretto. */
#include "promise.h"
#include <pthread.h>
#include <unistd.h>

PROMISE(the_environment_is_unchanged) {
    int flag = 0, at = -1;
    MPI_Initialized(&flag);
    CHECK(flag);
    MPI_Finalized(&flag);
    CHECK(!flag);
    MPI_Is_thread_main(&flag);
    CHECK(flag);
    int *bound = NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &at);
    CHECK(at && *bound >= 32767);
}

PROMISE(the_largest_tag_carries_a_large_message) {
    int *bound = NULL, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    if (rank == 0) fill(out, 70000, 1), MPI_Send(out, 70000, MPI_BYTE, 1, *bound, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Status status;
        MPI_Recv(in, LARGEST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, 0, *bound, 70000) && holds(in, 70000, 1));
    }
}

PROMISE(attributes_and_names_of_the_program_are_its_own) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "mine");
    MPI_Comm_get_name(comm, name, &length);
    CHECK(strcmp(name, "mine") == 0);
    int keyval, flag = 1, value = 5, *found;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_get_attr(comm, keyval, &found, &flag);
    CHECK(!flag);
    MPI_Comm_set_attr(comm, keyval, &value);
    MPI_Comm_get_attr(comm, keyval, &found, &flag);
    CHECK(flag && found == &value);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&comm);
}

/* What may be called at any time is safe in any thread, whatever level the program asked for (MPI 4.0, 11.4.1). */
static void *call_at_any_time(void *file) {
    int initialized, finalized, is_main, version, subversion, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    usleep(100000);
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Is_thread_main(&is_main);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &length);
    CHECK(initialized && !finalized && !is_main && version >= 3 && length > 0);
    CHECK(unlink(file) == 0);
    return NULL;
}
/* Rank 1 comes to the collective when the other thread has returned from all of them, or after ten seconds. */
PROMISE(what_may_be_called_at_any_time_waits_for_no_call_that_blocks) {
    char file[] = "/tmp/stretto-promise-XXXXXX";
    MPI_Comm comm;
    pthread_t thread;
    if (rank == 0) {
        close(mkstemp(file));
        MPI_Send(file, sizeof file, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        pthread_create(&thread, NULL, call_at_any_time, file);
    }
    if (rank == 1) {
        int looks = 0;
        MPI_Recv(file, sizeof file, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (access(file, F_OK) == 0 && looks++ < 1000) usleep(10000);
        CHECK(looks < 1000);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0) pthread_join(thread, NULL);
    MPI_Comm_free(&comm);
}
