! The module mdmp_calls: MDMP (docs/mdmp.md) by calls, for every compiler that has the descriptors of TS 29113 (gfortran 12, flang 19).
!
!     use mdmp_calls
!
!     call mdmp_region_begin()
!     do iter = 1, maxiter
!         call mdmp_exchange_begin()
!         call mdmp_recv(old(1:np, 0), prev)
!         call mdmp_recv(old(1:np, mp + 1), next)
!         call mdmp_send(old(1:np, mp), next)
!         call mdmp_send(old(1:np, 1), prev)
!         call mdmp_exchange_end()                      ! all have come, all may be written again
!         ...
!         call mdmp_reduce("max", change)               ! of all ranks
!     end do
!     call mdmp_region_end()
!
! A section may have strides: it is sent from, and comes to, where it is. It is a variable, never an expression. A partner is a rank, or
! mdmp_none. Arguments that may be left out: count (so many elements from the one that is given on, as they lie in memory), tag, comm (an
! integer; of mpi_f08 its component MPI_VAL), and line and file, which messages name: line=__LINE__, file=__FILE__. A send or a receive
! outside of an exchange waits by itself.
!
! All ranks of the communicator call mdmp_reduce and mdmp_bcast, outside of an exchange. An operation is "+", "*", "min", "max", ".and.",
! ".or.", "iand", "ior" or "ieor". With root that rank alone has the result. All ranks get what the root of mdmp_bcast has.
!
! Directives (`!$mdmp send(...)`) need stretto-fc and `use stretto_mdmp`. No module of that name exists, so that every other compiler
! refuses a program whose directives it would ignore.
!
! A .mod file is the compiler's own: compile this file with the compiler of your program. It holds interfaces only, and needs no linking.
module mdmp_calls
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t
    implicit none
    private
    public :: mdmp_region_begin, mdmp_region_end, mdmp_exchange_begin, mdmp_exchange_end, mdmp_send, mdmp_recv, mdmp_none
    public :: mdmp_reduce, mdmp_bcast
    public :: stretto_mdmp_directive, stretto_mdmp_whole, stretto_mdmp_definable, stretto_mdmp_region_begin
    public :: stretto_mdmp_region_end, stretto_mdmp_send, stretto_mdmp_send_count, stretto_mdmp_recv
    public :: stretto_mdmp_recv_count, stretto_mdmp_reduce, stretto_mdmp_reduce_count, stretto_mdmp_bcast
    public :: stretto_mdmp_bcast_count, stretto_mdmp_exchange

    integer(c_int), parameter :: mdmp_none = -huge(0_c_int) ! no rank, and no constant of any MPI

    interface
        subroutine mdmp_region_begin(comm, line, file) bind(c, name="stretto_fortran_region_begin")
            import :: c_int
            integer(c_int), intent(in), optional :: comm, line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_region_end(line, file) bind(c, name="stretto_fortran_region_end")
            import :: c_int
            integer(c_int), intent(in), optional :: line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_exchange_begin(line, file) bind(c, name="stretto_fortran_exchange_begin")
            import :: c_int
            integer(c_int), intent(in), optional :: line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_exchange_end(line, file) bind(c, name="stretto_fortran_exchange_end")
            import :: c_int
            integer(c_int), intent(in), optional :: line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_send(section, partner, count, tag, comm, line, file) bind(c, name="stretto_fortran_send")
            import :: c_int
            type(*), dimension(..), asynchronous :: section ! no intent: asynchronous refuses a copy
            integer(c_int), intent(in) :: partner
            integer(c_int), intent(in), optional :: count, tag, comm, line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_recv(section, partner, count, tag, comm, line, file) bind(c, name="stretto_fortran_recv")
            import :: c_int
            type(*), dimension(..), intent(inout), asynchronous :: section
            integer(c_int), intent(in) :: partner
            integer(c_int), intent(in), optional :: count, tag, comm, line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_reduce(op, section, count, root, comm, line, file) bind(c, name="stretto_fortran_reduce")
            import :: c_int
            type(*), dimension(..), intent(in) :: op
            type(*), dimension(..), intent(inout), asynchronous :: section
            integer(c_int), intent(in), optional :: count, root, comm, line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
        subroutine mdmp_bcast(section, root, count, comm, line, file) bind(c, name="stretto_fortran_bcast")
            import :: c_int
            type(*), dimension(..), intent(inout), asynchronous :: section
            integer(c_int), intent(in) :: root
            integer(c_int), intent(in), optional :: count, comm, line
            type(*), dimension(..), intent(in), optional :: file
        end subroutine
    end interface

    ! What stretto-fc writes in place of directives; not for programs. `ta`, `com` and `roo` are no longer than `tag`, `comm` and `root`,
    ! which they replace in a line of the program.
    interface
        ! Makes `at` stand for a directive, where it is 0.
        subroutine stretto_mdmp_directive(at, line, column, file, procedure, text) bind(c, name="stretto_fortran_directive")
            import :: c_char, c_int, c_int64_t
            integer(c_int64_t), intent(inout) :: at
            integer(c_int), intent(in), value :: line, column
            character(kind=c_char), intent(in) :: file(*), procedure(*), text(*)
        end subroutine
        ! Where all of an array lies: a section of it that lies elsewhere is a copy.
        subroutine stretto_mdmp_whole(array, of) bind(c, name="stretto_fortran_whole")
            import :: c_int64_t
            type(*), dimension(..), asynchronous :: array
            integer(c_int64_t), intent(out) :: of(3)
        end subroutine
        ! The same of the section itself; the compiler refuses a copy.
        subroutine stretto_mdmp_definable(array, of) bind(c, name="stretto_fortran_definable")
            import :: c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: array
            integer(c_int64_t), intent(out) :: of(3)
        end subroutine
        subroutine stretto_mdmp_region_begin(com, at) bind(c, name="stretto_fortran_region")
            import :: c_int, c_int64_t
            integer(c_int), intent(in), optional :: com
            integer(c_int64_t), intent(in) :: at
        end subroutine
        subroutine stretto_mdmp_region_end(at) bind(c, name="stretto_fortran_region_finished")
            import :: c_int64_t
            integer(c_int64_t), intent(in) :: at
        end subroutine
        subroutine stretto_mdmp_send(section, partner, ta, com, at, of) bind(c, name="stretto_fortran_section_send")
            import :: c_int, c_int64_t
            type(*), dimension(..), asynchronous :: section
            integer(c_int), intent(in) :: partner
            integer(c_int), intent(in), optional :: ta, com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_recv(section, partner, ta, com, at, of) bind(c, name="stretto_fortran_section_recv")
            import :: c_int, c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: section
            integer(c_int), intent(in) :: partner
            integer(c_int), intent(in), optional :: ta, com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_send_count(first, count, partner, ta, com, at, of) bind(c, name="stretto_fortran_count_send")
            import :: c_int, c_int64_t
            type(*), dimension(..), asynchronous :: first
            integer(c_int), intent(in) :: count, partner
            integer(c_int), intent(in), optional :: ta, com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_recv_count(first, count, partner, ta, com, at, of) bind(c, name="stretto_fortran_count_recv")
            import :: c_int, c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: first
            integer(c_int), intent(in) :: count, partner
            integer(c_int), intent(in), optional :: ta, com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_reduce(section, roo, com, op, at, of) bind(c, name="stretto_fortran_section_reduce")
            import :: c_int, c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: section
            integer(c_int), intent(in), optional :: roo, com
            integer(c_int), intent(in) :: op
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_reduce_count(first, count, roo, com, op, at, of) bind(c, name="stretto_fortran_count_reduce")
            import :: c_int, c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: first
            integer(c_int), intent(in) :: count, op
            integer(c_int), intent(in), optional :: roo, com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_bcast(section, roo, com, at, of) bind(c, name="stretto_fortran_section_bcast")
            import :: c_int, c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: section
            integer(c_int), intent(in) :: roo
            integer(c_int), intent(in), optional :: com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_bcast_count(first, count, roo, com, at, of) bind(c, name="stretto_fortran_count_bcast")
            import :: c_int, c_int64_t
            type(*), dimension(..), intent(inout), asynchronous :: first
            integer(c_int), intent(in) :: count, roo
            integer(c_int), intent(in), optional :: com
            integer(c_int64_t), intent(in) :: at, of(3)
        end subroutine
        subroutine stretto_mdmp_exchange(at) bind(c, name="stretto_fortran_exchange")
            import :: c_int64_t
            integer(c_int64_t), intent(in) :: at
        end subroutine
    end interface
end module
