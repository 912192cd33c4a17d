/* What a program is told of its environment is what it would be told without Stretto. */
#include "promise.h"

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
