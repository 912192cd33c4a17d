! An error handler in Fortran reads what still comes: Open MPI's bindings do not tell Stretto of it (docs/safety.md). Rank 0 sends slowly.
module given
    integer, parameter :: n = 524288
    integer :: block(n)
    common /memory/ block
end module

subroutine reads(comm, code)
    use given
    integer :: comm, code
    print '(a, i0)', 'touched: ', block(n/2)
end subroutine

program outside
    use mpi
    use given
    implicit none
    external :: reads
    integer :: handler, comm, request, rank, error
    double precision :: last

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
    call MPI_Comm_create_errhandler(reads, handler, error)
    call MPI_Comm_set_errhandler(comm, handler, error)
    if (rank == 0) then
        block = 7
        call MPI_Isend(block, n, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, request, error)
        last = MPI_Wtime() + 0.3d0
        do while (MPI_Wtime() < last)
        end do
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    else
        call MPI_Recv(block, n, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call MPI_Send(rank, 0, MPI_INTEGER, 1000, 0, comm, error)
    end if
    call MPI_Finalize(error)
end program
