! mg in Fortran: psinv of NAS MG, the smoother u + C r with a stencil of 27 points, and comm3, which exchanges the faces of u axis by axis on a
! periodic grid of ranks (Bao et al. 2012, section III.A). See mg.c, which is the same in C.
!
!   plain = Tc + 2 Tm + E     ideal = max(Tc, 2 Tm) + E     E = 2.5 Tm for the two faces across y, where these are other ranks'

#include "harness/kernel.F90"

module mg_kernel
    use, intrinsic :: iso_c_binding
    use mpi ! a module that flang has, too
    use stretto_bench
    implicit none
    private
#ifndef STRETTO_PLAIN
    include 'stretto/strettof.h'
#endif

    integer, parameter :: AXES = 3, WIDTH = 8, ALL = WIDTH + 2 ! ALL: with the points of the neighbours, from 0 on
    integer, parameter :: DOWN = 1, UP = 2, SIDES = 2          ! the way that a message goes; also its tag
    real(c_double), parameter :: C0 = -3.0d0/17, C1 = 1.0d0/33, C2 = -1.0d0/61 ! as in NAS class C
    real(c_double), allocatable, target :: u(:, :, :), r(:, :, :), u_before(:, :, :) ! x, y, z
    real(c_double), allocatable, target :: out(:, :, :), in(:, :, :)                 ! point, way, axis
    integer, allocatable :: coming(:), going(:)
    integer :: n, extent(AXES), across(AXES), neighbour(SIDES, AXES) ! n: rows of points
    character(kind=c_char), target :: name(11) = ['m', 'g', '-', 'f', 'o', 'r', 't', 'r', 'a', 'n', c_null_char]
    type(Kernel_t), target, save :: mg

