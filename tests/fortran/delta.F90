! Delta sends, receives and collectives as Fortran writes them, with -DF08, -DUSE_MPI or -DMPIF in each of its ways. Rank 0 sends, rank 1 receives
! and looks at every number and at every status.
program delta
#if defined(F08)
    use mpi_f08
    use stretto
#elif defined(USE_MPI)
    use mpi
    use stretto
#endif
    implicit none
#if defined(MPIF)
    include 'mpif.h'
    include 'stretto/strettof.h'
#endif
    integer, parameter :: n = 65536, piece = 1024
    double precision, asynchronous :: a(n), b(n), columns(64, 128)
    integer, asynchronous :: one, counts(2), displs(2)
    integer :: rank, i, j, wrong, ierr
#if defined(F08)
    type(MPI_Request) :: request
    type(MPI_Status) :: status
#else
    integer :: request, status(MPI_STATUS_SIZE)
#endif

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    wrong = 0

    ! Pieces, the last first.
    if (rank == 0) then
        a = -1
        call MPIX_Delta_send_begin(a, n, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, request, ierr)
        do i = n - piece + 1, 1, -piece
            a(i:i + piece - 1) = [(3*j, j=i, i + piece - 1)]
            call MPIX_Delta_send_data(a(i), 8*piece)
        end do
        call MPIX_Delta_send_end(request, ierr)
        call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
        if (request /= MPI_REQUEST_NULL) wrong = wrong + 1
    else
        a = 0
        call MPIX_Delta_recv(a, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
        call look_at_status(0, 7, n)
        do i = 1, n, piece
            call MPIX_Delta_wait_data(a(i), 8*piece)
            do j = i, i + piece - 1
                if (a(j) /= 3*j) wrong = wrong + 1
            end do
        end do
        call MPIX_Delta_recv_end(a, status, ierr)
        call look_at_status(0, 7, n)
    end if

    ! Columns of a matrix into an ordinary receive; fewer than begin said; statuses ignored.
    if (rank == 0) then
        call MPIX_Delta_send_begin(columns, 64*128, MPI_DOUBLE_PRECISION, 1, 8, MPI_COMM_WORLD, request, ierr)
        do j = 1, 100
            columns(:, j) = j
#if defined(MPIF)
            call MPIX_Delta_send_data(columns(1, j), 8*64)
#else
            call MPIX_Delta_send_data(columns(1, j), 8_MPI_ADDRESS_KIND*64)
#endif
        end do
        call MPIX_Delta_send_end_count(64*100, request, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    else
        columns = 0
        call MPI_Recv(columns, 64*128, MPI_DOUBLE_PRECISION, 0, 8, MPI_COMM_WORLD, status, ierr)
        call look_at_status(0, 8, 64*100)
        do j = 1, 128
            if (any(columns(:, j) /= merge(j, 0, j <= 100))) wrong = wrong + 1
        end do
    end if

    ! An ordinary send into a delta receive; a scalar; a status ignored.
    if (rank == 0) then
        one = 42
        call MPI_Send(one, 1, MPI_INTEGER, 1, 9, MPI_COMM_WORLD, ierr)
    else
        one = 0
        call MPIX_Delta_recv(one, 1, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPIX_Delta_wait_data(one, 4)
        call MPIX_Delta_recv_end(one, MPI_STATUS_IGNORE, ierr)
        if (one /= 42) wrong = wrong + 1
    end if

    ! Collectives: a sum, blocks of several sizes, and a contribution that lies where the result goes.
    b = 0
    call MPIX_Delta_allreduce_begin(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    do i = 1, n, piece
        do j = i, i + piece - 1
            a(j) = j + rank
        end do
        call MPIX_Delta_send_data(a(i), 8*piece)
    end do
    call MPIX_Delta_collective_end(request, ierr)
    do i = 1, n, piece
        call MPIX_Delta_wait_data(b(i), 8*piece)
        do j = i, i + piece - 1
            if (b(j) /= 2*j + 1) wrong = wrong + 1
        end do
    end do
    call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
    if (request /= MPI_REQUEST_NULL) wrong = wrong + 1

    counts = [n - piece, piece]
    displs = [0, n - piece]
    call MPIX_Delta_allgatherv_begin(a, counts(rank + 1), MPI_DOUBLE_PRECISION, b, counts, displs, &
                                     MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, request, ierr)
    call MPIX_Delta_collective_end(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    do j = 1, n
        if (b(j) /= merge(j, j - (n - piece) + 1, j <= n - piece)) wrong = wrong + 1
    end do

    call MPIX_Delta_allreduce_begin(MPI_IN_PLACE, b, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, request, ierr)
    b = rank
    call MPIX_Delta_collective_end(request, ierr)
    call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
    if (any(b /= 1)) wrong = wrong + 1

    ! With nothing under way, the annotations may stand anywhere.
    call MPIX_Delta_send_data(a(1), 8)
    call MPIX_Delta_wait_data(a(1), 8)

    call MPI_Finalize(ierr)
    print '(a, i0, a, i0, a)', 'rank ', rank, ': ', wrong, ' wrong'
    if (wrong /= 0) stop 1

contains

    subroutine look_at_status(source, tag, expected)
        integer, intent(in) :: source, tag, expected
        integer :: count, ierr
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
        if (count /= expected) wrong = wrong + 1
#if defined(F08)
        if (status%MPI_SOURCE /= source .or. status%MPI_TAG /= tag) wrong = wrong + 1
#else
        if (status(MPI_SOURCE) /= source .or. status(MPI_TAG) /= tag) wrong = wrong + 1
#endif
    end subroutine
end program
