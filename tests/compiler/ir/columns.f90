! A grid by columns, as Fortran stores it.
! RUN: %remarks_f
subroutine grid(u, n, m, dest)
  implicit none
  include 'mpif.h'
  integer :: n, m, dest, i, j, ierr
  double precision :: u(n, m)
  do j = 1, m
    do i = 1, n
      u(i, j) = i + 0.5d0 * j
    end do
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-5]], strips of a length chosen at run time
  call MPI_Send(u, n * m, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
