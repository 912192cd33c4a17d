#pragma once
#include "mpi/library.h"

#include <vector>

namespace stretto::mpi {

//! \brief MPI_Testsome for requests of ours. Errors come back to us: no error handler of the program's is called, and no job ends.
//!
//! Open MPI raises an error on the communicator of the request, which is ours. MPICH raises an error of MPI_Testsome on MPI_COMM_WORLD, whatever
//! the request belongs to; and 4.0 one of MPI_Test, too.
class Completion {
public:
    //! Returns MPI_SUCCESS, or the error of the first request that has one. Requests that are complete are null afterwards.
    int look(std::vector<MPI_Request> &requests);

    //! Which ones became complete.
    const std::vector<int> &ended() const { return indices; }

private:
    int look_at_some(std::vector<MPI_Request> &requests);
    int look_at_each(std::vector<MPI_Request> &requests);

    std::vector<int> indices;
    std::vector<MPI_Status> statuses;
};

//! \brief Errors that the library raises on no communicator in particular are returned meanwhile.
class ErrorsReturn {
public:
    ErrorsReturn();
    ~ErrorsReturn();
    ErrorsReturn(const ErrorsReturn &) = delete;
    ErrorsReturn &operator=(const ErrorsReturn &) = delete;

private:
    MPI_Errhandler of_world, of_self;
};

} // namespace stretto::mpi
