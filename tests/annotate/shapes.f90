! As shapes.c, in Fortran of free form.
module exchanges
  implicit none
  include 'mpif.h'
  integer :: rank, other
  integer, parameter :: values = 3, triple = 5
contains
  subroutine show(what, total)
    character(*), intent(in) :: what
    double precision, intent(in) :: total
    if (rank == 0) print '(a, 1x, es24.16)', what, total
  end subroutine

  ! Upwards, the array by its name; the receive is read downwards.
  subroutine upwards(a, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: a(n)
    double precision :: total
    integer :: i, ierr
    if (rank == 1) then
      do i = 1, n
        if (mod(i, 3) == 1) cycle
        a(i) = sqrt(dble(i))
      end do
      call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
    else
      total = 0
      call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do i = n, 1, -1
        total = total * 0.5d0 + a(i)
      end do
      call show('upwards', total)
    end if
  end subroutine

  ! Columns, as Fortran stores them; a lower bound of its own.
  subroutine columns(u, n, m)
    integer, intent(in) :: n, m
    double precision, intent(inout) :: u(n, 0:m)
    double precision :: total
    integer :: i, j, ierr, status(MPI_STATUS_SIZE)
    if (rank == 1) then
      do j = 0, m
        do i = 1, n
          u(i, j) = i + 0.5d0 * j
        end do
      end do
      call MPI_Send(u, n * (m + 1), MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, ierr)
    else
      total = 0
      call MPI_Recv(u(1, 0), n * (m + 1), MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, status, ierr)
      do j = 0, m
        do i = 1, n
          total = total + u(i, j) / (i + j)
        end do
      end do
      call show('columns', total + status(MPI_TAG))
    end if
  end subroutine

  ! Pack, send without blocking; one column of an array; two receives, one loop.
  subroutine packed(u, a, b, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: u(n, 3), a(n), b(n)
    double precision :: total
    integer :: i, ierr, request
    if (rank == 1) then
      do i = 1, n
        a(i) = u(i, 2) * 2
      end do
      call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, request, ierr)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
      do i = 1, n
        u(i, 3) = i * 0.25d0
      end do
      call MPI_Send(u(1, 3), n, MPI_DOUBLE_PRECISION, 0, 4, MPI_COMM_WORLD, ierr)
    else
      total = 0
      call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do i = 1, n
        total = total + a(i) * b(i)
      end do
      call show('packed', total)
    end if
  end subroutine

  ! Three values each, by a named constant; a loop that begins with a loop.
  subroutine triples(u, v, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: u(values, n), v(values, n)
    integer :: i, m, ierr
    if (rank == 1) then
      do i = 1, n
        do m = 1, values
          u(m, i) = i * 0.125d0 - m
        end do
      end do
      call MPI_Send(u, n * values, MPI_DOUBLE_PRECISION, 0, triple, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(v, n * values, MPI_DOUBLE_PRECISION, 1, triple, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do i = 1, n
        do m = 1, values
          u(m, i) = v(m, i)
        end do
      end do
      call show('triples', sum(u(:, 1:n)))
    end if
  end subroutine
end module

program shapes
  use exchanges
  implicit none
  integer, parameter :: n = 6000
  double precision :: a(n), b(n), u(n, 3), w(n, 3)
  integer :: ierr, turn
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  a = 0
  u = 3
  do turn = 1, 3
    call upwards(a, n - turn)
    call columns(u, 300, 20 + turn)
    call packed(u, a, b, n)
    call triples(u, w, n - turn)
  end do
  call MPI_Finalize(ierr)
end program
