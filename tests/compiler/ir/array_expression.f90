! An array expression is a loop.
! RUN: %remarks_f
subroutine fill(a, b, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, ierr
  double precision :: a(n), b(n)
  a(1:n) = 2 * b(1:n) + 1
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-1]]
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
