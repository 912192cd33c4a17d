! An exchange at the top of the time loop: what it sends was written at the bottom, in the turn before.
! RUN: %remarks_f
subroutine jacobi(old, new, rows, wide, steps, left, right)
  implicit none
  include 'mpif.h'
  integer :: rows, wide, steps, left, right, step, i, ierr, requests(4), statuses(MPI_STATUS_SIZE, 4)
  double precision :: old(rows, 0:wide + 1), new(rows, 0:wide + 1)
  do step = 1, steps
    ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line {{[0-9]+}}, strips
    call MPI_Irecv(old(1, 0), rows, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, requests(1), ierr)
    ! CHECK: send at line [[@LINE+1]] starts inside the loop at line {{[0-9]+}}, in the turn before, strips of {{.*}}, where its condition holds
    call MPI_Isend(old(1, wide), rows, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    do i = 1, rows
      new(i, 1) = old(i, 0) * 0.5d0
    end do
    do i = 1, rows
      new(i, wide) = new(i, 1) + old(i, wide)
    end do
    do i = 1, rows
      old(i, wide) = new(i, wide)
    end do
  end do
end subroutine
