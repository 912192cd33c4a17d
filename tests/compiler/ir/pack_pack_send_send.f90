! Pack, pack, send, send.
! RUN: %remarks_f
subroutine halos(u, n, above, below)
  implicit none
  include 'mpif.h'
  integer :: n, above, below, i, ierr
  double precision :: u(n, n), up(100000), down(100000)
  do i = 1, n
    up(i) = u(i, 1) * 2
  end do
  do i = 1, n
    down(i) = u(i, n) * 2
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-6]]
  call MPI_Send(up, n, MPI_DOUBLE_PRECISION, above, 7, MPI_COMM_WORLD, ierr)
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-5]]
  call MPI_Send(down, n, MPI_DOUBLE_PRECISION, below, 7, MPI_COMM_WORLD, ierr)
end subroutine
