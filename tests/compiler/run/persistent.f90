! Persistent sends in Fortran: the output is that of the plain program.
! RUN: %plain_flang -O2 %s %double -o %t.plain && %t.plain > %t.want
! RUN: %flang -O2 %s %double -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
! RUN: %FileCheck %s --input-file=%t.err
! RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %flang -O3 %s %double -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
! RUN: env STRETTO_PASS_OPTIONS= %flang -O3 %s %double -o %t.chosen && %t.chosen > %t.got && diff %t.want %t.got
! CHECK: double: {{[1-9]}} begun, {{[1-9][0-9][0-9][0-9][0-9][0-9]+}} bytes early
program main
  implicit none
  integer, parameter :: n = 20001
  double precision :: a(n), b(n)
  call steps(a, b, n, 3)
  call one(a, n, 3)
end program

subroutine steps(a, b, n, m)
  implicit none
  include 'mpif.h'
  integer :: n, m, i, t, ierr, requests(2), statuses(MPI_STATUS_SIZE, 2)
  double precision :: a(n), b(n)
  call MPI_Send_init(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send_init(b, n, MPI_DOUBLE_PRECISION, 2, 2, MPI_COMM_WORLD, requests(2), ierr)
  do t = 1, m
    do i = 1, n
      a(i) = sqrt(dble(i)) + t
    end do
    do i = n, 1, -1
      b(i) = i * 0.25d0 + t
    end do
    call MPI_Startall(2, requests, ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
  end do
end subroutine

subroutine one(a, n, m)
  implicit none
  include 'mpif.h'
  integer :: n, m, i, t, ierr, request
  double precision :: a(n)
  call MPI_Send_init(a, n, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, request, ierr)
  do t = 1, m
    do i = 1, n
      a(i) = i * 0.5d0 + t
    end do
    call MPI_Start(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end do
end subroutine
