! pair in Fortran. Rank 0 computes an array and sends it; rank 1 receives it, does the same computation and compares
! (Bao et al. 2012, section III.A). See pair.c, which is the same in C.
!
!   plain = 2 Tc + Tm     ideal = max(Tc, Tm)     so at most 3 times faster, where Tc = Tm

#include "harness/kernel.F90"

module pair_kernel
    use, intrinsic :: iso_c_binding
    use mpi ! a module that flang has, too
    use stretto_bench
    implicit none
    private
#ifndef STRETTO_PLAIN
    include 'stretto/strettof.h'
#endif

    real(c_double), allocatable, target :: data(:)
    integer, allocatable :: requests(:)
    integer :: n
    character(kind=c_char), target :: name(13) = ['p', 'a', 'i', 'r', '-', 'f', 'o', 'r', 't', 'r', 'a', 'n', c_null_char]
    type(Kernel_t), target, save :: pair

contains

    subroutine fill(a, from, to)
        real(c_double), intent(inout) :: a(*)
        integer, intent(in) :: from, to
        integer :: i
        do i = from, to
            a(i) = element(int(i - 1, c_long))
            call worked(1_c_long)
        end do
    end subroutine

    function differences(a, from, to) result(found)
        real(c_double), intent(in) :: a(*)
        integer, intent(in) :: from, to
        integer(c_long) :: found
        integer :: i
        found = 0
        do i = from, to
            if (a(i) /= element(int(i - 1, c_long))) found = found + 1
            call worked(1_c_long)
        end do
    end function

    subroutine produce(a, n)
        integer, intent(in) :: n
        real(c_double), intent(inout) :: a(n)
        integer :: i, ierr
        do i = 1, n
            a(i) = element(int(i - 1, c_long))
            call worked(1_c_long)
        end do
        call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine consume(a, n)
        integer, intent(in) :: n
        real(c_double), intent(inout) :: a(n)
        integer(c_long) :: found
        integer :: i, ierr
        found = 0
        call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        do i = 1, n
            if (a(i) /= element(int(i - 1, c_long))) found = found + 1
            call worked(1_c_long)
        end do
        wrong = wrong + found
    end subroutine

    subroutine plain() bind(C, name="pair_plain")
        if (rank == 0) call produce(data, n)
        if (rank == 1) call consume(data, n)
    end subroutine

    subroutine delta() bind(C, name="pair_delta")
#ifdef STRETTO_PLAIN
        call plain()
#else
        integer :: a, b, request, ierr
        if (rank == 0) then
            call MPIX_Delta_send_begin(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierr)
            do a = 1, n, STRIP
                b = min(a + STRIP - 1, n)
                call fill(data, a, b)
                call MPIX_Delta_send_data(data(a), 8*(b - a + 1))
            end do
            call MPIX_Delta_send_end(request, ierr)
            call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
        else if (rank == 1) then
            call MPIX_Delta_recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            do a = 1, n, STRIP
                b = min(a + STRIP - 1, n)
                call MPIX_Delta_wait_data(data(a), 8*(b - a + 1))
                wrong = wrong + differences(data, a, b)
            end do
            call MPIX_Delta_recv_end(data, MPI_STATUS_IGNORE, ierr)
        end if
#endif
    end subroutine

    ! By hand: a chunk leaves as soon as it is computed, and is used as soon as it has come; receives are posted ahead.
    subroutine hand(chunk_bytes) bind(C, name="pair_hand")
        integer(c_long), value :: chunk_bytes
        integer :: a, b, k, chunk, ierr
        chunk = int(chunk_bytes/8)
        k = 0
        if (rank == 0) then
            do a = 1, n, chunk
                b = min(a + chunk - 1, n)
                call fill(data, a, b)
                k = k + 1
                call MPI_Isend(data(a), b - a + 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, requests(k), ierr)
            end do
            call MPI_Waitall(k, requests, MPI_STATUSES_IGNORE, ierr)
        else if (rank == 1) then
            do a = 1, n, chunk
                k = k + 1
                call MPI_Irecv(data(a), min(chunk, n - a + 1), MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(k), ierr)
            end do
            k = 0
            do a = 1, n, chunk
                b = min(a + chunk - 1, n)
                k = k + 1
                call MPI_Wait(requests(k), MPI_STATUS_IGNORE, ierr)
                wrong = wrong + differences(data, a, b)
            end do
        end if
    end subroutine

    subroutine message() bind(C, name="pair_message")
        integer :: ierr
        if (rank == 0) call MPI_Send(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
        if (rank == 1) call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end subroutine

    function hops() bind(C, name="pair_hops")
        integer(c_int) :: hops
        hops = 1
    end function

    subroutine compute() bind(C, name="pair_compute")
        call fill(data, 1, n)
    end subroutine

    subroutine set_up() bind(C, name="pair_set_up")
        n = int(option%elements)
        allocate (data(n), requests(n))
    end subroutine

    subroutine reset() bind(C, name="pair_reset")
        data = -1
    end subroutine

    function outcome() bind(C, name="pair_outcome")
        type(Result_t) :: outcome
        outcome = Result_t(c_loc(data), 8_c_size_t*n)
    end function

    function kernel() bind(C, name="kernel")
        type(c_ptr) :: kernel
        pair = Kernel_t(c_loc(name), c_funloc(set_up), c_funloc(reset), c_funloc(message), c_funloc(hops), &
                        c_funloc(compute), c_funloc(plain), c_funloc(delta), c_funloc(hand), c_funloc(outcome), 0)
        kernel = c_loc(pair)
    end function

end module
