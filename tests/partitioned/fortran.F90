! Partitioned messages from Fortran: by the module mpi, or by mpi_f08 (-DF08). Also where stretto_partitioned declares them.
program partitioned
#ifdef F08
    use mpi_f08
#else
    use mpi
#endif
    use stretto_partitioned
    implicit none
    integer, parameter :: parts = 8, each = 5000
    double precision, save, asynchronous :: x(parts*each)
#ifdef F08
    type(MPI_Request) :: request
    type(MPI_Status) :: status
#else
    integer :: request, status(MPI_STATUS_SIZE)
#endif
    integer :: rank, ierr, k, turn, asked, i, wrong
    integer(MPI_COUNT_KIND), parameter :: n = each
    logical :: here

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    wrong = 0
    if (rank == 0) then
        call MPI_Psend_init(x, parts, n, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    else
        call MPI_Precv_init(x, parts, n, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    end if
    do turn = 1, 3
        call MPI_Start(request, ierr)
        if (rank == 0) then
            do k = 0, parts - 1
                x(k*each + 1:(k + 1)*each) = [(turn*1d6 + i, i=k*each + 1, (k + 1)*each)]
                if (turn == 1) call MPI_Pready(k, request, ierr)
            end do
            if (turn == 2) call MPI_Pready_range(0, parts - 1, request, ierr)
            if (turn == 3) call MPI_Pready_list(parts, [(k, k=parts - 1, 0, -1)], request, ierr)
        else
            do asked = 0, parts - 1
                here = .false.
                k = asked
                do while (.not. here .and. turn < 3)
                    if (turn == 1) call MPI_Parrived(request, k, here, ierr)
                    if (turn == 2) call MPIX_Parrived_any(request, k, here, ierr)
                end do
                if (turn == 3 .and. k == 0) call MPI_Wait(request, status, ierr)
                do i = k*each + 1, (k + 1)*each
                    if (x(i) /= turn*1d6 + i) wrong = wrong + 1
                end do
            end do
        end if
        call MPI_Wait(request, status, ierr)
    end do
    call MPI_Request_free(request, ierr)
    print *, "rank", rank, ":", wrong, "wrong"
    call MPI_Finalize(ierr)
end program
