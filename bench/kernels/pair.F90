! pair in Fortran. Rank 0 computes an array and sends it; rank 1 receives it, does the same computation and compares
! (Bao et al. 2012, section III.A). See pair.c, which is the same in C.
!
!   plain = 2 Tc + Tm     ideal = max(Tc, Tm)     so at most 3 times faster, where Tc = Tm
module pair_kernel
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use stretto_bench
#ifndef STRETTO_PLAIN
    use stretto
#endif
    implicit none
    private

    real(c_double), allocatable, target, asynchronous :: data(:)
    type(MPI_Request), allocatable :: requests(:)
    integer :: n
    character(kind=c_char), target :: name(13) = ['p', 'a', 'i', 'r', '-', 'f', 'o', 'r', 't', 'r', 'a', 'n', c_null_char]
    type(Kernel_t), target, save :: pair

contains

    subroutine fill(from, to)
        integer, intent(in) :: from, to
        integer :: i
        do i = from, to
            data(i) = element(int(i - 1, c_long))
        end do
        call worked(int(to - from + 1, c_long))
    end subroutine

    subroutine compare(from, to)
        integer, intent(in) :: from, to
        integer :: i
        do i = from, to
            if (data(i) /= element(int(i - 1, c_long))) wrong = wrong + 1
        end do
        call worked(int(to - from + 1, c_long))
    end subroutine

    subroutine plain() bind(C, name="pair_plain")
        integer :: a
        if (rank == 0) then
            do a = 1, n, STRIP
                call fill(a, min(a + STRIP - 1, n))
            end do
            call MPI_Send(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
        else if (rank == 1) then
            call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            do a = 1, n, STRIP
                call compare(a, min(a + STRIP - 1, n))
            end do
        end if
    end subroutine

    subroutine delta() bind(C, name="pair_delta")
#ifdef STRETTO_PLAIN
        call plain()
#else
        type(MPI_Request) :: request
        integer :: a, b
        if (rank == 0) then
            call MPIX_Delta_send_begin(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request)
            do a = 1, n, STRIP
                b = min(a + STRIP - 1, n)
                call fill(a, b)
                call MPIX_Delta_send_data(data(a), 8*(b - a + 1))
            end do
            call MPIX_Delta_send_end(request)
            call MPIX_Delta_wait(request, MPI_STATUS_IGNORE)
        else if (rank == 1) then
            call MPIX_Delta_recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            do a = 1, n, STRIP
                b = min(a + STRIP - 1, n)
                call MPIX_Delta_wait_data(data(a), 8*(b - a + 1))
                call compare(a, b)
            end do
            call MPIX_Delta_recv_end(data, MPI_STATUS_IGNORE)
        end if
#endif
    end subroutine

    ! By hand: a chunk leaves as soon as it is computed, and is used as soon as it has come; receives are posted ahead.
    subroutine hand(chunk_bytes) bind(C, name="pair_hand")
        integer(c_long), value :: chunk_bytes
        integer :: a, b, s, k, chunk
        chunk = int(chunk_bytes/8)
        k = 0
        if (rank == 0) then
            do a = 1, n, chunk
                b = min(a + chunk - 1, n)
                do s = a, b, STRIP
                    call fill(s, min(s + STRIP - 1, b))
                end do
                k = k + 1
                call MPI_Isend(data(a), b - a + 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, requests(k))
            end do
            call MPI_Waitall(k, requests, MPI_STATUSES_IGNORE)
        else if (rank == 1) then
            do a = 1, n, chunk
                k = k + 1
                call MPI_Irecv(data(a), min(chunk, n - a + 1), MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(k))
            end do
            k = 0
            do a = 1, n, chunk
                b = min(a + chunk - 1, n)
                k = k + 1
                call MPI_Wait(requests(k), MPI_STATUS_IGNORE)
                do s = a, b, STRIP
                    call compare(s, min(s + STRIP - 1, b))
                end do
            end do
        end if
    end subroutine

    subroutine message() bind(C, name="pair_message")
        if (rank == 0) call MPI_Send(data, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
        if (rank == 1) call MPI_Recv(data, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine

    function hops() bind(C, name="pair_hops")
        integer(c_int) :: hops
        hops = 1
    end function

    subroutine compute() bind(C, name="pair_compute")
        integer :: a
        do a = 1, n, STRIP
            call fill(a, min(a + STRIP - 1, n))
        end do
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
