! lu in Fortran: blts of NAS LU, one plane of points, as a wave over a 2-D grid of ranks (Bao et al. 2012, section III.A). See lu.c, which is
! the same in C.
!
!   ideal = Tc/5 + R V + (R-1) Tm, V = max(4/5 Tc, Tm), for R rows of ranks

#include "harness/kernel.F90"

module lu_kernel
    use, intrinsic :: iso_c_binding
    use mpi ! a module that flang has, too
    use stretto_bench
    implicit none
    private
#ifndef STRETTO_PLAIN
    include 'stretto/strettof.h'
#endif

    integer, parameter :: VALUES = 5, POINTS = 4, PIECE = (STRIP - mod(STRIP, VALUES))/VALUES ! of a point; of an inner row; in rows: 480 bytes of a boundary
    integer, parameter :: SOUTHWARD = 1, EASTWARD = 2
    real(c_double), allocatable, target :: plane(:, :), below(:, :) ! the points that are computed, row by row: of this plane, of the one before
    real(c_double), allocatable, target :: above(:, :) ! in each column, the point that was computed last
    real(c_double), allocatable, target :: from_north(:, :), from_west(:, :), to_south(:, :), to_east(:, :)
    integer, allocatable :: coming(:), going(:)
    integer :: n, computed, north, west, south, east
    character(kind=c_char), target :: name(11) = ['l', 'u', '-', 'f', 'o', 'r', 't', 'r', 'a', 'n', c_null_char]
    type(Kernel_t), target, save :: lu

