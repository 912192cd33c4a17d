! A receive, then a loop.
! RUN: %remarks_f --check-prefix=SAID
! RUN: %flang -O2 -S -emit-llvm %s -o - | %FileCheck %s
subroutine sum_of(a, n, source, s)
  implicit none
  include 'mpif.h'
  integer :: n, source, i, ierr
  double precision :: a(n), s
  ! SAID: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+3]], strips of 2048 iterations
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, source, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  s = 0
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
! CHECK-LABEL: define {{.*}}void @sum_of_(
! CHECK: call i64 @stretto_recv_begin_f(ptr {{.*}}@stretto.call.sum_of_{{.*}}, ptr {{.*}}%0, ptr {{.*}}%1, ptr {{.*}}, ptr {{.*}}%2, ptr {{.*}}, ptr {{.*}}, ptr {{.*}}@mpi_fortran_status_ignore_, ptr {{.*}})
! CHECK-DAG: call void @stretto_need_below(
! CHECK-DAG: call void @stretto_recv_end_f(i64 %{{.*}}, ptr {{.*}}@mpi_fortran_status_ignore_)
