! ierr is looked at before the loop.
! RUN: %remarks_f
subroutine sum_of(a, n, s)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n), s
  ! CHECK: receive at line [[@LINE+1]] stays as it is: it may use the status or ierr of the receive (line [[@LINE+2]])
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  s = ierr
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
