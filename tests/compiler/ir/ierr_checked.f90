! ierr is known when the message has been matched: it may be looked at before the loop, and calls may share it.
! RUN: %remarks_f
subroutine sum_of(a, n, s)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n), s
  ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+6]]
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (ierr /= 0) then
    print *, 'no message'
    stop 1
  end if
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
subroutine sends(a, b, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n), b(n)
  do i = 1, n
    a(i) = i
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, ierr)
  if (ierr /= 0) stop 1
  do i = 1, n
    b(i) = i
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, 0, 8, MPI_COMM_WORLD, ierr)
  if (ierr /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
end subroutine
module errors
  integer :: its_error
end module
subroutine in_a_module(a, n, s)
  use errors
  implicit none
  include 'mpif.h'
  integer :: n, i
  double precision :: a(n), s
  do i = 1, n
    a(i) = i
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, its_error)
  ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+3]]
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, its_error)
  if (its_error /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, its_error)
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
subroutine in_a_common_block(a, n, s)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  common /errors_of/ ierr
  double precision :: a(n), s
  do i = 1, n
    a(i) = i
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-3]]
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, ierr)
  ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+3]]
  call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (ierr /= 0) stop 2
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
subroutine packs_both(a, b, n)
  implicit none
  include 'mpif.h'
  integer :: n, i, ierr
  double precision :: a(n), b(n)
  do i = 1, n
    a(i) = i
    b(i) = 2 * i
  end do
  ! CHECK: send at line [[@LINE+1]] starts inside the loop
  call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, ierr)
  if (ierr /= 0) stop 1
  ! CHECK: send at line [[@LINE+1]] stays as it is
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, 0, 8, MPI_COMM_WORLD, ierr)
end subroutine
