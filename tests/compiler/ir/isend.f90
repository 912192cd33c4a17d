! A non-blocking send.
! RUN: %remarks_f
subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr, request
  double precision :: a(n)
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations
  call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
end subroutine
