! Two ranks exchange messages of 8 bytes to 1 MiB and look at every number; with -DF08, -DUSE_MPI or -DMPIF in each of Fortran's ways.
! Per size and rank: one Send, one Recv, one Isend, one Irecv, one Waitall.
program exchange
#if defined(F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if defined(MPIF)
    include 'mpif.h'
#endif
    integer, parameter :: largest = 2**17
    double precision, asynchronous :: out(largest), in(largest)
    integer :: rank, other, n, i, sizes, wrong, count, ierr
#if defined(F08)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status, statuses(2)
#else
    integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    other = 1 - rank
    wrong = 0
    sizes = 0
    n = 1
    do while (n <= largest)
        out(1:n) = [(value_of(rank, n, i), i=1, n)]
        in(1:n) = -1
        if (rank == 0) call MPI_Send(out, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)
        call MPI_Recv(in, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, status, ierr)
        if (rank == 1) call MPI_Send(out, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
        if (count /= n) wrong = wrong + 1
        call check(n)

        in(1:n) = -1
        call MPI_Irecv(in, n, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Isend(out, n, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Waitall(2, requests, statuses, ierr)
        call check(n)

        sizes = sizes + 1
        n = 2*n
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
    print '(a, i0, a, i0, a, i0, a)', 'rank ', rank, ': ', sizes, ' sizes, ', wrong, ' wrong'
    if (wrong /= 0) stop 1

contains

    pure double precision function value_of(sender, n, i)
        integer, intent(in) :: sender, n, i
        value_of = sender*0.5d0 + n*3 + i
    end function

    subroutine check(n)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n
            if (in(i) /= value_of(other, n, i)) wrong = wrong + 1
        end do
    end subroutine
end program