contains

    ! One row, or a part of it. Rows count from 1.
    subroutine smooth_points(row, from, to)
        integer, intent(in) :: row, from, to
        real(c_double) :: near(0:ALL - 1), far(0:ALL - 1)
        integer :: x, y, z
        y = 1 + mod(row - 1, WIDTH)
        z = 1 + (row - 1)/WIDTH
        do x = from - 1, to + 1
            near(x) = r(x, y - 1, z) + r(x, y + 1, z) + r(x, y, z - 1) + r(x, y, z + 1)
            far(x) = r(x, y - 1, z - 1) + r(x, y + 1, z - 1) + r(x, y - 1, z + 1) + r(x, y + 1, z + 1)
        end do
        do x = from, to
            u(x, y, z) = u(x, y, z) + (C0*r(x, y, z) + C1*(r(x - 1, y, z) + r(x + 1, y, z) + near(x)) &
                                       + C2*(far(x) + near(x - 1) + near(x + 1)))
        end do
    end subroutine

    subroutine add_work(row)
        integer, intent(in) :: row
        integer :: y, z
        y = 1 + mod(row - 1, WIDTH)
        z = 1 + (row - 1)/WIDTH
        u(WIDTH/2, y, z) = u(WIDTH/2, y, z) + element(int(row - 1, c_long))
    end subroutine

    subroutine smooth(from, to)
        integer, intent(in) :: from, to
        integer :: j
        do j = from, to
            call smooth_points(j, 1, WIDTH)
            call add_work(j)
        end do
        call worked(int(to - from + 1, c_long))
    end subroutine

    ! The points that no neighbour along x needs, and the work of all.
    subroutine smooth_inside(from, to)
        integer, intent(in) :: from, to
        integer :: j
        do j = from, to
            call smooth_points(j, 2, WIDTH - 1)
            call add_work(j)
        end do
        call worked(int(to - from + 1, c_long))
    end subroutine

    subroutine compute() bind(C, name="mg_compute")
        integer :: a
        do a = 1, n, STRIP
            call smooth(a, min(a + STRIP - 1, n))
        end do
    end subroutine

    pure function points(axis) result(many)
        integer, intent(in) :: axis
        integer :: many
        select case (axis)
        case (1)
            many = n
        case (2)
            many = extent(3)*ALL
        case default
            many = ALL*ALL
        end select
    end function

    ! Where a face's point lies, in the order of the messages: across y with what came along x, across z with what came along both.
    pure function place(axis, plane, k) result(at)
        integer, intent(in) :: axis, plane, k
        integer :: at(3)
        select case (axis)
        case (1)
            at = [plane, 1 + mod(k - 1, WIDTH), 1 + (k - 1)/WIDTH]
        case (2)
            at = [mod(k - 1, ALL), plane, 1 + (k - 1)/ALL]
        case default
            at = [mod(k - 1, ALL), (k - 1)/ALL, plane]
        end select
    end function

    subroutine pack(axis, from, to)
        integer, intent(in) :: axis, from, to
        integer :: k, at(3)
        do k = from, to
            at = place(axis, 1, k)
            out(k, DOWN, axis) = u(at(1), at(2), at(3))
            at = place(axis, extent(axis), k)
            out(k, UP, axis) = u(at(1), at(2), at(3))
        end do
    end subroutine

    subroutine unpack(axis)
        integer, intent(in) :: axis
        integer :: k, at(3)
        do k = 1, points(axis)
            at = place(axis, 0, k)
            u(at(1), at(2), at(3)) = in(k, UP, axis)
            at = place(axis, extent(axis) + 1, k)
            u(at(1), at(2), at(3)) = in(k, DOWN, axis)
        end do
    end subroutine

    ! Non-blocking, all messages of one axis in chunks of so many points; how many there are. A message that goes up comes from below.
    subroutine receive(axis, chunk, requests, k)
        integer, intent(in) :: axis, chunk
        integer, intent(inout) :: requests(*)
        integer, intent(out) :: k
        integer :: a, way, ierr
        k = 0
        do a = 1, points(axis), chunk
            do way = 1, SIDES
                k = k + 1
                call MPI_Irecv(in(a, way, axis), min(chunk, points(axis) - a + 1), MPI_DOUBLE_PRECISION, &
                               neighbour(SIDES + 1 - way, axis), way, MPI_COMM_WORLD, requests(k), ierr)
            end do
        end do
    end subroutine

    subroutine send(axis, from, to, requests, k)
        integer, intent(in) :: axis, from, to
        integer, intent(inout) :: requests(*), k
        integer :: way, ierr
        do way = 1, SIDES
            k = k + 1
            call MPI_Isend(out(from, way, axis), to - from + 1, MPI_DOUBLE_PRECISION, neighbour(way, axis), way, MPI_COMM_WORLD, &
                           requests(k), ierr)
        end do
    end subroutine

    ! A rank that is its own neighbour sends nothing.
    function is_alone(axis) result(alone)
        integer, intent(in) :: axis
        logical :: alone
        integer :: k, at(3), from(3)
        alone = across(axis) == 1
        if (.not. alone) return
        do k = 1, points(axis)
            at = place(axis, 0, k)
            from = place(axis, extent(axis), k)
            u(at(1), at(2), at(3)) = u(from(1), from(2), from(3))
            at = place(axis, extent(axis) + 1, k)
            from = place(axis, 1, k)
            u(at(1), at(2), at(3)) = u(from(1), from(2), from(3))
        end do
    end function

    ! comm3 for one axis, as in NAS MG.
    subroutine exchange(axis)
        integer, intent(in) :: axis
        integer :: requests(SIDES), k, way, ierr
        if (is_alone(axis)) return
        call receive(axis, points(axis), requests, k)
        call pack(axis, 1, points(axis))
        do way = 1, SIDES
            call MPI_Send(out(1, way, axis), points(axis), MPI_DOUBLE_PRECISION, neighbour(way, axis), way, MPI_COMM_WORLD, ierr)
        end do
        call MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE, ierr)
        call unpack(axis)
    end subroutine

    ! All of psinv, and the messages across x: each row's ends are packed when they have been computed.
    subroutine psinv(u, r, to_down, to_up, n, planes, below, behind)
        integer, intent(in) :: n, planes, below, behind
        real(c_double), intent(inout) :: u(0:ALL - 1, 0:ALL - 1, 0:planes + 1), to_down(n), to_up(n)
        real(c_double), intent(in) :: r(0:ALL - 1, 0:ALL - 1, 0:planes + 1)
        real(c_double) :: near(0:ALL - 1), far(0:ALL - 1)
        integer :: j, x, y, z, ierr
        do j = 1, n
            y = 1 + mod(j - 1, WIDTH)
            z = 1 + (j - 1)/WIDTH
            do x = 0, WIDTH + 1
                near(x) = r(x, y - 1, z) + r(x, y + 1, z) + r(x, y, z - 1) + r(x, y, z + 1)
                far(x) = r(x, y - 1, z - 1) + r(x, y + 1, z - 1) + r(x, y - 1, z + 1) + r(x, y + 1, z + 1)
            end do
            do x = 1, WIDTH
                u(x, y, z) = u(x, y, z) + (C0*r(x, y, z) + C1*(r(x - 1, y, z) + r(x + 1, y, z) + near(x)) &
                                           + C2*(far(x) + near(x - 1) + near(x + 1)))
            end do
            u(WIDTH/2, y, z) = u(WIDTH/2, y, z) + element(int(j - 1, c_long))
            to_down(j) = u(1, y, z)
            to_up(j) = u(WIDTH, y, z)
            call worked(1_c_long)
        end do
        call MPI_Send(to_down, n, MPI_DOUBLE_PRECISION, below, DOWN, MPI_COMM_WORLD, ierr)
        call MPI_Send(to_up, n, MPI_DOUBLE_PRECISION, behind, UP, MPI_COMM_WORLD, ierr)
    end subroutine

    ! Along x there is always another rank.
    subroutine plain() bind(C, name="mg_plain")
        integer :: requests(SIDES), k, axis, ierr
        call receive(1, n, requests, k)
        call psinv(u, r, out(1, DOWN, 1), out(1, UP, 1), n, extent(3), neighbour(DOWN, 1), neighbour(UP, 1))
        call MPI_Waitall(SIDES, requests, MPI_STATUSES_IGNORE, ierr)
        call unpack(1)
        do axis = 2, AXES
            call exchange(axis)
        end do
    end subroutine

    subroutine delta() bind(C, name="mg_delta")
