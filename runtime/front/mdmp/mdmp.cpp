// What a compiler makes of MDMP's directives (include/stretto/mdmp.h; docs/mdmp.md).
#include "front/entry.h"
#include "front/fortran/fortran.h"
#include "front/mdmp/apart.h"
#include "front/mdmp/collective.h"
#include "front/mdmp/exchange.h"
#include "front/mdmp/region.h"

using namespace stretto;
using namespace stretto::front;

#define SITE __builtin_return_address(0)

extern "C" {

STRETTO_PUBLIC void stretto_region_begin(stretto_directive *directive, const MPI_Comm *comm) noexcept {
    mdmp::begin_region(mdmp::introduce("commregion", *directive, SITE), comm);
}

STRETTO_PUBLIC void stretto_region_end(stretto_directive *directive) noexcept {
    mdmp::end_region(mdmp::introduce("commregionfinished", *directive, SITE));
}

STRETTO_PUBLIC void stretto_section_send(stretto_directive *directive, const void *first, int dimensions,
                                         const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                         int partner, int tag, const MPI_Comm *comm) noexcept {
    mdmp::add_send(mdmp::introduce("send", *directive, SITE),
                   {{const_cast<void *>(first), dimensions, count, stride, element_bytes}, partner, tag, comm});
}

STRETTO_PUBLIC void stretto_section_recv(stretto_directive *directive, void *first, int dimensions,
                                         const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                         int partner, int tag, const MPI_Comm *comm) noexcept {
    mdmp::add_receive(mdmp::introduce("recv", *directive, SITE),
                      {{first, dimensions, count, stride, element_bytes}, partner, tag, comm});
}

STRETTO_PUBLIC void stretto_range_send(stretto_directive *directive, const void *first, int64_t elements,
                                       int64_t element_bytes, int partner, int tag, const MPI_Comm *comm) noexcept {
    mdmp::add_send(mdmp::introduce("send", *directive, SITE),
                   {{const_cast<void *>(first), 1, &elements, &element_bytes, element_bytes}, partner, tag, comm});
}

STRETTO_PUBLIC void stretto_range_recv(stretto_directive *directive, void *first, int64_t elements,
                                       int64_t element_bytes, int partner, int tag, const MPI_Comm *comm) noexcept {
    mdmp::add_receive(mdmp::introduce("recv", *directive, SITE),
                      {{first, 1, &elements, &element_bytes, element_bytes}, partner, tag, comm});
}

STRETTO_PUBLIC void stretto_exchange(stretto_directive *directive, int) noexcept {
    mdmp::exchange(mdmp::introduce("exchange", *directive, SITE));
}

STRETTO_PUBLIC void stretto_exchange_begin(stretto_directive *directive) noexcept {
    mdmp::open_exchange(mdmp::introduce("exchange", *directive, SITE));
}

STRETTO_PUBLIC void stretto_section_reduce(stretto_directive *directive, int op, void *first, int dimensions,
                                           const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                           int type, int root, const MPI_Comm *comm) noexcept {
    mdmp::reduce(mdmp::introduce("reduce", *directive, SITE), {op, type},
                 {first, dimensions, count, stride, element_bytes}, root, comm);
}

STRETTO_PUBLIC void stretto_range_reduce(stretto_directive *directive, int op, void *first, int64_t elements,
                                         int64_t element_bytes, int type, int root, const MPI_Comm *comm) noexcept {
    mdmp::reduce(mdmp::introduce("reduce", *directive, SITE), {op, type},
                 {first, 1, &elements, &element_bytes, element_bytes}, root, comm);
}

STRETTO_PUBLIC void stretto_section_bcast(stretto_directive *directive, void *first, int dimensions,
                                          const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                          int root, const MPI_Comm *comm) noexcept {
    mdmp::broadcast(mdmp::introduce("bcast", *directive, SITE), {first, dimensions, count, stride, element_bytes}, root,
                    comm);
}

STRETTO_PUBLIC void stretto_range_bcast(stretto_directive *directive, void *first, int64_t elements,
                                        int64_t element_bytes, int root, const MPI_Comm *comm) noexcept {
    mdmp::broadcast(mdmp::introduce("bcast", *directive, SITE), {first, 1, &elements, &element_bytes, element_bytes},
                    root, comm);
}

} // extern "C"

// --- an exchange of ranges, taken apart (include/stretto/abi.h)

namespace {

//! \brief The arguments of a range in the innermost region.
struct OneRange {
    OneRange(const void *first, int elements, int bytes, int partner, int tag)
        : elements(elements),
          bytes(bytes), arguments{{const_cast<void *>(first), 1, &this->elements, &this->bytes, bytes},
                                  partner,
                                  tag,
                                  nullptr} {}
    OneRange(const OneRange &) = delete;
    OneRange &operator=(const OneRange &) = delete;

