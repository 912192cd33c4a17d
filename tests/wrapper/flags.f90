! flags.c in Fortran.
program flags
    implicit none
    include 'mpif.h'
    integer, parameter :: length = 100003, turns = 8
    double precision, allocatable :: a(:), u(:)
    double precision :: total, expected
    integer :: i, rank, turn, threads, ierr
    !$ integer, external :: omp_get_num_threads

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    allocate (a(length), u(length))
    threads = 1
    total = 0
    do turn = 1, turns
        if (rank == 0) then
            !$omp parallel do reduction(max : threads)
            do i = 1, length
                u(i) = mod(i, 1000)*0.25d0 + turn
                !$ threads = omp_get_num_threads()
            end do
            do i = 1, length
                a(i) = u(i) + 1
            end do
            call MPI_Send(a, length, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
        else
            call MPI_Recv(a, length, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            do i = 1, length
                total = total + a(i)*mod(i, 7)
            end do
        end if
    end do
    expected = 0
    do turn = 1, turns
        do i = 1, length
            expected = expected + (mod(i, 1000)*0.25d0 + turn + 1)*mod(i, 7)
        end do
    end do
    if (rank == 0) print '(i0,a)', threads, ' threads'
    if (rank == 1) print '(a)', merge('right', 'wrong', total == expected)
    call MPI_Finalize(ierr)
end program
