!     What `stretto annotate` leaves as it is in fixed form, and what
!     it says of it.
      subroutine jumps(a, c, n)
      implicit none
      include 'mpif.h'
      integer n, i, ierr
      double precision a(n), c(n)
      do 10 i = 1, n
         a(i) = c(i)
         if (c(i) .lt. 0d0) goto 10
         a(i) = 2 * c(i)
   10 continue
      call MPI_SEND(a, n, MPI_DOUBLE_PRECISION, 1, 1,                   ! LEFT: there is a jump, or a statement of another kind, between the loop and the call (line 10)
     &              MPI_COMM_WORLD, ierr)
      end

      subroutine shared(a, n, m)
      implicit none
      include 'mpif.h'
      integer n, m, i, j, ierr
      double precision a(n, m)
      do 20 j = 1, m
      do 20 i = 1, n
   20 a(i, j) = i + j
      call MPI_SEND(a, n * m, MPI_DOUBLE_PRECISION, 1, 1,               ! LEFT: the loop is of a form that cannot be changed for certain (line 22)
     &              MPI_COMM_WORLD, ierr)
      end

      subroutine leaves(a, n, found)
      implicit none
      include 'mpif.h'
      integer n, i, ierr
      logical found
      double precision a(n)
      do i = 1, n
         a(i) = i
      end do
      if (found) goto 30
      found = .true.
   30 continue
      call MPI_SEND(a, n, MPI_DOUBLE_PRECISION, 1, 1,                   ! LEFT: there is a jump, or a statement of another kind, between the loop and the call (line 38)
     &              MPI_COMM_WORLD, ierr)
      end
