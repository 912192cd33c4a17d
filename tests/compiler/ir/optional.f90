! The destination may be absent: it must not be read before the condition.
! RUN: %remarks_f
subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  integer, optional :: dest
  double precision :: a(n)
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  ! CHECK: send at line [[@LINE+1]] stays as it is: argument 4 is not known before the loop; compute it before the loop
  if (present(dest)) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
