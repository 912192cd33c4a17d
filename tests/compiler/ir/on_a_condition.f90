! The send is conditional.
! RUN: %remarks_f
subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations, where its condition holds
  if (dest >= 0) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
