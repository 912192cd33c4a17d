! Not every rank receives: ierr of the others stays as it is.
! RUN: %remarks_f
subroutine steps(a, n, rank, turns, s, ierr)
  implicit none
  include 'mpif.h'
  integer :: n, rank, turns, i, t, ierr
  double precision :: a(n), s
  do t = 1, turns
    ! CHECK: receive at line [[@LINE+1]] ends inside the loop at line [[@LINE+2]]
    if (rank > 0) call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, n
      s = s * 0.5d0 + a(i)
    end do
  end do
end subroutine
