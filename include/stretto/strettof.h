!  strettof.h: the delta calls for programs that include mpif.h, in
!  fixed and in free form:      include 'stretto/strettof.h'
!
!  Arguments as in C (stretto/stretto.h) and an ierror last; but
!  MPIX_Delta_send_data and MPIX_Delta_wait_data have none:
!
!     call MPIX_Delta_send_begin(a, n, MPI_DOUBLE_PRECISION, 1, 0,
!                                comm, request, ierr)
!     do i = 1, n, 512
!        (compute a(i) to a(i + 511))
!        call MPIX_Delta_send_data(a(i), 512*8)
!     end do
!     call MPIX_Delta_send_end(request, ierr)
!     call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
!
!  Bytes are a default integer; the module stretto takes them of kind
!  MPI_ADDRESS_KIND too.
      interface
         subroutine mpix_delta_send_begin(buf, count, type, dest, tag,  &
     &                                    comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
            type(*) buf(*)
            integer count, type, dest, tag, comm, request, ierror
         end subroutine
         subroutine mpix_delta_send_end(request, ierror)
            integer request, ierror
         end subroutine
         subroutine mpix_delta_send_end_count(count, request, ierror)
            integer count, request, ierror
         end subroutine
         subroutine mpix_delta_wait(request, status, ierror)
            integer request, status(*), ierror
         end subroutine
         subroutine mpix_delta_recv(buf, count, type, source, tag,      &
     &                              comm, status, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
            type(*) buf(*)
            integer count, type, source, tag, comm, status(*), ierror
         end subroutine
         subroutine mpix_delta_recv_end(buf, status, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
            type(*) buf(*)
            integer status(*), ierror
         end subroutine
         subroutine mpix_delta_send_data(address, bytes)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: address
!DIR$ IGNORE_TKR address
            type(*) address(*)
            integer bytes
         end subroutine
         subroutine mpix_delta_wait_data(address, bytes)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: address
!DIR$ IGNORE_TKR address
            type(*) address(*)
            integer bytes
         end subroutine
         subroutine mpix_delta_bcast_begin(buf, count, type, root, comm,&
     &        request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
            type(*) buf(*)
            integer count, type, root, comm, request, ierror
         end subroutine
         subroutine mpix_delta_gather_begin(sendbuf, sendcount,         &
     &        sendtype, recvbuf, recvcount, recvtype, root, comm,       &
     &        request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcount, sendtype, recvcount, recvtype, root
            integer comm, request, ierror
         end subroutine
         subroutine mpix_delta_gatherv_begin(sendbuf, sendcount,        &
     &        sendtype, recvbuf, recvcounts, displs, recvtype, root,    &
     &        comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcount, sendtype, recvcounts(*), displs(*)
            integer recvtype, root, comm, request, ierror
         end subroutine
         subroutine mpix_delta_scatter_begin(sendbuf, sendcount,        &
     &        sendtype, recvbuf, recvcount, recvtype, root, comm,       &
     &        request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcount, sendtype, recvcount, recvtype, root
            integer comm, request, ierror
         end subroutine
         subroutine mpix_delta_scatterv_begin(sendbuf, sendcounts,      &
     &        displs, sendtype, recvbuf, recvcount, recvtype, root,     &
     &        comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcounts(*), displs(*), sendtype, recvcount
            integer recvtype, root, comm, request, ierror
         end subroutine
         subroutine mpix_delta_allgather_begin(sendbuf, sendcount,      &
     &        sendtype, recvbuf, recvcount, recvtype, comm, request,    &
     &        ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcount, sendtype, recvcount, recvtype, comm
            integer request, ierror
         end subroutine
         subroutine mpix_delta_allgatherv_begin(sendbuf, sendcount,     &
     &        sendtype, recvbuf, recvcounts, displs, recvtype, comm,    &
     &        request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcount, sendtype, recvcounts(*), displs(*)
            integer recvtype, comm, request, ierror
         end subroutine
         subroutine mpix_delta_alltoall_begin(sendbuf, sendcount,       &
     &        sendtype, recvbuf, recvcount, recvtype, comm, request,    &
     &        ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcount, sendtype, recvcount, recvtype, comm
            integer request, ierror
         end subroutine
         subroutine mpix_delta_alltoallv_begin(sendbuf, sendcounts,     &
     &        sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,&
     &        comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer sendcounts(*), sdispls(*), sendtype
            integer recvcounts(*), rdispls(*), recvtype, comm
            integer request, ierror
         end subroutine
         subroutine mpix_delta_reduce_begin(sendbuf, recvbuf, count,    &
     &        type, op, root, comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer count, type, op, root, comm, request, ierror
         end subroutine
         subroutine mpix_delta_allreduce_begin(sendbuf, recvbuf, count, &
     &        type, op, comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer count, type, op, comm, request, ierror
         end subroutine
         subroutine mpix_delta_reduce_scatter_begin(sendbuf, recvbuf,   &
     &        recvcounts, type, op, comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer recvcounts(*), type, op, comm, request, ierror
         end subroutine
         subroutine mpix_delta_reduce_scatter_block_begin(sendbuf,      &
     &        recvbuf, recvcount, type, op, comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer recvcount, type, op, comm, request, ierror
         end subroutine
         subroutine mpix_delta_scan_begin(sendbuf, recvbuf, count, type,&
     &        op, comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer count, type, op, comm, request, ierror
         end subroutine
         subroutine mpix_delta_exscan_begin(sendbuf, recvbuf, count,    &
     &        type, op, comm, request, ierror)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
            type(*) sendbuf(*), recvbuf(*)
            integer count, type, op, comm, request, ierror
         end subroutine
         subroutine mpix_delta_collective_end(request, ierror)
            integer request, ierror
         end subroutine
      end interface
