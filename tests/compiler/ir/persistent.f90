! Persistent sends: begin in front of the loops, end in front of the start.
! RUN: %remarks_f
subroutine steps(a, b, n, m, left, right)
  implicit none
  include 'mpif.h'
  integer :: n, m, left, right, i, t, ierr, requests(2), statuses(MPI_STATUS_SIZE, 2)
  double precision :: a(n), b(n)
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE+5]]
  call MPI_Send_init(a, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE+6]]
  call MPI_Send_init(b, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
  do t = 1, m
    do i = 1, n
      a(i) = i * 0.5d0 + t
    end do
    do i = 1, n
      b(i) = i * 0.25d0 + t
    end do
    call MPI_Startall(2, requests, ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
  end do
end subroutine

subroutine one(a, n, m, dest)
  implicit none
  include 'mpif.h'
  integer :: n, m, dest, i, t, ierr, request
  double precision :: a(n)
  ! CHECK: send at line [[@LINE+1]] starts inside the loop at line [[@LINE+3]]
  call MPI_Send_init(a, n, MPI_DOUBLE_PRECISION, dest, 1, MPI_COMM_WORLD, request, ierr)
  do t = 1, m
    do i = 1, n
      a(i) = i * 0.5d0 + t
    end do
    call MPI_Start(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Request_free(request, ierr)
end subroutine
