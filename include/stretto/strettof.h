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
      end interface
