! A function of another file is called in the loop, and the user answers for it.
! RUN: env STRETTO_PASS_OPTIONS="-stretto-strip-bytes=16384 -stretto-harmless=rested" %remarks_f
subroutine fill(b, n, dest, left)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  interface
    function rested(left) bind(C) result(next)
      import c_long
      integer(c_long), value :: left
      integer(c_long) :: next
    end function
  end interface
  integer, intent(in) :: n, dest
  real(8) :: b(n)
  integer(c_long) :: left
  integer :: i, ierr
  do i = 1, n
    b(i) = i
    left = left - 1
    if (left <= 0) left = rested(left)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, 1, MPI_COMM_WORLD, ierr) ! CHECK: send at line [[@LINE]] starts inside the loop
end subroutine
