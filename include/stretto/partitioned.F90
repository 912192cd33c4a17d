! The module stretto_partitioned: MPIX_Parrived_any, and partitioned communication (MPI 4.1, chapter 4; docs/partitioned.md) for programs that use
! mpi or mpi_f08 of a library that has none (Open MPI 4.1). With -DSTRETTO_MPI_HAS_PARTITIONED mpi and mpi_f08 have the latter.
! -DSTRETTO_NO_MPI_F08 where the MPI has no mpi_f08.
!
! A .mod file is the compiler's own: compile this file with the compiler, and the mpifort, of your program.
module stretto_partitioned
#ifndef STRETTO_NO_MPI_F08
    use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Info, MPI_Request
#endif
    use mpi, only: MPI_COUNT_KIND
    implicit none
    private
    public :: MPIX_Parrived_any

    interface MPIX_Parrived_any
        subroutine stretto_parrived_any(request, partition, flag, ierror)
            integer, intent(in) :: request
            integer, intent(out) :: partition
            logical, intent(out) :: flag
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_parrived_any_f08(request, partition, flag, ierror)
            import :: MPI_Request
            type(MPI_Request), intent(in) :: request
            integer, intent(out) :: partition
            logical, intent(out) :: flag
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface
#ifndef STRETTO_MPI_HAS_PARTITIONED
    public :: MPI_Psend_init, MPI_Precv_init, MPI_Pready, MPI_Pready_range, MPI_Pready_list, MPI_Parrived

    interface MPI_Psend_init
        subroutine stretto_psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
            import :: MPI_COUNT_KIND
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), intent(in), asynchronous :: buf(*)
            integer, intent(in) :: partitions, dest, tag, datatype, comm, info
            integer(MPI_COUNT_KIND), intent(in) :: count
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_psend_init_f08(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
            import :: MPI_COUNT_KIND, MPI_Comm, MPI_Datatype, MPI_Info, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), intent(in), asynchronous :: buf(*)
            integer, intent(in) :: partitions, dest, tag
            integer(MPI_COUNT_KIND), intent(in) :: count
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Info), intent(in) :: info
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPI_Precv_init
        subroutine stretto_precv_init(buf, partitions, count, datatype, source, tag, comm, info, request, ierror)
            import :: MPI_COUNT_KIND
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer, intent(in) :: partitions, source, tag, datatype, comm, info
            integer(MPI_COUNT_KIND), intent(in) :: count
            integer, intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_precv_init_f08(buf, partitions, count, datatype, source, tag, comm, info, request, ierror)
            import :: MPI_COUNT_KIND, MPI_Comm, MPI_Datatype, MPI_Info, MPI_Request
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), asynchronous :: buf(*)
            integer, intent(in) :: partitions, source, tag
            integer(MPI_COUNT_KIND), intent(in) :: count
            type(MPI_Datatype), intent(in) :: datatype
            type(MPI_Comm), intent(in) :: comm
            type(MPI_Info), intent(in) :: info
            type(MPI_Request), intent(out) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPI_Pready
        subroutine stretto_pready(partition, request, ierror)
            integer, intent(in) :: partition, request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_pready_f08(partition, request, ierror)
            import :: MPI_Request
            integer, intent(in) :: partition
            type(MPI_Request), intent(in) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPI_Pready_range
        subroutine stretto_pready_range(partition_low, partition_high, request, ierror)
            integer, intent(in) :: partition_low, partition_high, request
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_pready_range_f08(partition_low, partition_high, request, ierror)
            import :: MPI_Request
            integer, intent(in) :: partition_low, partition_high
            type(MPI_Request), intent(in) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPI_Pready_list
        subroutine stretto_pready_list(length, array_of_partitions, request, ierror)
            integer, intent(in) :: length, request
            integer, intent(in) :: array_of_partitions(length)
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_pready_list_f08(length, array_of_partitions, request, ierror)
            import :: MPI_Request
            integer, intent(in) :: length
            integer, intent(in) :: array_of_partitions(length)
            type(MPI_Request), intent(in) :: request
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface

    interface MPI_Parrived
        subroutine stretto_parrived(request, partition, flag, ierror)
            integer, intent(in) :: partition, request
            logical, intent(out) :: flag
            integer, intent(out), optional :: ierror
        end subroutine
#ifndef STRETTO_NO_MPI_F08
        subroutine stretto_parrived_f08(request, partition, flag, ierror)
            import :: MPI_Request
            integer, intent(in) :: partition
            type(MPI_Request), intent(in) :: request
            logical, intent(out) :: flag
            integer, intent(out), optional :: ierror
        end subroutine
#endif
    end interface
#endif
end module
