// MPI_Comm_create_errhandler and its like (MPI 4.1, 9.3): a handler of the program's is called by the library, in the middle of a call. It may
// use what is guarded.
#include "front/entry.h"
#include "front/handled.h"
#include "progress/progress.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace stretto::front {

namespace {

//! \brief Handlers of one kind: each has a function of ours before it, as none is told which one it is. A program has few; those beyond are called by
//! the library itself.
template <class Handler, class Object>
class Handlers {
public:
    static Handler *ours_before(Handler *handler) {
        const progress::Guard guard;
        const auto known = std::find_if(all.begin(), all.end(), [=](Handler *one) { return !one || one == handler; });
        if (!handler || known == all.end()) return handler;
        *known = handler;
        return ours(std::make_index_sequence<most>())[static_cast<std::size_t>(known - all.begin())];
    }

private:
    static constexpr std::size_t most = 64;
    static inline std::array<Handler *, most> all{};

    // The library may give more arguments, which its manual tells of: as many as go in registers.
    template <std::size_t which>
    static void call(Object *object, int *error, void *a, void *b, void *c, void *d) {
        const Within within{Within::Function()};
        all[which](object, error, a, b, c, d);
    }

    template <std::size_t... which>
    static std::array<Handler *, most> ours(std::index_sequence<which...>) {
        return {reinterpret_cast<Handler *>(&call<which>)...};
    }
};

} // namespace

int Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler) {
    return mpi::library.Comm_create_errhandler(Handlers<MPI_Comm_errhandler_function, MPI_Comm>::ours_before(function),
                                               handler);
}

int File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler) {
    return mpi::library.File_create_errhandler(Handlers<MPI_File_errhandler_function, MPI_File>::ours_before(function),
                                               handler);
}

int Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler) {
    return mpi::library.Win_create_errhandler(Handlers<MPI_Win_errhandler_function, MPI_Win>::ours_before(function),
                                              handler);
}

} // namespace stretto::front
