! Each sweep writes all of the message again.
! RUN: %remarks_f
subroutine again(a, c, n, m, dest)
  implicit none
  include 'mpif.h'
  integer :: n, m, dest, i, k, ierr
  double precision :: a(n), c(n)
  do k = 1, m
    do i = 1, n
      a(i) = a(i) * c(k) + k
    end do
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-4]], in the last sweep
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