    const std::int64_t elements, bytes;
    const mdmp::Arguments arguments;
};

} // namespace

extern "C" {

STRETTO_PUBLIC int stretto_range_isend(const void *first, int elements, int element_bytes, int partner, int tag,
                                       stretto_directive *directive, int64_t *request) {
    const OneRange range(first, elements, element_bytes, partner, tag);
    *request = mdmp::start_send(mdmp::introduce("send", *directive, SITE), range.arguments);
    return MPI_SUCCESS;
}

STRETTO_PUBLIC int stretto_range_irecv(void *first, int elements, int element_bytes, int partner, int tag,
                                       stretto_directive *directive, int64_t *request) {
    const OneRange range(first, elements, element_bytes, partner, tag);
    *request = mdmp::start_receive(mdmp::introduce("recv", *directive, SITE), range.arguments);
    return MPI_SUCCESS;
}

STRETTO_PUBLIC int stretto_range_waitall(int count, int64_t requests[], void *) {
    mdmp::wait_for_all(count, requests);
    return MPI_SUCCESS;
}

STRETTO_PUBLIC stretto_handle stretto_range_begin(stretto_call *call, const void *first, int elements,
                                                  int element_bytes, int partner, int tag,
                                                  stretto_directive *directive) {
    const OneRange range(first, elements, element_bytes, partner, tag);
    return mdmp::begin_send(mdmp::introduce("send", *directive, SITE), range.arguments, call, SITE);
}

STRETTO_PUBLIC int stretto_range_isend_end(stretto_handle handle, stretto_call *, const void *first, int elements,
                                           int element_bytes, int partner, int tag, stretto_directive *directive,
                                           int64_t *request) {
    if (!handle) return stretto_range_isend(first, elements, element_bytes, partner, tag, directive, request);
    *request = mdmp::end_begun_send(handle, SITE);
    return MPI_SUCCESS;
}

STRETTO_PUBLIC stretto_handle stretto_range_wait_begin(stretto_call *call, const void *first, int count,
                                                       int64_t requests[]) {
    return mdmp::begin_wait(first, count, requests, call, SITE);
}

STRETTO_PUBLIC int stretto_range_recv_end(stretto_handle handle, void *) {
    if (handle) mdmp::end_wait(handle, SITE);
    return MPI_SUCCESS;
}

} // extern "C"

#ifndef MPI_ABI_VERSION // the standard ABI's C library knows nothing of Fortran

namespace {

//! \brief A communicator of Fortran's, if the program names any.
class Named {
public:
    explicit Named(const MPI_Fint *comm) : given(comm), comm(comm ? fortran::comm_of(*comm) : MPI_COMM_NULL) {}
    const MPI_Comm *get() const { return given ? &comm : nullptr; }

private:
    const MPI_Fint *given;
    MPI_Comm comm;
};

} // namespace

extern "C" {

STRETTO_PUBLIC void stretto_region_begin_f(stretto_directive *directive, const MPI_Fint *comm) {
    const mdmp::Directive its = mdmp::introduce("commregion", *directive, SITE);
    mdmp::begin_mpi(its); // before it no communicator can be known
    mdmp::begin_region(its, Named(comm).get());
}

STRETTO_PUBLIC void stretto_section_send_f(stretto_directive *directive, const void *first, int dimensions,
                                           const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                           int partner, int tag, const MPI_Fint *comm) {
    const mdmp::Directive its = mdmp::introduce("send", *directive, SITE);
    const Named named(comm);
    mdmp::add_send(its,
                   {{const_cast<void *>(first), dimensions, count, stride, element_bytes}, partner, tag, named.get()});
}

STRETTO_PUBLIC void stretto_section_recv_f(stretto_directive *directive, void *first, int dimensions,
                                           const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                           int partner, int tag, const MPI_Fint *comm) {
    const mdmp::Directive its = mdmp::introduce("recv", *directive, SITE);
    const Named named(comm);
    mdmp::add_receive(its, {{first, dimensions, count, stride, element_bytes}, partner, tag, named.get()});
}

STRETTO_PUBLIC void stretto_section_reduce_f(stretto_directive *directive, int op, void *first, int dimensions,
                                             const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                             int type, int root, const MPI_Fint *comm) {
    const mdmp::Directive its = mdmp::introduce("reduce", *directive, SITE);
    mdmp::reduce(its, {op, type}, {first, dimensions, count, stride, element_bytes}, root, Named(comm).get());
}

STRETTO_PUBLIC void stretto_section_bcast_f(stretto_directive *directive, void *first, int dimensions,
                                            const int64_t count[], const int64_t stride[], int64_t element_bytes,
                                            int root, const MPI_Fint *comm) {
    const mdmp::Directive its = mdmp::introduce("bcast", *directive, SITE);
    mdmp::broadcast(its, {first, dimensions, count, stride, element_bytes}, root, Named(comm).get());
}

} // extern "C"

#endif
