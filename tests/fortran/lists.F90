! What MPI reads besides messages, from Fortran: lists of integers and a name in a common block, in which they have just been received by a call
! that returned before all had come (docs/safety.md, "What the library reads"). Rank 1 says OK if MPI made of them what it should.
program lists
    use mpi
    implicit none
    integer, parameter :: n = 131072
    integer :: ones(n), places(n), some(n), error, rank, wrong
    common /given/ ones, places, some

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    wrong = 0
    ones = 1
    call of_displacements()
    call of_blocks()
    call of_ranks()
    call of_coordinates()
    call MPI_Finalize(error)
    if (rank == 1 .and. wrong == 0) print '(a)', 'OK'
    if (wrong /= 0) stop 1

contains

    ! Rank 0's list comes to rank 1, slowly.
    subroutine give(list)
        integer :: list(n), request, error
        if (rank == 0) then
            call MPI_Isend(list, n, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error)
            call sleep_for(20)
            call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        end if
        if (rank == 1) then
            list = -1
            call MPI_Recv(list, n, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        end if
    end subroutine

    subroutine sleep_for(milliseconds)
        integer, intent(in) :: milliseconds
        double precision :: last
        last = MPI_Wtime() + milliseconds/1d3
        do while (MPI_Wtime() < last)
        end do
    end subroutine

    subroutine must_be(found, expected, what)
        integer, intent(in) :: found, expected
        character(*), intent(in) :: what
        if (found == expected) return
        wrong = wrong + 1
        print '(a, a, i0, a, i0)', what, ': ', found, ' instead of ', expected
    end subroutine

    subroutine of_displacements()
        integer :: type, bytes, k, error
        places = [(2*k, k=1, n)]
        call give(places)
        if (rank /= 1) return
        call MPI_Type_indexed(n, ones, places, MPI_INTEGER, type, error)
        call MPI_Type_size(type, bytes, error)
        call must_be(bytes, 4*n, 'bytes of a type by displacements')
        call must_be(extent_of(type), 4*(2*n - 1), 'its extent')
        call MPI_Type_free(type, error)
    end subroutine

    subroutine of_blocks()
        integer :: type, bytes, k, error
        some = [(mod(k, 3), k=1, n)]
        places = [(4*k, k=1, n)]
        call give(some)
        if (rank /= 1) return
        call MPI_Type_indexed(n, some, places, MPI_INTEGER, type, error)
        call MPI_Type_size(type, bytes, error)
        call must_be(bytes, 4*sum([(mod(k, 3), k=1, n)]), 'bytes of a type by lengths')
        call MPI_Type_free(type, error)
    end subroutine

    integer function extent_of(type)
        integer, intent(in) :: type
        integer(MPI_ADDRESS_KIND) :: low, extent
        integer :: error
        call MPI_Type_get_extent(type, low, extent, error)
        extent_of = int(extent)
    end function

    ! The ranks lie where a message ends.
    subroutine of_ranks()
        integer :: all, one, size, error
        some = 0
        some(n) = 1
        call give(some)
        if (rank /= 1) return
        call MPI_Comm_group(MPI_COMM_WORLD, all, error)
        call MPI_Group_incl(all, 2, some(n - 1:n), one, error)
        call MPI_Group_size(one, size, error)
        call must_be(size, 2, 'a group of ranks')
        call MPI_Group_free(one, error)
        call MPI_Group_free(all, error)
    end subroutine

    subroutine of_coordinates()
        integer :: grid, place, error
        call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 1], [.false., .false.], .false., grid, error)
        some = 0
        some(n - 1) = 1
        call give(some)
        if (rank == 1) then
            call MPI_Cart_rank(grid, some(n - 1:n), place, error)
            call must_be(place, 1, 'a rank by its coordinates')
        end if
        call MPI_Comm_free(grid, error)
    end subroutine
end program
