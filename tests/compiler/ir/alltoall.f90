! Fortran: arguments by reference.
! RUN: %remarks_f --check-prefix=SAID
! RUN: %flang -O2 -S -emit-llvm %s -o - | %FileCheck %s
subroutine exchange(a, b, c, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(65536), b(65536), c(65536)
  do i = 1, 65536
    a(i) = i * 0.5d0
  end do
  ! SAID: MPI_Alltoall at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations{{.*}}, and ends inside the loop at line [[@LINE+2]]
  call MPI_Alltoall(a, n, MPI_DOUBLE_PRECISION, b, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  do i = 1, 65536
    c(i) = b(i) * 2
  end do
end subroutine
! CHECK-LABEL: define {{.*}}void @exchange_(
! CHECK: call i64 @stretto_alltoall_begin_f(ptr {{.*}}@stretto.call.exchange_{{.*}}, ptr {{.*}}%0, i32 %{{.*}}, i32 17, ptr {{.*}}%1, i32 %{{.*}}, i32 17, i32 0)
! CHECK: call i64 @stretto_alltoall_open_f(i64 %{{.*}}, ptr {{.*}}@stretto.call.exchange_{{.*}}, ptr {{.*}}%0, i32
! CHECK-DAG: call void @stretto_need_below(
! CHECK-DAG: call void @stretto_collective_close_f(i64 %{{.*}}, ptr
