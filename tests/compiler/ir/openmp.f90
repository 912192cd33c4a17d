! The threads of an OpenMP loop fill the message.
! RUN: %flang -O2 -fopenmp -c -Rpass=stretto -Rpass-missed=stretto %s -o %t.o 2>&1 | %FileCheck %s
subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  !$omp parallel do
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  !$omp end parallel do
  ! CHECK: send at line [[@LINE+1]] stays as it is: the message may be filled by the threads of an OpenMP region
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
