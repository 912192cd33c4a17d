/* stretto/plain_fortran.c: the point-to-point calls of strettof.h over MPI alone. Fortran has no -DSTRETTO_PLAIN: this file, compiled by
 * the MPI's own mpicc, takes the place of libstretto.
 *
 *     mpicc -c plain_fortran.c && mpifort solver.f90 plain_fortran.o -o solver
 */
#define STRETTO_PLAIN
#include <stretto/stretto.h>

static MPI_Status *given(MPI_Fint *status, MPI_Status *own) {
    return status == MPI_F_STATUS_IGNORE ? MPI_STATUS_IGNORE : own;
}

static void give(int code, const MPI_Status *own, MPI_Fint *status, MPI_Fint *ierror) {
    if (code == MPI_SUCCESS && status != MPI_F_STATUS_IGNORE) MPI_Status_c2f(own, status);
    if (ierror) *ierror = code;
}

static void give_request(int code, MPI_Request own, MPI_Fint *request, MPI_Fint *ierror) {
    *request = MPI_Request_c2f(own);
    if (ierror) *ierror = code;
}

void mpix_delta_send_begin_(const void *buf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *dest,
                            const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) {
    MPI_Request own = MPI_REQUEST_NULL;
    int code = MPIX_Delta_send_begin(buf, *count, MPI_Type_f2c(*type), *dest, *tag, MPI_Comm_f2c(*comm), &own);
    give_request(code, own, request, ierror);
}

void mpix_delta_send_end_(MPI_Fint *request, MPI_Fint *ierror) {
    MPI_Request own = MPI_Request_f2c(*request);
    int code = MPIX_Delta_send_end(&own);
    give_request(code, own, request, ierror);
}

void mpix_delta_send_end_count_(const MPI_Fint *count, MPI_Fint *request, MPI_Fint *ierror) {
    MPI_Request own = MPI_Request_f2c(*request);
    int code = MPIX_Delta_send_end_count(*count, &own);
    give_request(code, own, request, ierror);
}

void mpix_delta_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) {
    MPI_Request own = MPI_Request_f2c(*request);
    MPI_Status its;
    int code = MPIX_Delta_wait(&own, given(status, &its));
    *request = MPI_Request_c2f(own);
    give(code, &its, status, ierror);
}

void mpix_delta_recv_(void *buf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *source,
                      const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *status, MPI_Fint *ierror) {
    MPI_Status its;
    int code =
        MPIX_Delta_recv(buf, *count, MPI_Type_f2c(*type), *source, *tag, MPI_Comm_f2c(*comm), given(status, &its));
    give(code, &its, status, ierror);
}

void mpix_delta_recv_end_(const void *buf, MPI_Fint *status, MPI_Fint *ierror) {
    MPI_Status its;
    int code = MPIX_Delta_recv_end(buf, given(status, &its));
    give(code, &its, status, ierror);
}

void mpix_delta_send_data_(const void *address, const MPI_Fint *bytes) {
    (void)address, (void)bytes;
}

void mpix_delta_wait_data_(const void *address, const MPI_Fint *bytes) {
    (void)address, (void)bytes;
}
