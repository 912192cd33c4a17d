! Receives that are waited for later.
! RUN: %remarks_f --check-prefix=SAID
! RUN: %flang -O2 -S -emit-llvm %s -o - | %FileCheck %s
subroutine sum_of(a, n, source, s)
  implicit none
  include 'mpif.h'
  integer :: n, source, i, ierr, request
  double precision :: a(n), s
  ! SAID: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+5]], strips of 2048 iterations
  call MPI_Irecv(a, n, MPI_DOUBLE_PRECISION, source, 7, MPI_COMM_WORLD, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  if (ierr /= 0) stop 1
  s = 0
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
! CHECK-LABEL: define {{.*}}void @sum_of_(
! CHECK: %[[H:.*]] = {{.*}}call i64 @stretto_wait_begin_f(ptr {{.*}}@stretto.call.sum_of_{{.*}}, ptr {{.*}}%0, i32 {{.*}}1, ptr
! CHECK-NEXT: call void @mpi_wait_(
! CHECK-DAG: call void @stretto_need_below(
! CHECK-DAG: call void @stretto_recv_end_f(i64 %{{.*}}, ptr {{.*}}@mpi_fortran_status_ignore_)
subroutine halo(u, n, m, left, right)
  implicit none
  include 'mpif.h'
  integer :: n, m, left, right, i, ierr, requests(4), statuses(MPI_STATUS_SIZE, 4)
  double precision :: u(m, n)
  double precision, allocatable :: from_left(:), from_right(:), to_left(:), to_right(:)
  allocate(from_left(n), from_right(n), to_left(n), to_right(n))
  ! SAID: receive at line [[@LINE+1]] ends inside the loop
  call MPI_Irecv(from_left, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
  ! SAID: receive at line [[@LINE+1]] ends inside the loop
  call MPI_Irecv(from_right, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
  do i = 1, n
    to_left(i) = u(2, i)
  end do
  ! SAID: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Isend(to_left, n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3), ierr)
  do i = 1, n
    to_right(i) = u(m - 1, i)
  end do
  ! SAID: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Isend(to_right, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4), ierr)
  call MPI_Waitall(4, requests, statuses, ierr)
  do i = 1, n
    u(1, i) = from_left(i)
  end do
  do i = 1, n
    u(m, i) = from_right(i)
  end do
end subroutine
