#pragma once
#include "mpi/library.h"

namespace stretto::front {

//! \brief The counts or displacements of a collective, by rank: int, or as wide as MPI_Count in its large-count form.
class Integers {
public:
    template <class Integer>
    Integers(const Integer *array) : array(array), wide(sizeof(Integer) > sizeof(int)) {
        static_assert(sizeof(Integer) == sizeof(int) || sizeof(Integer) == sizeof(MPI_Count));
    }

    MPI_Count operator[](int rank) const {
        return wide ? static_cast<const MPI_Count *>(array)[rank] : static_cast<const int *>(array)[rank];
    }
    explicit operator bool() const { return array != nullptr; }

private:
    const void *array;
    bool wide;
};

} // namespace stretto::front
