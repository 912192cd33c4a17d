! What the tests need of Open MPI's mpif.h, whose mpif-sizeof.h flang 22 refuses. In free and in fixed form.
      integer MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_STATUS_SIZE
      parameter (MPI_COMM_WORLD = 0, MPI_DOUBLE_PRECISION = 17, MPI_STATUS_SIZE = 6)
      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      common /mpi_fortran_status_ignore/ MPI_STATUS_IGNORE
      external MPI_Send, MPI_Isend, MPI_Recv, MPI_Irecv, MPI_Wait, MPI_Waitall, MPI_Sendrecv, MPI_Abort
