// What memory the arguments of a call name.
#pragma once
#include "front/system/pages.h"
#include "mpi/library.h"
#include "pages/guard.h"
#include "pages/memory.h"
#include "pages/tracker.h"

#include <algorithm>
#include <cstddef>

namespace stretto::front {

//! The addresses that these elements lie between.
inline Range memory_of(const void *buf, MPI_Count count, MPI_Datatype type) {
    if (count <= 0 || type == MPI_DATATYPE_NULL) return {};
    MPI_Aint lower = 0, extent = 0, begin = 0, bytes = 0;
    mpi::library.Type_get_extent(type, &lower, &extent);
    mpi::library.Type_get_true_extent(type, &begin, &bytes);
    // The elements may go backwards.
    const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * extent;
    const auto *first = static_cast<const char *>(buf) + begin + std::min<MPI_Aint>(last, 0);
    return pages::addresses_of(first, static_cast<std::size_t>(bytes + std::max(last, -last)));
}

//! The library is about to read these elements, or to write them: what is guarded comes first, what is tracked counts as written. Not
//! under the lock.
inline void settle(const void *buf, MPI_Count count, MPI_Datatype type, bool written) {
    if (!pages::Guard::any() && !pages::Tracker::any()) return;
    const Range memory = memory_of(buf, count, type);
    if (!memory.empty()) settle_bytes(pages::pointer(memory.begin), memory.bytes(), written);
}

//! As many as a collective's lists of counts may have, or more. Not under the lock.
inline MPI_Count ranks_of(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return 0;
    int size = 0, inter = 0;
    mpi::library.Comm_size(comm, &size);
    mpi::library.Comm_test_inter(comm, &inter);
    int remote = 0;
    if (inter) mpi::library.Comm_remote_size(comm, &remote);
    return std::max(size, remote);
}

} // namespace stretto::front
