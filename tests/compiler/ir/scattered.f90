! The places are read from an index.
! RUN: %remarks_f
subroutine fill(a, ix, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr, ix(n)
  double precision :: a(n)
  do i = 1, n
    a(ix(i)) = i * 0.5d0
  end do
  ! CHECK: send at line [[@LINE+1]] stays as it is: the address of the store is no linear function of the loop's counter (line [[@LINE-2]])
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
