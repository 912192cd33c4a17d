! Fortran with mpif.h: arguments by reference, constants in temporaries.
! RUN: %remarks_f --check-prefix=SAID
! RUN: %flang -O2 -S -emit-llvm %s -o - | %FileCheck %s
subroutine fill(a, n, dest)
  implicit none
  include 'mpif.h'
  integer :: n, dest, i, ierr
  double precision :: a(n)
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  ! SAID: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]], strips of 2048 iterations
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, dest, 7, MPI_COMM_WORLD, ierr)
end subroutine
! CHECK-LABEL: define {{.*}}void @fill_(
! CHECK: call i64 @stretto_send_begin_f(ptr {{.*}}@stretto.call.fill_{{.*}}, ptr {{.*}}%0, i32 %{{.*}}, i32 17, i32 %{{.*}}, i32 7, i32 0)
! CHECK: call void @stretto_ready_below(
! CHECK: call void @stretto_send_end_f(i64 %{{.*}}, ptr {{.*}}@stretto.call.fill_{{.*}}, ptr {{.*}}%0, ptr {{.*}}%1, ptr
