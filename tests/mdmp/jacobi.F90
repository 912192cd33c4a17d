! The paper's Jacobi iteration, in Fortran: by directives, by the library form (-DBY_CALLS), and by plain MPI (-DBY_MPI). Each rank prints
! a number of all bits of its part.
program jacobi
    use mpi
#ifdef BY_CALLS
    use mdmp_calls
#elif !defined BY_MPI
    use stretto_mdmp
#endif
    implicit none
    integer, parameter :: np = 61, mp = 23, maxiter = 40
    real :: old(0:np + 1, 0:mp + 1), new(np, mp), edge(np, mp)
    integer :: rank, ranks, next, prev, ierr, iter, i, j
#ifdef BY_MPI
    integer :: requests(4)
#endif

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    next = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    prev = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    old = 0
    do j = 1, mp
        do i = 1, np
            edge(i, j) = sin(real(i*7 + (rank*mp + j)*13))
            old(i, j) = edge(i, j)/3
        end do
    end do

#ifdef BY_CALLS
    call mdmp_region_begin()
#elif !defined BY_MPI
!$mdmp commregion
#endif
    do iter = 1, maxiter
#if defined BY_CALLS
        call mdmp_exchange_begin()
        call mdmp_recv(old(1:np, 0), prev)
        call mdmp_recv(old(1:np, mp + 1), next)
        call mdmp_send(old(1:np, mp), next)
        call mdmp_send(old(1:np, 1), prev)
        call mdmp_exchange_end()
#elif defined BY_MPI
        call MPI_Irecv(old(1, 0), np, MPI_REAL, prev, 1, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(old(1, mp + 1), np, MPI_REAL, next, 2, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(old(1, mp), np, MPI_REAL, next, 1, MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(old(1, 1), np, MPI_REAL, prev, 2, MPI_COMM_WORLD, requests(4), ierr)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
#else
!$mdmp recv(old(1:np, 0), prev)
!$mdmp recv(old(1:np, mp + 1), next)
!$mdmp send(old(1:np, mp), next)
!$mdmp send(old(1:np, 1), prev)
#endif
        do j = 1, mp
            do i = 1, np
                new(i, j) = 0.25*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - edge(i, j))
            end do
        end do
        old(1:np, 1:mp) = new
    end do
#ifdef BY_CALLS
    call mdmp_region_end()
#elif !defined BY_MPI
!$mdmp commregionfinished
#endif

    print '(a, i0, 1x, i0)', 'rank ', rank, bits()
    call MPI_Finalize(ierr)
contains
    integer(8) function bits()
        integer :: word(np, mp)
        word = reshape(transfer(new, word), shape(word))
        bits = 0
        do j = 1, mp
            do i = 1, np
                bits = ieor(bits*31 + 7, int(word(i, j), 8))
                bits = iand(bits, 1152921504606846975_8) ! no overflow
                bits = bits/64
            end do
        end do
        do j = 1, mp
            bits = bits + sum(int(word(:, j), 8))*j
        end do
    end function
end program
