! Each rank passes a row of numbers on to the next one: ring.c in Fortran, by the module mpi.
program ring
    use mpi
    implicit none
    integer, parameter :: length = 100000
    double precision :: row(length), from_left(length)
    integer :: i, rank, ranks, left, sent, ierr, wrong, bytes

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    do i = 1, length
        row(i) = rank + 0.5d0*i
    end do
    call MPI_Isend(row, length, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, sent, ierr)
    left = mod(rank + ranks - 1, ranks)
    call MPI_Recv(from_left, length, MPI_DOUBLE_PRECISION, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    wrong = 0
    do i = 1, length
        if (from_left(i) /= left + 0.5d0*i) wrong = wrong + 1
    end do
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Type_size(MPI_DOUBLE_PRECISION, bytes, ierr)
    if (bytes /= 8 .or. MPI_Wtime() < 0) wrong = wrong + 1
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', wrong, ' wrong'
    call MPI_Finalize(ierr)
end program
