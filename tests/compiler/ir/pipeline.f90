! Receive, compute, send.
! RUN: %remarks_f
subroutine stage(n, me)
  implicit none
  include 'mpif.h'
  integer :: n, me, i, ierr
  double precision :: a(100000), b(100000)
  ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+2]]
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, me - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  do i = 1, n
    b(i) = sqrt(a(i))
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, me + 1, 7, MPI_COMM_WORLD, ierr)
end subroutine