contains

    ! Of an inner row only some points are computed, of the first and the last row all.
    pure function computed_in(n, row) result(many)
        integer, intent(in) :: n, row
        integer :: many
        many = POINTS
        if (row == 1 .or. row == n) many = n
    end function

    pure function first_point(n, row) result(point)
        integer, intent(in) :: n, row
        integer :: point
        point = 1
        if (row > 1) point = n + (row - 2)*POINTS + 1
    end function

    ! The first loop of blts: what the plane below adds.
    subroutine rise(from, to)
        integer, intent(in) :: from, to
        integer :: j, p, m
        do j = from, to
            do p = first_point(n, j), first_point(n, j) + computed_in(n, j) - 1
                do m = 1, VALUES
                    plane(m, p) = 1 - 1.2d0*(0.05d0*below(m, p) + 0.02d0*below(mod(m, VALUES) + 1, p))
                end do
            end do
            plane(1, first_point(n, j)) = plane(1, first_point(n, j)) + element(int(VALUES*(j - 1), c_long))
        end do
        call worked(int(to - from + 1, c_long))
    end subroutine

    ! The second: what the points in the north and west add; then the diagonal block.
    subroutine wave(from, to)
        integer, intent(in) :: from, to
        integer :: i, j, k, m, p
        real(c_double) :: left(VALUES)
        do j = from, to
            left = from_west(:, j)
            p = first_point(n, j)
            do m = 2, VALUES
                plane(m, p) = plane(m, p) + element(int(VALUES*(j - 1) + m - 1, c_long))
            end do
            do i = 1, n, (n + computed_in(n, j) - 1)/computed_in(n, j)
                do m = 1, VALUES
                    k = mod(m, VALUES) + 1
                    plane(m, p) = 0.9d0*(plane(m, p) - 1.2d0*(0.05d0*above(m, i) + 0.02d0*above(k, i)) &
                                         - 1.2d0*(0.05d0*left(m) + 0.02d0*left(k)))
                end do
                do m = 1, VALUES
                    above(m, i) = plane(m, p)
                    left(m) = plane(m, p)
                end do
                p = p + 1
            end do
            to_east(:, j) = left
        end do
        call worked(int((VALUES - 1)*(to - from + 1), c_long))
    end subroutine

    subroutine rise_all()
        integer :: a
        do a = 1, n, PIECE
            call rise(a, min(a + PIECE - 1, n))
        end do
    end subroutine

    subroutine wave_all(from, to)
        integer, intent(in) :: from, to
        integer :: a
        do a = from, to, PIECE
            call wave(a, min(a + PIECE - 1, to))
        end do
    end subroutine

    ! All of blts, with its messages: a western boundary is unpacked, and an eastern one packed, within the loop.
    subroutine blts(v, under, row_above, in_north, in_west, out_south, out_east, n, computed, north, west, south, east)
        integer, intent(in) :: n, computed, north, west, south, east
        real(c_double), intent(inout) :: v(VALUES, computed), row_above(VALUES, n)
        real(c_double), intent(in) :: under(VALUES, computed)
        real(c_double), intent(inout) :: in_north(VALUES, n), in_west(VALUES, n), out_south(VALUES, n), out_east(VALUES, n)
        real(c_double) :: left(VALUES)
        integer :: i, j, k, m, p, first, many, ierr
        call MPI_Recv(in_north, n*VALUES, MPI_DOUBLE_PRECISION, north, SOUTHWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPI_Recv(in_west, n*VALUES, MPI_DOUBLE_PRECISION, west, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        do j = 1, n
            first = 1
            if (j > 1) first = n + (j - 2)*POINTS + 1
            many = POINTS
            if (j == 1 .or. j == n) many = n
            do p = first, first + many - 1
                do m = 1, VALUES
                    v(m, p) = 1 - 1.2d0*(0.05d0*under(m, p) + 0.02d0*under(mod(m, VALUES) + 1, p))
                end do
            end do
            v(1, first) = v(1, first) + element(int(VALUES*(j - 1), c_long))
            call worked(1_c_long)
        end do
        do i = 1, n
            do m = 1, VALUES
                row_above(m, i) = in_north(m, i)
            end do
        end do
        do j = 1, n
            do m = 1, VALUES
                left(m) = in_west(m, j)
            end do
            p = 1
            if (j > 1) p = n + (j - 2)*POINTS + 1
            many = POINTS
            if (j == 1 .or. j == n) many = n
            do m = 2, VALUES
                v(m, p) = v(m, p) + element(int(VALUES*(j - 1) + m - 1, c_long))
            end do
            do i = 1, n, (n + many - 1)/many
                do m = 1, VALUES
                    k = mod(m, VALUES) + 1
                    v(m, p) = 0.9d0*(v(m, p) - 1.2d0*(0.05d0*row_above(m, i) + 0.02d0*row_above(k, i)) &
                                     - 1.2d0*(0.05d0*left(m) + 0.02d0*left(k)))
                end do
                do m = 1, VALUES
                    row_above(m, i) = v(m, p)
                    left(m) = v(m, p)
                end do
                p = p + 1
            end do
            do m = 1, VALUES
                out_east(m, j) = left(m)
            end do
            call worked(int(VALUES - 1, c_long))
        end do
        do i = 1, n
            do m = 1, VALUES
                out_south(m, i) = row_above(m, i)
            end do
        end do
        call MPI_Send(out_east, n*VALUES, MPI_DOUBLE_PRECISION, east, EASTWARD, MPI_COMM_WORLD, ierr)
        call MPI_Send(out_south, n*VALUES, MPI_DOUBLE_PRECISION, south, SOUTHWARD, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine plain() bind(C, name="lu_plain")
        call blts(plane, below, above, from_north, from_west, to_south, to_east, n, computed, north, west, south, east)
    end subroutine

    subroutine delta() bind(C, name="lu_delta")
#ifdef STRETTO_PLAIN
        call plain()
#else
        integer :: a, b, leaving(2), ierr
        call rise_all()
        call MPIX_Delta_send_begin(to_south, n*VALUES, MPI_DOUBLE_PRECISION, south, SOUTHWARD, MPI_COMM_WORLD, leaving(1), ierr)
        call MPIX_Delta_send_begin(to_east, n*VALUES, MPI_DOUBLE_PRECISION, east, EASTWARD, MPI_COMM_WORLD, leaving(2), ierr)
        call MPIX_Delta_recv(from_north, n*VALUES, MPI_DOUBLE_PRECISION, north, SOUTHWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPIX_Delta_recv(from_west, n*VALUES, MPI_DOUBLE_PRECISION, west, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPIX_Delta_wait_data(from_north, 8*VALUES*n)
        above = from_north
        do a = 1, n, PIECE
            b = min(a + PIECE - 1, n)
            call MPIX_Delta_wait_data(from_west(1, a), 8*VALUES*(b - a + 1))
            call wave(a, b)
            call MPIX_Delta_send_data(to_east(1, a), 8*VALUES*(b - a + 1))
        end do
        call MPIX_Delta_send_end(leaving(2), ierr) ! complete first
        to_south = above
        call MPIX_Delta_send_end(leaving(1), ierr)
        call MPIX_Delta_recv_end(from_north, MPI_STATUS_IGNORE, ierr)
        call MPIX_Delta_recv_end(from_west, MPI_STATUS_IGNORE, ierr)
        call MPIX_Delta_wait(leaving(1), MPI_STATUS_IGNORE, ierr)
        call MPIX_Delta_wait(leaving(2), MPI_STATUS_IGNORE, ierr)
#endif
    end subroutine

    ! By hand: rows go east in chunks; what goes south is made in one row and needed in one.
    subroutine hand(chunk_bytes) bind(C, name="lu_hand")
        integer(c_long), value :: chunk_bytes
        integer :: a, b, k, chunk, north_came, ierr
        chunk = max(int(chunk_bytes)/(8*VALUES), 1)
        call MPI_Irecv(from_north, n*VALUES, MPI_DOUBLE_PRECISION, north, SOUTHWARD, MPI_COMM_WORLD, north_came, ierr)
        k = 0
        do a = 1, n, chunk
            k = k + 1
            call MPI_Irecv(from_west(1, a), min(chunk, n - a + 1)*VALUES, MPI_DOUBLE_PRECISION, west, EASTWARD, MPI_COMM_WORLD, &
                           coming(k), ierr)
        end do
        call rise_all()
        call MPI_Wait(north_came, MPI_STATUS_IGNORE, ierr)
        above = from_north
        k = 0
        do a = 1, n, chunk
            b = min(a + chunk - 1, n)
            k = k + 1
            call MPI_Wait(coming(k), MPI_STATUS_IGNORE, ierr)
            call wave_all(a, b)
            call MPI_Isend(to_east(1, a), (b - a + 1)*VALUES, MPI_DOUBLE_PRECISION, east, EASTWARD, MPI_COMM_WORLD, going(k), ierr)
        end do
        to_south = above
        k = k + 1
        call MPI_Isend(to_south, n*VALUES, MPI_DOUBLE_PRECISION, south, SOUTHWARD, MPI_COMM_WORLD, going(k), ierr)
        call MPI_Waitall(k, going, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    ! What the plane below adds is computed while boundaries are on their way.
    subroutine independent() bind(C, name="lu_independent")
        integer :: came(2), left(2), ierr
        call MPI_Irecv(from_north, n*VALUES, MPI_DOUBLE_PRECISION, north, SOUTHWARD, MPI_COMM_WORLD, came(1), ierr)
        call MPI_Irecv(from_west, n*VALUES, MPI_DOUBLE_PRECISION, west, EASTWARD, MPI_COMM_WORLD, came(2), ierr)
        call rise_all()
        call MPI_Waitall(2, came, MPI_STATUSES_IGNORE, ierr)
        above = from_north
        call wave_all(1, n)
        to_south = above
        call MPI_Isend(to_east, n*VALUES, MPI_DOUBLE_PRECISION, east, EASTWARD, MPI_COMM_WORLD, left(1), ierr)
        call MPI_Isend(to_south, n*VALUES, MPI_DOUBLE_PRECISION, south, SOUTHWARD, MPI_COMM_WORLD, left(2), ierr)
        call MPI_Waitall(2, left, MPI_STATUSES_IGNORE, ierr)
    end subroutine

    subroutine message() bind(C, name="lu_message") ! eastwards in the first row: a link with nothing else on it
        integer :: ierr
        if (rank == 0) call MPI_Send(to_east, n*VALUES, MPI_DOUBLE_PRECISION, 1, EASTWARD, MPI_COMM_WORLD, ierr)
        if (rank == 1) then
            call MPI_Recv(from_west, n*VALUES, MPI_DOUBLE_PRECISION, 0, EASTWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        end if
    end subroutine

    function hops() bind(C, name="lu_hops")
        integer(c_int) :: hops
        hops = 1
    end function

    subroutine compute() bind(C, name="lu_compute")
        call rise_all()
        above = from_north
        call wave_all(1, n)
        to_south = above
    end subroutine

    subroutine set_up() bind(C, name="lu_set_up")
        integer :: rows, columns, column, r, p, m
        n = int(option%elements)/VALUES
        rows = 1 ! of ranks: as near to a square as their number allows
        do r = 1, ranks
            if (r*r <= ranks .and. mod(ranks, r) == 0) rows = r
        end do
        columns = ranks/rows
        column = mod(rank, columns)
        north = MPI_PROC_NULL
        south = MPI_PROC_NULL
        west = MPI_PROC_NULL
        east = MPI_PROC_NULL
        if (rank >= columns) north = rank - columns
        if (rank + columns < ranks) south = rank + columns
        if (column > 0) west = rank - 1
        if (column + 1 < columns) east = rank + 1

        computed = first_point(n, n) + n - 1
        allocate (plane(VALUES, computed), below(VALUES, computed), above(VALUES, n), coming(n), going(n + 1))
        allocate (from_north(VALUES, n), from_west(VALUES, n), to_south(VALUES, n), to_east(VALUES, n))
        do p = 1, computed
            do m = 1, VALUES
                below(m, p) = mod((p - 1)*7 + (m - 1)*3 + rank, 101)
            end do
        end do
    end subroutine

    subroutine reset() bind(C, name="lu_reset")
        plane = -1
        above = -1
        to_south = -1
        to_east = -1
        from_north = merge(0, -1, north == MPI_PROC_NULL)
        from_west = merge(0, -1, west == MPI_PROC_NULL)
    end subroutine

    function outcome() bind(C, name="lu_outcome")
        type(Result_t) :: outcome
        outcome = Result_t(c_loc(plane), 8_c_size_t*VALUES*computed)
    end function

    function kernel() bind(C, name="kernel")
        type(c_ptr) :: kernel
        lu = Kernel_t(c_loc(name), c_funloc(set_up), c_funloc(reset), c_funloc(message), c_funloc(hops), c_funloc(compute), &
                      c_funloc(plain), c_funloc(delta), c_funloc(hand), c_funloc(outcome), 0, c_funloc(independent))
        kernel = c_loc(lu)
    end function

end module
