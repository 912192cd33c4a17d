! One misuse, chosen by the first argument: the report names the line that says HERE after it.
program misuse
    use mpi_f08
    use stretto
    implicit none
    integer, parameter :: n = 10000
    double precision, asynchronous :: a(n)
    character(20) :: which
    type(MPI_Request) :: request
    integer :: rank

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call get_command_argument(1, which)
    if (rank == 0) then
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
