! An unmodified Fortran program whose waits are known, as sites.c. Its calls come to us out of the MPI library's own wrappers.
program sites
    use mpi
    implicit none
    integer, parameter :: n = 65536, times = 5
    integer, allocatable :: a(:)
    integer :: rank, k, error

    interface
        subroutine usleep(microseconds) bind(c)
            use iso_c_binding
            integer(c_int), value :: microseconds
        end subroutine
    end interface

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    allocate (a(n))
    a = 1
    do k = 1, times
        call exchange()
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    do k = 1, times
        call exchange_and_meet()
    end do
    call MPI_Finalize(error)

contains

    subroutine send_slowly()
        integer :: request
        call MPI_Isend(a, n, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, request, error) ! line: isend
        call usleep(20000)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error) ! line: wait
    end subroutine

    subroutine exchange()
        integer :: status(MPI_STATUS_SIZE)
        if (rank == 0) call send_slowly()
        if (rank == 1) then
            call MPI_Recv(a, n, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error) ! line: at once
            a(n/2) = a(n/2) + 1 ! line: touch
        end if
    end subroutine

    subroutine exchange_and_meet()
        integer :: status(MPI_STATUS_SIZE)
        if (rank == 0) call send_slowly()
        if (rank == 1) call MPI_Recv(a, n, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error) ! line: met
        call MPI_Barrier(MPI_COMM_WORLD, error) ! line: barrier
    end subroutine

end program
