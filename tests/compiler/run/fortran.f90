! Fortran: the output is that of the plain program.
! RUN: %plain_flang -O2 %s %double -o %t.plain && %t.plain > %t.want
! RUN: %flang -O2 %s %double -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
! RUN: %FileCheck %s --input-file=%t.err
! RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %flang -O3 %s %double -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
! CHECK: double: {{[1-9][0-9]*}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early
program main
  implicit none
  integer, parameter :: n = 20001
  double precision :: a(2 * n), b(2 * n)
  integer :: numbers(3)
  a = 1
  b = 2
  call fill(a, n, 1)
  call fill(a, 0, 1)
  call downwards(a, n, 1)
  call accumulate(a, b, n, 4, 1)
  call wanted(a, n, 1)
  call wanted(a, n, -1)
  call halos(b, n, 1, 2)
  call halos(b, n, 1, 1)
  call check(a, n)
  call two(n)
end program

subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = sqrt(dble(i))
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 1, MPI_COMM_WORLD, ierr)
end subroutine

subroutine downwards(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  do i = n, 1, -1
    a(i) = sqrt(dble(i))
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 2, MPI_COMM_WORLD, ierr)
end subroutine

subroutine accumulate(a, b, n, m, dest)
  implicit none
  include 'mpif.h'
  integer :: n, m, dest, i, k, ierr
  double precision :: a(n), b(n)
  do k = 1, m
    do i = 1, n
      a(i) = a(i) + b(i) * k
    end do
  end do
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 3, MPI_COMM_WORLD, ierr)
end subroutine

subroutine wanted(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  if (dest >= 0) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 4, MPI_COMM_WORLD, ierr)
end subroutine

subroutine halos(u, n, above, below)
  implicit none
  include 'mpif.h'
  integer :: n, above, below, i, ierr
  double precision :: u(n), up(50000), down(50000)
  do i = 1, n
    up(i) = u(i) * 2
  end do
  do i = 1, n
    down(i) = u(i) * 3
  end do
  call MPI_Send(up, n, MPI_DOUBLE_PRECISION, above, 5, MPI_COMM_WORLD, ierr)
  call MPI_Send(down, n, MPI_DOUBLE_PRECISION, below, 5, MPI_COMM_WORLD, ierr)
end subroutine

subroutine check(a, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n), s
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  s = 0
  do i = 1, n
    s = s * 0.75d0 + a(i)
  end do
  print *, s
end subroutine

subroutine two(n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(50000), b(50000), s
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  s = 0
  do i = 1, n
    s = s * 0.75d0 + a(i) * b(i)
  end do
  print *, s
end subroutine