#ifdef STRETTO_PLAIN
        call plain()
#else
        integer :: from_sides(SIDES), to_sides(SIDES), a, b, k, way, axis, ierr
        call receive(1, n, from_sides, k)
        do way = 1, SIDES
            call MPIX_Delta_send_begin(out(1, way, 1), n, MPI_DOUBLE_PRECISION, neighbour(way, 1), way, MPI_COMM_WORLD, &
                                       to_sides(way), ierr)
        end do
        do a = 1, n, STRIP
            b = min(a + STRIP - 1, n)
            call smooth(a, b)
            call pack(1, a, b)
            do way = 1, SIDES
                call MPIX_Delta_send_data(out(a, way, 1), 8*(b - a + 1))
            end do
        end do
        do way = 1, SIDES
            call MPIX_Delta_send_end(to_sides(way), ierr)
        end do
        call MPI_Waitall(SIDES, from_sides, MPI_STATUSES_IGNORE, ierr)
        call unpack(1)
        do way = 1, SIDES
            call MPIX_Delta_wait(to_sides(way), MPI_STATUS_IGNORE, ierr)
        end do
        do axis = 2, AXES
            call exchange(axis)
        end do
#endif
    end subroutine

    ! The other axes, without a blocking send.
    subroutine exchange_others(chunk)
        integer, intent(in) :: chunk
        integer :: axis, chunks, a, k, ierr
        do axis = 2, AXES
            if (is_alone(axis)) cycle
            call receive(axis, chunk, coming, chunks)
            call pack(axis, 1, points(axis))
            k = 0
            do a = 1, points(axis), chunk
                call send(axis, a, min(a + chunk - 1, points(axis)), going, k)
            end do
            call MPI_Waitall(chunks, coming, MPI_STATUSES_IGNORE, ierr)
            call unpack(axis)
            call MPI_Waitall(k, going, MPI_STATUSES_IGNORE, ierr)
        end do
    end subroutine

    subroutine hand(chunk_bytes) bind(C, name="mg_hand")
        integer(c_long), value :: chunk_bytes
        integer :: a, b, s, k, chunk, chunks, ierr
        chunk = int(chunk_bytes/8)
        call receive(1, chunk, coming, chunks)
        k = 0
        do a = 1, n, chunk
            b = min(a + chunk - 1, n)
            do s = a, b, STRIP
                call smooth(s, min(s + STRIP - 1, b))
            end do
            call pack(1, a, b)
            call send(1, a, b, going, k)
        end do
        call MPI_Waitall(chunks, coming, MPI_STATUSES_IGNORE, ierr)
        call unpack(1)
        call MPI_Waitall(k, going, MPI_STATUSES_IGNORE, ierr)
        call exchange_others(chunk)
    end subroutine

    ! The faces across x first, and all between while they are on their way: the loop is split, the messages are whole.
    subroutine independent() bind(C, name="mg_independent")
        integer :: a, j, k, chunks, ierr
        call receive(1, n, coming, chunks)
        do j = 1, n
            call smooth_points(j, 1, 1)
            call smooth_points(j, WIDTH, WIDTH)
        end do
        call pack(1, 1, n)
        k = 0
        call send(1, 1, n, going, k)
        do a = 1, n, STRIP
            call smooth_inside(a, min(a + STRIP - 1, n))
        end do
        call MPI_Waitall(SIDES, coming, MPI_STATUSES_IGNORE, ierr)
        call unpack(1)
        call MPI_Waitall(SIDES, going, MPI_STATUSES_IGNORE, ierr)
        call exchange_others(points(2))
    end subroutine

    subroutine message() bind(C, name="mg_message") ! one face across x
        integer :: ierr
        if (rank == 0) call MPI_Send(out(1, UP, 1), n, MPI_DOUBLE_PRECISION, 1, UP, MPI_COMM_WORLD, ierr)
        if (rank == 1) then
            call MPI_Recv(in(1, UP, 1), n, MPI_DOUBLE_PRECISION, 0, UP, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        end if
    end subroutine

    function hops() bind(C, name="mg_hops")
        integer(c_int) :: hops
        hops = 1
    end function

    subroutine find_neighbours()
        integer :: axis, here, base, stride, ierr
        across = 0
        call MPI_Dims_create(ranks, AXES, across, ierr) ! the most ranks along x
        stride = 1
        do axis = 1, AXES
            here = mod(rank/stride, across(axis))
            base = rank - here*stride
            neighbour(DOWN, axis) = base + mod(here + across(axis) - 1, across(axis))*stride
            neighbour(UP, axis) = base + mod(here + 1, across(axis))*stride
            stride = stride*across(axis)
        end do
    end subroutine

    subroutine set_up() bind(C, name="mg_set_up")
        integer :: i, x, y, z, most
        n = int(option%elements)
        extent = [WIDTH, WIDTH, n/WIDTH]
        call find_neighbours()
        allocate (u(0:ALL - 1, 0:ALL - 1, 0:extent(3) + 1), r(0:ALL - 1, 0:ALL - 1, 0:extent(3) + 1))
        allocate (u_before(0:ALL - 1, 0:ALL - 1, 0:extent(3) + 1))
        most = max(points(2), points(3)) ! across y there are the most points
        allocate (out(most, SIDES, AXES), in(most, SIDES, AXES), coming(SIDES*most), going(SIDES*most))
        i = 0
        do z = 0, extent(3) + 1
            do y = 0, ALL - 1
                do x = 0, ALL - 1
                    r(x, y, z) = real(mod(i*37 + rank, 1013), c_double)/1013
                    u_before(x, y, z) = real(mod(i*53 + rank, 997), c_double)/997
                    i = i + 1
                end do
            end do
        end do
    end subroutine

    subroutine reset() bind(C, name="mg_reset")
        u = u_before
        out = -1
        in = -1
    end subroutine

    function outcome() bind(C, name="mg_outcome") ! all points, and those of the neighbours
        type(Result_t) :: outcome
        outcome = Result_t(c_loc(u), 8_c_size_t*ALL*ALL*(extent(3) + 2))
    end function

    function kernel() bind(C, name="kernel")
        type(c_ptr) :: kernel
        mg = Kernel_t(c_loc(name), c_funloc(set_up), c_funloc(reset), c_funloc(message), c_funloc(hops), c_funloc(compute), &
                      c_funloc(plain), c_funloc(delta), c_funloc(hand), c_funloc(outcome), 0, c_funloc(independent))
        kernel = c_loc(mg)
    end function

end module
