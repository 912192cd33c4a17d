! Both halves of an exchange; ierr tells of both.
! RUN: %remarks_f
subroutine exchange(a, b, n, left, right, s)
  implicit none
  include 'mpif.h'
  integer :: n, left, right, i, ierr
  double precision :: a(n), b(n), s
  do i = 1, n
    a(i) = i * 0.5d0
  end do
  ! CHECK: receive at line [[@LINE+2]] ends inside the loop at line [[@LINE+6]]
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE-4]]
  call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, right, 1, b, n, MPI_DOUBLE_PRECISION, left, 1, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (ierr /= 0) stop 1
  s = 0
  do i = 1, n
    s = s + b(i)
  end do
end subroutine
