! Calls that nobody changes.
! RUN: %remarks_f
subroutine exchange(a, b, n, other)
  implicit none
  include 'mpif.h'
  integer :: n, other, ierr
  double precision :: a(n), b(n)
  ! CHECK: MPI_Sendrecv at line [[@LINE+1]] stays as it is: only MPI_Send, MPI_Isend and MPI_Recv are changed
  call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, other, 7, b, n, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
end subroutine
