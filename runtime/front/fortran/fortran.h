// What Fortran passes, as C has it: everything by reference, handles as integers, a status as integers, the error code last.
#pragma once
#include "mpi/library.h"

#include <dlfcn.h>

#ifndef MPI_ABI_VERSION // the standard ABI's C library knows nothing of Fortran: its handles are a Fortran library's own

namespace stretto::front::fortran {

using mpi::library;

// Functions in Open MPI, casts in MPICH.
#ifdef MPI_Comm_f2c
inline MPI_Comm comm_of(MPI_Fint handle) {
    return MPI_Comm_f2c(handle);
}
inline MPI_Datatype type_of(MPI_Fint handle) {
    return MPI_Type_f2c(handle);
}
inline MPI_Op op_of(MPI_Fint handle) {
    return MPI_Op_f2c(handle);
}
inline MPI_Request request_of(MPI_Fint handle) {
    return MPI_Request_f2c(handle);
}
inline MPI_Fint handle_of(MPI_Request request) {
    return MPI_Request_c2f(request);
}
#else
inline MPI_Comm comm_of(MPI_Fint handle) {
    return library.Comm_f2c(handle);
}
inline MPI_Datatype type_of(MPI_Fint handle) {
    return library.Type_f2c(handle);
}
inline MPI_Op op_of(MPI_Fint handle) {
    return library.Op_f2c(handle);
}
inline MPI_Request request_of(MPI_Fint handle) {
    return library.Request_f2c(handle);
}
inline MPI_Fint handle_of(MPI_Request request) {
    return library.Request_c2f(request);
}
#endif

inline const void *address_named(const char *symbol) {
    const void *address = dlsym(RTLD_DEFAULT, symbol);
    return address ? address : &library; // which no Fortran program passes
}

// MPI_STATUS_IGNORE, MPI_BOTTOM and MPI_IN_PLACE of Fortran are variables, known by their addresses (MPI 4.1, 19.3.4 and 19.3.9).
inline bool is_status_ignore(const MPI_Fint *status) {
#ifdef OPEN_MPI
    static const void *const ignored = address_named("mpi_fortran_status_ignore_");
    return status == ignored || status == MPI_F_STATUS_IGNORE;
#else
    return status == MPI_F_STATUS_IGNORE || static_cast<const void *>(status) == MPI_F08_STATUS_IGNORE;
#endif
}

inline bool is_statuses_ignore(const MPI_Fint *statuses) {
#ifdef OPEN_MPI
    static const void *const ignored = address_named("mpi_fortran_statuses_ignore_");
    return statuses == ignored || statuses == MPI_F_STATUSES_IGNORE;
#else
    return statuses == MPI_F_STATUSES_IGNORE || static_cast<const void *>(statuses) == MPI_F08_STATUSES_IGNORE;
#endif
}

//! Integers of a status (MPI_STATUS_SIZE).
constexpr std::size_t status_size = sizeof(MPI_Status) / sizeof(MPI_Fint);

inline const void *buffer(const void *choice) {
#ifdef OPEN_MPI
    static const void *const bottom = address_named("mpi_fortran_bottom_");
    static const void *const in_place = address_named("mpi_fortran_in_place_");
    return choice == bottom ? MPI_BOTTOM : choice == in_place ? MPI_IN_PLACE : choice;
#else
    static const void *const bottom_f08 = address_named("MPIR_F08_MPI_BOTTOM");
    static const void *const *const bottom = static_cast<const void *const *>(address_named("MPIR_F_MPI_BOTTOM"));
    static const void *const in_place_f08 = address_named("MPIR_F08_MPI_IN_PLACE");
    static const void *const *const in_place = static_cast<const void *const *>(address_named("MPIR_F_MPI_IN_PLACE"));
    if (choice == in_place_f08 || choice == *in_place) return MPI_IN_PLACE;
    return choice == bottom_f08 || choice == *bottom ? MPI_BOTTOM : choice;
#endif
}

// The error code is optional in mpi_f08.
inline void give(MPI_Fint *ierror, int code) {
    if (ierror) *ierror = code;
}

inline void give(MPI_Fint *to, const MPI_Status &status) {
    if (!is_status_ignore(to)) library.Status_c2f(&status, to);
}

} // namespace stretto::front::fortran

// A handle of mpi_f08 is a type with one integer in it, and its status has the layout of the integers: the same functions, under
// names of their own since Fortran wants one interface per name.
#define FOR_MPI_F08(name) __attribute__((alias(#name "_"), visibility("default")))

#endif
