!     As shapes.c, in Fortran of fixed form.
      program shapes
      implicit none
      include 'mpif.h'
      integer n, ierr, rank, turn
      parameter (n = 6000)
      double precision a(n), b(n)
      common /field/ a, b
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      do 10 turn = 1, 3
         if (rank .eq. 1) call give(a, b, n, 0)
         if (rank .eq. 0) call take(a, n, 1)
   10 continue
      call MPI_FINALIZE(ierr)
      end

      subroutine give(a, b, n, to)
      implicit none
      include 'mpif.h'
      integer n, to, i, ierr
      double precision a(n), b(n)
      do 20 i = 1, n
         b(i) = i * 0.125d0
   20 continue
      do 30 i = 1, n
         if (b(i) .gt. 100d0) then
            a(i) = sqrt(b(i))
         end if
   30 continue
      call MPI_SEND(a, n, MPI_DOUBLE_PRECISION, to, 7,
     &              MPI_COMM_WORLD, ierr)
      end

      subroutine take(a, n, from)
      implicit none
      include 'mpif.h'
      integer n, from, i, ierr
      double precision a(n), total
      total = 0
      call MPI_RECV(a, n, MPI_DOUBLE_PRECISION, from, 7,
     &              MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do i = 1, n
         total = total + a(i) * i
      end do
      print '(es24.16)', total
      end
