! As 2DECOMP&FFT and FLASH called LibNBC: handles are integers, NBC_WAIT makes them -1. Every name of libnbc.a once.
program libnbc
    implicit none
    include 'mpif.h'
    integer, parameter :: n = 20000, nbc_ok = 0, nbc_continue = 3, nbc_request_null = -1
    integer :: rank, ranks, ierror, handle, other, ring, wrong, total, before, after
    integer, allocatable :: send(:), recv(:), counts(:), places(:)
    logical :: periodic(1) = .true.

    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
    allocate (send(n*ranks), recv(n*ranks), counts(ranks), places(ranks))
    wrong = 0
    total = ranks*(ranks + 1)/2
    send = rank + 1
    counts = n
    places = [(n*(before - 1), before=1, ranks)]

    recv = merge(5, 0, rank == 0)
    call NBC_IBCAST(recv, n, MPI_INTEGER, 0, MPI_COMM_WORLD, handle, ierror)
    do
        call NBC_TEST(handle, ierror)
        if (ierror /= nbc_continue) exit
    end do
    call check(ierror == nbc_ok .and. handle == nbc_request_null .and. all(recv(:n) == 5), 'NBC_IBCAST')
    call NBC_WAIT(handle, ierror) ! of nothing
    call NBC_TEST(handle, ierror)
    call check(ierror == nbc_ok, 'of nothing')

    call NBC_IALLREDUCE(send, recv, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, handle, ierror)
    call NBC_IBARRIER(MPI_COMM_WORLD, other, ierror)
    call NBC_WAIT(other, ierror)
    call wait(all_are(1, total), 'NBC_IALLREDUCE')
    call NBC_IREDUCE(send, recv, n, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, handle, ierror)
    call wait(rank /= 0 .or. all_are(1, ranks), 'NBC_IREDUCE')
    call NBC_IREDUCE_SCATTER(send, recv, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, handle, ierror)
    call wait(all_are(1, total), 'NBC_IREDUCE_SCATTER')
    call NBC_ISCAN(send, recv, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, handle, ierror)
    call wait(all_are(1, (rank + 1)*(rank + 2)/2), 'NBC_ISCAN')

    call NBC_IGATHER(send, n, MPI_INTEGER, recv, n, MPI_INTEGER, 0, MPI_COMM_WORLD, handle, ierror)
    call wait(rank /= 0 .or. all_are(ranks, ranks), 'NBC_IGATHER')
    recv = 0
    call NBC_IGATHERV(send, n, MPI_INTEGER, recv, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, handle, ierror)
    call wait(rank /= 0 .or. all_are(ranks, ranks), 'NBC_IGATHERV')
    call NBC_ISCATTER(send, n, MPI_INTEGER, recv, n, MPI_INTEGER, 0, MPI_COMM_WORLD, handle, ierror)
    call wait(all_are(1, 1), 'NBC_ISCATTER')
    call NBC_ISCATTERV(send, counts, places, MPI_INTEGER, recv, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, handle, ierror)
    call wait(all_are(1, ranks), 'NBC_ISCATTERV')
    call NBC_IALLGATHER(send, n, MPI_INTEGER, recv, n, MPI_INTEGER, MPI_COMM_WORLD, handle, ierror)
    call wait(from_each(), 'NBC_IALLGATHER')
    call NBC_IALLGATHERV(send, n, MPI_INTEGER, recv, counts, places, MPI_INTEGER, MPI_COMM_WORLD, handle, ierror)
    call wait(from_each(), 'NBC_IALLGATHERV')
    call NBC_IALLTOALL(send, n, MPI_INTEGER, recv, n, MPI_INTEGER, MPI_COMM_WORLD, handle, ierror)
    call wait(from_each(), 'NBC_IALLTOALL')
    call NBC_IALLTOALLV(send, counts, places, MPI_INTEGER, recv, counts, places, MPI_INTEGER, MPI_COMM_WORLD, handle, ierror)
    call wait(from_each(), 'NBC_IALLTOALLV')

    call MPI_CART_CREATE(MPI_COMM_WORLD, 1, [ranks], periodic, .false., ring, ierror)
    before = modulo(rank - 1, ranks)
    after = modulo(rank + 1, ranks)
    call NBC_INEIGHBOR_XCHG(send, n, MPI_INTEGER, recv, n, MPI_INTEGER, ring, handle, ierror)
    call wait(all_are(1, before + 1) .and. all_are(2, after + 1), 'NBC_INEIGHBOR_XCHG')
    call NBC_INEIGHBOR_XCHGV(send, counts, places, MPI_INTEGER, recv, counts, places, MPI_INTEGER, ring, handle, ierror)
    call wait(all_are(1, before + 1) .and. all_are(2, after + 1), 'NBC_INEIGHBOR_XCHGV')
    call MPI_COMM_FREE(ring, ierror)
    if (rank == 0 .and. wrong == 0) print '(a)', 'all right'
    call MPI_FINALIZE(ierror)
    if (wrong /= 0) error stop 1

contains

    ! What the operation gave is asked for after it has ended.
    logical function all_are(block, what)
        integer, intent(in) :: block, what
        if (handle /= nbc_request_null) call NBC_WAIT(handle, ierror)
        all_are = ierror == nbc_ok .and. all(recv(n*(block - 1) + 1:n*block) == what)
        recv(n*(block - 1) + 1:n*block) = 0
    end function

    logical function from_each()
        integer :: r
        from_each = .true.
        do r = 1, ranks
            from_each = all_are(r, r) .and. from_each
        end do
    end function

    subroutine wait(right, what)
        logical, intent(in) :: right
        character(*), intent(in) :: what
        if (handle /= nbc_request_null) call NBC_WAIT(handle, ierror)
        call check(right .and. handle == nbc_request_null, what)
    end subroutine

    subroutine check(right, what)
        logical, intent(in) :: right
        character(*), intent(in) :: what
        if (right) return
        print '(a,i0,3a)', 'rank ', rank, ': ', what, ' is wrong'
        wrong = wrong + 1
    end subroutine
end program
