// The calls of partitioned communication, for the wrappers; also where this MPI's header does not declare them (provided.cpp).
#pragma once
#include "mpi/library.h"

namespace stretto::front {

int Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Info info, MPI_Request *request);
int Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Info info, MPI_Request *request);
int Pready(int partition, MPI_Request request);
int Pready_range(int low, int high, MPI_Request request);
int Pready_list(int length, const int partitions[], MPI_Request request);
int Pready_list(int length, int partitions[], MPI_Request request); // some headers have it so
int Parrived(MPI_Request request, int partition, int *flag);
int Parrived_any(MPI_Request request, int *partition, int *flag);

} // namespace stretto::front
