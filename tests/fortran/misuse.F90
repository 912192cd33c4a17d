! One misuse, chosen by the first argument: the report names the line that says HERE after it.
program misuse
    use mpi_f08
    use stretto
    implicit none
    integer, parameter :: n = 10000
    double precision, asynchronous :: a(n)
    character(20) :: which
    double precision, allocatable :: short(:)
    type(MPI_Request) :: request
    integer :: rank

    interface
        subroutine usleep(microseconds) bind(c)
            use iso_c_binding
            integer(c_int), value :: microseconds
        end subroutine
    end interface

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call get_command_argument(1, which)
    if (which == 'afterwards' .and. rank == 0) then
        call usleep(50000)
        call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
    else if (which == 'afterwards') then
        allocate (short(2**17)) ! pages of its own
        call MPI_Recv(short, n/4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! HERE afterwards
    else if (rank == 0) then
        if (which == 'twice') then
            call MPIX_Delta_send_begin(a, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request)
            call MPIX_Delta_send_data(a(1), 800)
            call MPIX_Delta_send_data(a(100), 8) ! HERE twice
        else
            call MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE) ! HERE end
        end if
    else
        call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call MPI_Finalize()
end program
