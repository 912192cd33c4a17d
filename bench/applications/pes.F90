! pes in Fortran: the 2-D Poisson equation by Jacobi steps, rows shared out in blocks. See pes.c, which is the same in C.
!
!   plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S steps; Tm is that of both rows, which leave by one link

#include "harness/kernel.F90"

module pes_kernel
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use stretto_bench
    implicit none
    private

    integer, parameter :: ROWS = 32, STEPS = 24
    integer, parameter :: EVERY = 16 ! of the points, one in so many has work to do beyond the stencil
    integer, parameter :: UP = 1, DOWN = 2, ABOVE = 1, BELOW = 2

    ! point, row, array; rows 0 and ROWS + 1 belong to the neighbours
    real(c_double), allocatable, target, asynchronous :: grid(:, :, :)
    type(MPI_Request), allocatable :: going(:, :, :), coming(:, :, :) ! chunk, side, array
    integer :: n, neighbours(2)
    character(kind=c_char), target :: name(12) = ['p', 'e', 's', '-', 'f', 'o', 'r', 't', 'r', 'a', 'n', c_null_char]
    type(Kernel_t), target, save :: pes

contains

    subroutine relax(from, r, a, b)
        integer, intent(in) :: from, r, a, b
        integer :: j, to
        to = 1 - from
        do j = a, b
            grid(j, r, to) = 0.25d0*(grid(j, r - 1, from) + grid(j, r + 1, from) + &
                                     grid(max(j - 1, 1), r, from) + grid(min(j + 1, n), r, from))
        end do
        do j = (a + EVERY - 2)/EVERY*EVERY + 1, b, EVERY
            grid(j, r, to) = grid(j, r, to) + 1d-9*element(int((j - 1)/EVERY, c_long))
        end do
        call worked_part(int(b - a + 1, c_long), int(ROWS, c_long))
    end subroutine

    subroutine relax_row(from, r)
        integer, intent(in) :: from, r
        integer :: a
        do a = 1, n, 8*STRIP
            call relax(from, r, a, min(a + 8*STRIP - 1, n))
        end do
    end subroutine

    subroutine compute() bind(C, name="pes_compute")
        integer :: r
        do r = 1, ROWS
            call relax_row(0, r)
        end do
    end subroutine

    subroutine exchange(g)
        integer, intent(in) :: g
        type(MPI_Request) :: requests(2)
        call MPI_Irecv(grid(1, 0, g), n, MPI_DOUBLE_PRECISION, neighbours(ABOVE), DOWN, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(grid(1, ROWS + 1, g), n, MPI_DOUBLE_PRECISION, neighbours(BELOW), UP, MPI_COMM_WORLD, requests(2))
        call MPI_Send(grid(1, 1, g), n, MPI_DOUBLE_PRECISION, neighbours(ABOVE), UP, MPI_COMM_WORLD)
        call MPI_Send(grid(1, ROWS, g), n, MPI_DOUBLE_PRECISION, neighbours(BELOW), DOWN, MPI_COMM_WORLD)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    end subroutine

    subroutine plain() bind(C, name="pes_plain")
        integer :: s, r
        do s = 0, STEPS - 1
            call work_step(int(s, c_long))
            do r = 1, ROWS
                call relax_row(mod(s, 2), r)
            end do
            call exchange(1 - mod(s, 2))
        end do
    end subroutine

    ! The rows that the neighbours need are computed in the middle of a step: so both ways have half of it.
    function order(q) result(r)
        integer, intent(in) :: q
        integer :: r
        r = q
        if (q < ROWS/2) r = q + 1
        if (q == ROWS/2) r = 1
        if (q == ROWS/2 + 1) r = ROWS
        if (q > ROWS/2 + 1) r = q - 1
    end function

    subroutine expect(g, chunk, parts)
        integer, intent(in) :: g, chunk, parts
        integer :: k, a, side
        do side = ABOVE, BELOW
            do k = 1, parts
                a = (k - 1)*chunk + 1
                call MPI_Irecv(grid(a, merge(0, ROWS + 1, side == ABOVE), g), min(chunk, n - a + 1), MPI_DOUBLE_PRECISION, &
                               neighbours(side), merge(DOWN, UP, side == ABOVE), MPI_COMM_WORLD, coming(k, side, g))
            end do
        end do
    end subroutine

    subroutine pass_on(from, side, chunk, parts)
        integer, intent(in) :: from, side, chunk, parts
        integer :: k, a, r
        r = merge(1, ROWS, side == ABOVE)
        do k = 1, parts
            a = (k - 1)*chunk + 1
            call MPI_Wait(coming(k, side, from), MPI_STATUS_IGNORE)
            call relax(from, r, a, min(a + chunk - 1, n))
            call MPI_Isend(grid(a, r, 1 - from), min(chunk, n - a + 1), MPI_DOUBLE_PRECISION, neighbours(side), &
                           merge(UP, DOWN, side == ABOVE), MPI_COMM_WORLD, going(k, side, 1 - from))
        end do
    end subroutine

    subroutine settle(g, parts)
        integer, intent(in) :: g, parts
        integer :: side
        do side = ABOVE, BELOW
            call MPI_Waitall(parts, going(:, side, g), MPI_STATUSES_IGNORE)
            call MPI_Waitall(parts, coming(:, side, g), MPI_STATUSES_IGNORE)
        end do
    end subroutine

    ! By hand, in chunks: a row that a neighbour needs leaves as it is computed, from what has come of the neighbour's.
    subroutine hand(chunk_bytes) bind(C, name="pes_hand")
        integer(c_long), value :: chunk_bytes
        integer :: s, q, from, chunk, parts
        chunk = int(chunk_bytes/8)
        parts = (n + chunk - 1)/chunk
        do s = 0, STEPS - 1
            from = mod(s, 2)
            call work_step(int(s, c_long))
            call settle(1 - from, parts)
            call expect(1 - from, chunk, parts)
            do q = 1, ROWS
                select case (order(q))
                case (1)
                    call pass_on(from, ABOVE, chunk, parts)
                case (ROWS)
                    call pass_on(from, BELOW, chunk, parts)
                case default
                    call relax_row(from, order(q))
                end select
            end do
        end do
        call settle(0, parts)
        call settle(1, parts)
    end subroutine

    ! What the busiest link carries one way in a step.
    subroutine message() bind(C, name="pes_message")
        integer :: m
        do m = 1, merge(2, 1, ranks > 2)
            if (rank == 1) call MPI_Send(grid(1, 1, 0), n, MPI_DOUBLE_PRECISION, 0, UP, MPI_COMM_WORLD)
            if (rank == 0) call MPI_Recv(grid(1, ROWS + 1, 0), n, MPI_DOUBLE_PRECISION, 1, UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end do
    end subroutine

    function hops() bind(C, name="pes_hops")
        integer(c_int) :: hops
        hops = 1
    end function

    subroutine set_up() bind(C, name="pes_set_up")
        n = int(option%elements)
        neighbours(ABOVE) = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        neighbours(BELOW) = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
        allocate (grid(n, 0:ROWS + 1, 0:1))
        allocate (going(n, 2, 0:1), coming(n, 2, 0:1), source=MPI_REQUEST_NULL)
    end subroutine

    subroutine reset() bind(C, name="pes_reset")
        integer :: g, r, j
        do g = 0, 1
            do r = 0, ROWS + 1
                do j = 1, n
                    grid(j, r, g) = real(mod((rank*ROWS + r)*31 + (j - 1)*7, 101), c_double)/101
                end do
            end do
        end do
    end subroutine

    function outcome() bind(C, name="pes_outcome")
        type(Result_t) :: outcome
        outcome = Result_t(c_loc(grid(1, 0, mod(STEPS, 2))), 8_c_size_t*n*(ROWS + 2))
    end function

    function kernel() bind(C, name="kernel")
        type(c_ptr) :: kernel
        pes = Kernel_t(c_loc(name), c_funloc(set_up), c_funloc(reset), c_funloc(message), c_funloc(hops), &
                       c_funloc(compute), c_funloc(plain), c_null_funptr, c_funloc(hand), c_funloc(outcome), 0)
        kernel = c_loc(pes)
    end function

end module
