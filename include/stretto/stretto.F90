! The module stretto: delta send and receive, and delta collectives, for programs that use mpi or mpi_f08 (-DSTRETTO_NO_MPI_F08 where the MPI has none).
!
!     use mpi_f08
!     use stretto
!     double precision, asynchronous :: a(n)
!
!     call MPIX_Delta_send_begin(a, n, MPI_DOUBLE_PRECISION, 1, 0, comm, request)
!     do i = 1, n, 512
!         call compute(a(i:i + 511))
!         call MPIX_Delta_send_data(a(i), 512*8)     ! these bytes are final
!     end do
!     call MPIX_Delta_send_end(request)              ! all are
!     call MPIX_Delta_wait(request, MPI_STATUS_IGNORE)
!
! Each call does what stretto/stretto.h says of it. Handles are integers beside mpi and types beside mpi_f08; ierror may be left
! out; bytes are a default integer or of kind MPI_ADDRESS_KIND. A buffer is contiguous and `asynchronous` while its message is
! under way, as for any non-blocking call of MPI; give the annotations the first element of a part, not a section.
!
! A .mod file is the compiler's own: compile this file with the compiler, and the mpifort, of your program.
module stretto
#ifndef STRETTO_NO_MPI_F08
    use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Status
#endif
    use mpi, only: MPI_STATUS_SIZE, MPI_ADDRESS_KIND
    implicit none
    private
    public :: MPIX_Delta_send_begin, MPIX_Delta_send_end, MPIX_Delta_send_end_count, MPIX_Delta_wait
    public :: MPIX_Delta_recv, MPIX_Delta_recv_end, MPIX_Delta_send_data, MPIX_Delta_wait_data
    public :: MPIX_Delta_bcast_begin, MPIX_Delta_gather_begin, MPIX_Delta_gatherv_begin
    public :: MPIX_Delta_scatter_begin, MPIX_Delta_scatterv_begin, MPIX_Delta_allgather_begin
    public :: MPIX_Delta_allgatherv_begin, MPIX_Delta_alltoall_begin, MPIX_Delta_alltoallv_begin
    public :: MPIX_Delta_reduce_begin, MPIX_Delta_allreduce_begin, MPIX_Delta_reduce_scatter_begin
    public :: MPIX_Delta_reduce_scatter_block_begin, MPIX_Delta_scan_begin, MPIX_Delta_exscan_begin
    public :: MPIX_Delta_collective_end

    interface MPIX_Delta_send_begin
        subroutine mpix_delta_send_begin(buf, count, datatype, dest, tag, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), intent(in), asynchronous :: buf(*)
            integer, intent(in) :: count, datatype, dest, tag, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_send_begin_f08(buf, count, datatype, dest, tag, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), intent(in), asynchronous :: buf(*)
            integer, intent(in) :: count, dest, tag
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_send_end
        subroutine mpix_delta_send_end(request, ierror)
            integer, intent(inout) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_send_end_f08(request, ierror)
            import :: MPI_Request
            type(MPI_Request), intent(inout) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_send_end_count
        subroutine mpix_delta_send_end_count(count, request, ierror)
            integer, intent(in) :: count
            integer, intent(inout) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_send_end_count_f08(count, request, ierror)
            import :: MPI_Request
            integer, intent(in) :: count
            type(MPI_Request), intent(inout) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_wait
        subroutine mpix_delta_wait(request, status, ierror)
            import :: MPI_STATUS_SIZE
            integer, intent(inout) :: request
            integer :: status(MPI_STATUS_SIZE) ! no intent: MPI_STATUS_IGNORE may be a constant
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_wait_f08(request, status, ierror)
            import :: MPI_Request, MPI_Status
            type(MPI_Request), intent(inout) :: request
            type(MPI_Status) :: status
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_recv
        subroutine mpix_delta_recv(buf, count, datatype, source, tag, comm, status, ierror)
            import :: MPI_STATUS_SIZE
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer, intent(in) :: count, datatype, source, tag, comm
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_recv_f08(buf, count, datatype, source, tag, comm, status, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Status
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer, intent(in) :: count, source, tag
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Status) :: status
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_recv_end
        subroutine mpix_delta_recv_end(buf, status, ierror)
            import :: MPI_STATUS_SIZE
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_recv_end_f08(buf, status, ierror)
            import :: MPI_Status
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            type(MPI_Status) :: status
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_send_data
        subroutine mpix_delta_send_data(address, bytes)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: address
            !DIR$ IGNORE_TKR address
            type(*), intent(in), asynchronous :: address(*)
            integer, intent(in) :: bytes
        end subroutine
        subroutine mpix_delta_send_data_long(address, bytes)
            import :: MPI_ADDRESS_KIND
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: address
            !DIR$ IGNORE_TKR address
            type(*), intent(in), asynchronous :: address(*)
            integer(MPI_ADDRESS_KIND), intent(in) :: bytes
        end subroutine
    end interface

    interface MPIX_Delta_wait_data
        subroutine mpix_delta_wait_data(address, bytes)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: address
            !DIR$ IGNORE_TKR address
            type(*), asynchronous :: address(*) ! no intent: its bytes change
            integer, intent(in) :: bytes
        end subroutine
        subroutine mpix_delta_wait_data_long(address, bytes)
            import :: MPI_ADDRESS_KIND
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: address
            !DIR$ IGNORE_TKR address
            type(*), asynchronous :: address(*)
            integer(MPI_ADDRESS_KIND), intent(in) :: bytes
        end subroutine
    end interface

    interface MPIX_Delta_bcast_begin
        subroutine mpix_delta_bcast_begin(buf, count, datatype, root, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer, intent(in) :: count, root, datatype, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_bcast_begin_f08(buf, count, datatype, root, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer, intent(in) :: count, root
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_gather_begin
        subroutine mpix_delta_gather_begin(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount, root, sendtype, recvtype, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_gather_begin_f08(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
            comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount, root
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_gatherv_begin
        subroutine mpix_delta_gatherv_begin(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            root, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, root, sendtype, recvtype, comm
            integer, intent(in), asynchronous :: recvcounts(*), displs(*)
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_gatherv_begin_f08(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            root, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, root
            integer, intent(in), asynchronous :: recvcounts(*), displs(*)
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_scatter_begin
        subroutine mpix_delta_scatter_begin(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount, root, sendtype, recvtype, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_scatter_begin_f08(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
            comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount, root
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_scatterv_begin
        subroutine mpix_delta_scatterv_begin(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, &
            root, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: recvcount, root, sendtype, recvtype, comm
            integer, intent(in), asynchronous :: sendcounts(*), displs(*)
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_scatterv_begin_f08(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, &
            root, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: recvcount, root
            integer, intent(in), asynchronous :: sendcounts(*), displs(*)
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_allgather_begin
        subroutine mpix_delta_allgather_begin(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount, sendtype, recvtype, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_allgather_begin_f08(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_allgatherv_begin
        subroutine mpix_delta_allgatherv_begin(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, sendtype, recvtype, comm
            integer, intent(in), asynchronous :: recvcounts(*), displs(*)
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_allgatherv_begin_f08(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
            recvtype, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount
            integer, intent(in), asynchronous :: recvcounts(*), displs(*)
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_alltoall_begin
        subroutine mpix_delta_alltoall_begin(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount, sendtype, recvtype, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_alltoall_begin_f08(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendcount, recvcount
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_alltoallv_begin
        subroutine mpix_delta_alltoallv_begin(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
            recvtype, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: sendtype, recvtype, comm
            integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_alltoallv_begin_f08(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
            rdispls, recvtype, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in), asynchronous :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
            type(MPI_Datatype), intent(in) :: sendtype, recvtype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_reduce_begin
        subroutine mpix_delta_reduce_begin(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count, root, datatype, op, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_reduce_begin_f08(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count, root
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_allreduce_begin
        subroutine mpix_delta_allreduce_begin(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count, datatype, op, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_allreduce_begin_f08(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_reduce_scatter_begin
        subroutine mpix_delta_reduce_scatter_begin(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: datatype, op, comm
            integer, intent(in), asynchronous :: recvcounts(*)
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_reduce_scatter_begin_f08(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in), asynchronous :: recvcounts(*)
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_reduce_scatter_block_begin
        subroutine mpix_delta_reduce_scatter_block_begin(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: recvcount, datatype, op, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_reduce_scatter_block_begin_f08(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: recvcount
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_scan_begin
        subroutine mpix_delta_scan_begin(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count, datatype, op, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_scan_begin_f08(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_exscan_begin
        subroutine mpix_delta_exscan_begin(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count, datatype, op, comm
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_exscan_begin_f08(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
            import :: MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), intent(in), asynchronous :: sendbuf(*)
            type(*), asynchronous :: recvbuf(*)
            integer, intent(in) :: count
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Op), intent(in) :: op
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPIX_Delta_collective_end
        subroutine mpix_delta_collective_end(request, ierror)
            integer, intent(inout) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine mpix_delta_collective_end_f08(request, ierror)
            import :: MPI_Request
            type(MPI_Request), intent(inout) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface
end module
