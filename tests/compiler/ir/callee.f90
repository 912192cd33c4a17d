! The message is filled in a subroutine that LLVM does not inline.
! RUN: %flang -O2 -mllvm -inline-threshold=-200 -c -Rpass=stretto -Rpass-missed=stretto %s -o %t.o 2>&1 | %FileCheck %s
subroutine fill(a, n, x)
  implicit none
  integer :: n, i
  double precision :: a(n), x
  do i = 1, n
    a(i) = i * x
  end do
end subroutine

subroutine send(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, ierr
  double precision :: a(n)
  call fill(a, n, 0.5d0)
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line 7
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
