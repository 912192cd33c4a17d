! Delta messages without annotations, in all the places where Fortran keeps arrays: pages say what is final and what is needed.
! Rank 0 sends, rank 1 receives and looks at every number, and at what lies around.
module field
    implicit none
    integer, parameter :: n = 40000
    type cell
        integer :: before
        double precision :: values(n)
        integer :: after
    end type
    type(cell), asynchronous :: inside
    double precision, asynchronous :: of_module(n)
end module

program pages
    use mpi
    use stretto
    use field
    implicit none
    integer, parameter :: times = 4 ! the first operations of a call site are rehearsed
    double precision, asynchronous :: left(n), middle(n), right(n)
    common /side_by_side/ left, middle, right
    double precision, allocatable, asynchronous :: on_heap(:), matrix(:, :)
    integer :: rank, time, wrong, ierr

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    wrong = 0
    allocate (on_heap(n), matrix(200, 200))
    left = -1
    right = -2
    inside%before = 11
    inside%after = 12
    do time = 1, times
        call pass(middle, n)
        if (any(left /= -1) .or. any(right /= -2)) wrong = wrong + 1
        call pass(inside%values, n)
        if (inside%before /= 11 .or. inside%after /= 12) wrong = wrong + 1
        call pass(of_module, n)
        call pass(on_heap, n)
        call pass(matrix, n)
        call pass_through_a_file(on_heap)
    end do
    call MPI_Finalize(ierr)
    print '(a, i0, a, i0, a)', 'rank ', rank, ': ', wrong, ' wrong'
    if (wrong /= 0) stop 1

contains

    subroutine pass(a, length)
        integer, intent(in) :: length
        double precision, asynchronous :: a(length)
        integer :: request, i, ierr
        if (rank == 0) then
            call MPIX_Delta_send_begin(a, length, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, request, ierr)
            do i = 1, length
                a(i) = time*i
            end do
            call MPIX_Delta_send_end(request, ierr)
            call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
        else
            call MPIX_Delta_recv(a, length, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            do i = length, 1, -1
                if (a(i) /= time*i) wrong = wrong + 1
            end do
            call MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE, ierr)
        end if
    end subroutine

    ! Fortran's own I/O reads what comes, and writes into what leaves.
    subroutine pass_through_a_file(a)
        double precision, asynchronous :: a(n)
        double precision :: again(n)
        integer :: request, i, ierr, unit
        open (newunit=unit, status='scratch', form='unformatted')
        if (rank == 0) then
            write (unit) [(dble(time + i), i=1, n)]
            rewind (unit)
            call MPIX_Delta_send_begin(a, n, MPI_DOUBLE_PRECISION, 1, 8, MPI_COMM_WORLD, request, ierr)
            read (unit) a
            call MPIX_Delta_send_end(request, ierr)
            call MPIX_Delta_wait(request, MPI_STATUS_IGNORE, ierr)
        else
            call MPIX_Delta_recv(a, n, MPI_DOUBLE_PRECISION, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            write (unit) a
            rewind (unit)
            read (unit) again
            call MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE, ierr)
            if (any(again /= [(dble(time + i), i=1, n)])) wrong = wrong + 1
        end if
        close (unit)
    end subroutine
end program
