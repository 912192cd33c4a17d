/* LibNBC's names for Fortran (libnbc.a): CALL NBC_IBCAST(buffer, count, type, root, comm, handle, ierror) and its kin are MPI's own, which
 * Stretto carries out; a handle is a request. As LibNBC has it, NBC_WAIT(handle, ierror) and NBC_TEST(handle, ierror) leave -1 in the handle of
 * what has ended, and NBC_TEST gives NBC_CONTINUE until then.
 *
 * No mpi.h: everything is passed on by reference, so that one archive serves all MPIs. In C, stretto/nbc.h has all of it. */
enum { NBC_OK = 0, NBC_CONTINUE = 3, NBC_REQUEST_NULL = -1 };

#define R void * // what Fortran passes, by reference
#define REFERENCES_3 (R a, R b, R c), (a, b, c)
#define REFERENCES_7 (R a, R b, R c, R d, R e, R f, R g), (a, b, c, d, e, f, g)
#define REFERENCES_8 (R a, R b, R c, R d, R e, R f, R g, R h), (a, b, c, d, e, f, g, h)
#define REFERENCES_9 (R a, R b, R c, R d, R e, R f, R g, R h, R i), (a, b, c, d, e, f, g, h, i)
#define REFERENCES_10 (R a, R b, R c, R d, R e, R f, R g, R h, R i, R j), (a, b, c, d, e, f, g, h, i, j)
#define REFERENCES_11 (R a, R b, R c, R d, R e, R f, R g, R h, R i, R j, R k), (a, b, c, d, e, f, g, h, i, j, k)

#define FORWARD(nbc, mpi, references) FORWARD_AS(nbc, mpi, references)
#define FORWARD_AS(nbc, mpi, parameters, arguments) \
    void mpi parameters;                            \
    void nbc parameters {                           \
        mpi arguments;                              \
    }

FORWARD(nbc_ibarrier_, mpi_ibarrier_, REFERENCES_3)
FORWARD(nbc_ibcast_, mpi_ibcast_, REFERENCES_7)
FORWARD(nbc_igather_, mpi_igather_, REFERENCES_10)
FORWARD(nbc_igatherv_, mpi_igatherv_, REFERENCES_11)
FORWARD(nbc_iscatter_, mpi_iscatter_, REFERENCES_10)
FORWARD(nbc_iscatterv_, mpi_iscatterv_, REFERENCES_11)
FORWARD(nbc_iallgather_, mpi_iallgather_, REFERENCES_9)
FORWARD(nbc_iallgatherv_, mpi_iallgatherv_, REFERENCES_10)
FORWARD(nbc_ialltoall_, mpi_ialltoall_, REFERENCES_9)
FORWARD(nbc_ialltoallv_, mpi_ialltoallv_, REFERENCES_11)
FORWARD(nbc_ireduce_, mpi_ireduce_, REFERENCES_9)
FORWARD(nbc_iallreduce_, mpi_iallreduce_, REFERENCES_8)
FORWARD(nbc_ireduce_scatter_, mpi_ireduce_scatter_, REFERENCES_8)
FORWARD(nbc_iscan_, mpi_iscan_, REFERENCES_8)
FORWARD(nbc_ineighbor_xchg_, mpi_ineighbor_alltoall_, REFERENCES_9)
FORWARD(nbc_ineighbor_xchgv_, mpi_ineighbor_alltoallv_, REFERENCES_11)

typedef int Status[64]; /* no MPI's is as long */
void mpi_wait_(int *request, Status status, int *ierror);
void mpi_test_(int *request, int *flag, Status status, int *ierror);

void nbc_wait_(int *handle, int *ierror) {
    Status status;
    *ierror = NBC_OK;
    if (*handle == NBC_REQUEST_NULL) return;
    mpi_wait_(handle, status, ierror);
    *handle = NBC_REQUEST_NULL;
}
void nbc_test_(int *handle, int *ierror) {
    Status status;
    int flag = 0;
    *ierror = NBC_OK;
    if (*handle == NBC_REQUEST_NULL) return;
    mpi_test_(handle, &flag, status, ierror);
    if (flag)
        *handle = NBC_REQUEST_NULL;
    else if (*ierror == NBC_OK)
        *ierror = NBC_CONTINUE;
}
