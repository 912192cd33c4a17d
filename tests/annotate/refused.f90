! What `stretto annotate` leaves as it is in Fortran, and what it says of it.
subroutine left_early(a, c, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n), c(n)
  do i = 1, n
    a(i) = c(i) * 2
    if (c(i) < 0) exit
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: the loop is of a form that cannot be changed for certain (line 9)
end subroutine

subroutine counter_used(a, n, last)
  implicit none
  include 'mpif.h'
  integer :: n, last, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = i
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: i is used outside of the loops that count it (line 23)
  last = i
end subroutine

subroutine whole_array(a, c, n)
  implicit none
  include 'mpif.h'
  integer :: n, ierr
  double precision :: a(n), c(n)
  a = c * 2
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: the loop is of a form that cannot be changed for certain (line 31)
end subroutine

subroutine two_on_a_line(a, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n)
  do i = 1, n; a(i) = i; end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: there is an #if, or a line of several statements, between the loop and the call (line 40)
end subroutine

subroutine other_length(a, n, m)
  implicit none
  include 'mpif.h'
  integer :: n, m, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = i
  end do
  call MPI_Send(a, m, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: the loop may reach beyond the message: its end and the message's count cannot be compared
end subroutine

subroutine sweeps(a, c, n, m)
  implicit none
  include 'mpif.h'
  integer :: n, m, i, k, ierr
  double precision :: a(n), c(n)
  do k = 1, m
    do i = 1, n
      a(i) = a(i) * c(k) + k
    end do
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: it begins in the last sweep of several, which has no form in the source
end subroutine

subroutine in_a_directive(a, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n)
  !$omp simd
  do i = 1, n
    a(i) = i
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr) ! LEFT: its procedure has directives for threads, devices or the compiler
end subroutine
