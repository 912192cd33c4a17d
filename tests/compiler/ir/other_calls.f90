! Calls that nobody changes.
! RUN: %remarks_f
subroutine exchange(a, b, n, other)
  implicit none
  include 'mpif.h'
  integer :: n, other, ierr
  double precision :: a(n), b(n)
  ! CHECK: MPI_Sendrecv at line [[@LINE+1]] stays as it is: of its send: no loop beside it writes the message in this function; of its receive: no loop beside it reads the message
  call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, other, 7, b, n, MPI_DOUBLE_PRECISION, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
end subroutine
