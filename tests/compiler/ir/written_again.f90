! A part is written again after the loop.
! RUN: %remarks_f
subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  a(1) = 0
  ! CHECK: send at line [[@LINE+1]] stays as it is: the message is written again after the loop (line [[@LINE-1]])
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
