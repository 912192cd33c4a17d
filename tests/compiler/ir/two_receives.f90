! Two receives, then one loop over both.
! RUN: %remarks_f
subroutine product_of(n, s)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(100000), b(100000), s
  ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+5]]
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+3]]
  call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  s = 0
  do i = 1, n
    s = s + a(i) * b(i)
  end do
end subroutine
