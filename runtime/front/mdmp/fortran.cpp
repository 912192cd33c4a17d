// MDMP's directives of Fortran (include/stretto/mdmp_calls.F90; docs/mdmp.md). Sections come as descriptors of TS 29113, which say where
// they lie: nothing is copied on the way. The standard ABI's C library knows nothing of Fortran.
#include <mpi.h>
#ifndef MPI_ABI_VERSION
#include "front/entry.h"
#include "front/mdmp/directive.h"
#include "mpi/library.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

using namespace stretto;
using namespace stretto::front;

#define SITE __builtin_return_address(0)

namespace {

// What gfortran and flang have in common of CFI_cdesc_t (ISO_Fortran_binding.h): all but the code of the type and the attributes.
struct Dimension {
    std::ptrdiff_t lower, extent, stride; // the stride in bytes
};
struct Descriptor {
    char *base;
    std::size_t element_bytes;
    int version;
    std::uint8_t rank;
    std::uint8_t of_the_compiler
        [3]; // gfortran: the attribute, and two bytes of the type; flang: one of the type, the attribute, another
    Dimension dimension[15]; // so many as the rank
};
static_assert(offsetof(Descriptor, dimension) == 24);

// STRETTO_TYPE_*, by the code of the type; 0: no numbers. A logical is a bool of another size.
int type_of(const Descriptor &descriptor) {
    const bool gfortran = descriptor.version == 1;
    if (gfortran) {
        enum { integer = 1, logical, real, complex }; // and the kind above it
        std::uint16_t code;
        std::memcpy(&code, &descriptor.of_the_compiler[1], sizeof code);
        const int kind = code >> 8;
        switch (code & 0xff) {
        case integer:
            return STRETTO_TYPE_SIGNED;
        case logical:
            return STRETTO_TYPE_BOOL;
        case real:
            return kind > 10 ? 0 : STRETTO_TYPE_FLOATING; // of 16 is no C's
        case complex:
            return kind > 10 ? 0 : STRETTO_TYPE_COMPLEX;
        default:
            return 0;
        }
    }
    // Of flang; a logical has the code of an integer of its size that no integer has.
    enum {
        int8 = 7,
        int64 = 10,
        least8 = 12,
        least64 = 15,
        single = 27,
        extended = 29,
        single_complex = 34,
        extended_complex = 36,
        boolean = 39
    };
    const int code = descriptor.of_the_compiler[0];
    if (code >= int8 && code <= int64) return STRETTO_TYPE_SIGNED;
    if ((code >= least8 && code <= least64) || code == boolean) return STRETTO_TYPE_BOOL;
    if (code >= single && code <= extended) return STRETTO_TYPE_FLOATING;
    if (code >= single_complex && code <= extended_complex) return STRETTO_TYPE_COMPLEX;
    return 0;
}

// No rank, and no constant of any MPI (mdmp_none).
constexpr int no_partner = -INT32_MAX;

// Where something lies: [begin, end).
struct Extent {
    std::int64_t begin, end;
    bool contiguous;
};

struct Section {
    const Descriptor &its;
    int dimensions;
    std::int64_t count[15], stride[15]; // as C has them: the last runs fastest

    explicit Section(const Descriptor &descriptor) : its(descriptor), dimensions(descriptor.rank) {
        for (int k = 0; k < dimensions; k++) {
            const Dimension &dimension = its.dimension[dimensions - 1 - k];
            count[k] = dimension.extent;
            stride[k] = dimension.stride;
        }
    }

    // The end of an array(*) is not known.
    bool is_open() const { return dimensions > 0 && count[0] < 0; }
    bool is_empty() const {
        return std::any_of(count, count + dimensions, [](std::int64_t n) { return n == 0; });
    }

    Extent extent() const {
        const std::int64_t base = reinterpret_cast<std::intptr_t>(its.base);
        const auto bytes = static_cast<std::int64_t>(its.element_bytes);
        Extent all{base, base + bytes, true};
        std::int64_t packed = bytes;
        for (int k = dimensions - 1; k >= 0; k--) {
            if (count[k] != 1 && stride[k] != packed) all.contiguous = false;
            packed *= count[k];
            const std::int64_t reach = (count[k] - 1) * stride[k];
            (reach < 0 ? all.begin : all.end) += reach;
        }
        if (is_empty()) all.end = all.begin = base;
        if (is_open()) all.end = INT64_MAX;
        return all;
    }
};

stretto_directive &directive_at(std::int64_t at) {
    return *reinterpret_cast<stretto_directive *>(at);
}

// A directive lives as long as the program, as in C, where it is static.
struct Kept {
    std::string file, procedure, text;
    stretto_directive directive{};
};

stretto_directive *kept(const char *file, std::size_t length, int line, int column, const char *procedure,
                        const char *text, std::uint32_t flags) {
    Kept &its = *new Kept; // never given back
    its.file.assign(file, length);
    its.procedure = procedure;
    its.text = text;
    its.directive = {STRETTO_MDMP_VERSION,
                     flags,
                     static_cast<std::uint32_t>(line),
                     static_cast<std::uint32_t>(column),
                     its.file.empty() ? nullptr : its.file.c_str(),
                     its.procedure.empty() ? nullptr : its.procedure.c_str(),
                     its.text.empty() ? nullptr : its.text.c_str(),
                     nullptr};
    return &its.directive;
}

// Of the library form: a call is known by what it says of its place.
stretto_directive &directive_of_call(CallSite site, const char *name, const int *line, const Descriptor *file) {
    static std::mutex mutex;
    static std::map<std::tuple<CallSite, std::string, std::string, int>, stretto_directive *> all;
    const std::string its_file = file && file->base ? std::string(file->base, file->element_bytes) : std::string();
    const std::lock_guard lock(mutex);
    stretto_directive *&found = all[{site, name, its_file, line ? *line : 0}];
    if (!found) found = kept(its_file.data(), its_file.size(), line ? *line : 0, 0, "", "", STRETTO_DIRECTIVE_ALONE);
    return *found;
}

// STRETTO_OP_*, by the name that Fortran has for it; 0: none.
int operation_of(const std::string &name) {
    static const std::map<std::string, int> all = {
        {"+", STRETTO_OP_ADD},         {"*", STRETTO_OP_MULTIPLY},  {"min", STRETTO_OP_MIN},
        {"max", STRETTO_OP_MAX},       {".and.", STRETTO_OP_AND},   {".or.", STRETTO_OP_OR},
        {"iand", STRETTO_OP_BITS_AND}, {"ior", STRETTO_OP_BITS_OR}, {"ieor", STRETTO_OP_BITS_XOR}};
    std::string lower;
    for (const char c : name)
        if (c != ' ') lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto found = all.find(lower);
    return found == all.end() ? 0 : found->second;
}

int partner_of(int partner) {
    return partner == no_partner ? MPI_PROC_NULL : partner;
}

// What cannot be sent from where it is, and received where it belongs.
void check(const mdmp::Directive &directive, const Section &section, const std::int64_t *of) {
    if (section.is_open())
        mdmp::fail(directive, "the last dimension of this array is not known here: write a section of it, as a(1:n)");
    if (!section.its.base) mdmp::fail(directive, "this array is not allocated, or is a pointer to nothing");
    if (!of || section.is_empty()) return;
    const Extent its = section.extent();
    if (its.begin < of[0] || its.end > of[1])
        mdmp::fail(directive,
                   "the compiler made a copy of this section, which lies outside of its array: a section has no "
                   "index that is an array itself, and is of no constant");
}

// A section, or so many elements from this one on, as they lie in memory.
class Elements {
public:
    Elements(const mdmp::Directive &directive, const Descriptor &descriptor, const std::int64_t *of, const int *number)
        : section(descriptor) {
        check(directive, section, of);
        if (number) take(directive, *number, of);
    }

    void *first() const { return section.its.base; }
    int dimensions() const { return section.dimensions; }
    const std::int64_t *count() const { return section.count; }
    const std::int64_t *stride() const { return section.stride; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(section.its.element_bytes); }

private:
    void take(const mdmp::Directive &directive, std::int64_t number, const std::int64_t *of) {
        if (section.dimensions > 0)
            mdmp::fail(directive, "with a count stands the first element, as a(1, 2), and not a section");
        const std::int64_t begin = reinterpret_cast<std::intptr_t>(section.its.base);
        if (of && number > 1 && !of[2])
            mdmp::fail(directive,
                       "the elements of this array are not one behind the other: write a section, as a(1:n)");
        if (of && number > 0 && number > (of[1] - begin) / bytes())
            mdmp::fail(directive, "the array ends " + std::to_string((of[1] - begin) / bytes()) +
                                      " elements behind the first one, and the count is " + std::to_string(number));
        section.dimensions = 1;
        section.count[0] = number;
        section.stride[0] = bytes();
    }

    Section section;
};

stretto_directive *own(const mdmp::Directive &directive) {
    return const_cast<stretto_directive *>(&directive.given);
}

void send(const mdmp::Directive &its, const Descriptor &section, const int *count, const std::int64_t *of, int partner,
          const int *tag, const int *comm) {
    const Elements all(its, section, of, count);
    stretto_section_send_f(own(its), all.first(), all.dimensions(), all.count(), all.stride(), all.bytes(),
                           partner_of(partner), tag ? *tag : STRETTO_TAG_IMPLIED, comm);
}

void receive(const mdmp::Directive &its, const Descriptor &section, const int *count, const std::int64_t *of,
             int partner, const int *tag, const int *comm) {
    const Elements all(its, section, of, count);
    stretto_section_recv_f(own(its), all.first(), all.dimensions(), all.count(), all.stride(), all.bytes(),
                           partner_of(partner), tag ? *tag : STRETTO_TAG_IMPLIED, comm);
}

void reduce(const mdmp::Directive &its, int op, const Descriptor &section, const int *count, const std::int64_t *of,
            const int *root, const int *comm) {
    const Elements all(its, section, of, count);
    stretto_section_reduce_f(own(its), op, all.first(), all.dimensions(), all.count(), all.stride(), all.bytes(),
                             type_of(section), root ? *root : STRETTO_ROOT_ALL, comm);
}

void broadcast(const mdmp::Directive &its, const Descriptor &section, const int *count, const std::int64_t *of,
               int root, const int *comm) {
    const Elements all(its, section, of, count);
    stretto_section_bcast_f(own(its), all.first(), all.dimensions(), all.count(), all.stride(), all.bytes(), root,
                            comm);
}

void say_where(const Descriptor &array, std::int64_t *of) {
    const Extent its = Section(array).extent();
    of[0] = its.begin;
    of[1] = its.end;
    of[2] = its.contiguous;
}

} // namespace

extern "C" {

// --- what stretto-fc writes

STRETTO_PUBLIC void stretto_fortran_directive(std::int64_t *at, int line, int column, const char *file,
                                              const char *procedure, const char *text) {
    const std::atomic_ref<std::int64_t> shared(*at);
    if (shared.load(std::memory_order_acquire)) [[likely]]
        return;
    stretto_directive *own = kept(file, std::char_traits<char>::length(file), line, column, procedure, text, 0);
    std::int64_t none = 0; // of two threads the first one's stays
    shared.compare_exchange_strong(none, reinterpret_cast<std::intptr_t>(own), std::memory_order_acq_rel);
}

STRETTO_PUBLIC void stretto_fortran_whole(const Descriptor *array, std::int64_t *of) {
    say_where(*array, of);
}

STRETTO_PUBLIC void stretto_fortran_definable(const Descriptor *array, std::int64_t *of) {
    say_where(*array, of);
}

STRETTO_PUBLIC void stretto_fortran_region(const int *comm, const std::int64_t *at) {
    mdmp::introduce("commregion", directive_at(*at), SITE);
    stretto_region_begin_f(&directive_at(*at), comm);
}

STRETTO_PUBLIC void stretto_fortran_region_finished(const std::int64_t *at) {
    mdmp::introduce("commregionfinished", directive_at(*at), SITE);
    stretto_region_end(&directive_at(*at));
}

STRETTO_PUBLIC void stretto_fortran_section_send(const Descriptor *section, const int *partner, const int *tag,
                                                 const int *comm, const std::int64_t *at, const std::int64_t *of) {
    send(mdmp::introduce("send", directive_at(*at), SITE), *section, nullptr, of, *partner, tag, comm);
}

STRETTO_PUBLIC void stretto_fortran_section_recv(const Descriptor *section, const int *partner, const int *tag,
                                                 const int *comm, const std::int64_t *at, const std::int64_t *of) {
    receive(mdmp::introduce("recv", directive_at(*at), SITE), *section, nullptr, of, *partner, tag, comm);
}

STRETTO_PUBLIC void stretto_fortran_count_send(const Descriptor *first, const int *count, const int *partner,
                                               const int *tag, const int *comm, const std::int64_t *at,
                                               const std::int64_t *of) {
    send(mdmp::introduce("send", directive_at(*at), SITE), *first, count, of, *partner, tag, comm);
}

STRETTO_PUBLIC void stretto_fortran_count_recv(const Descriptor *first, const int *count, const int *partner,
                                               const int *tag, const int *comm, const std::int64_t *at,
                                               const std::int64_t *of) {
    receive(mdmp::introduce("recv", directive_at(*at), SITE), *first, count, of, *partner, tag, comm);
}

STRETTO_PUBLIC void stretto_fortran_section_reduce(const Descriptor *section, const int *root, const int *comm,
                                                   const int *op, const std::int64_t *at, const std::int64_t *of) {
    reduce(mdmp::introduce("reduce", directive_at(*at), SITE), *op, *section, nullptr, of, root, comm);
}

STRETTO_PUBLIC void stretto_fortran_count_reduce(const Descriptor *first, const int *count, const int *root,
                                                 const int *comm, const int *op, const std::int64_t *at,
                                                 const std::int64_t *of) {
    reduce(mdmp::introduce("reduce", directive_at(*at), SITE), *op, *first, count, of, root, comm);
}

STRETTO_PUBLIC void stretto_fortran_section_bcast(const Descriptor *section, const int *root, const int *comm,
                                                  const std::int64_t *at, const std::int64_t *of) {
    broadcast(mdmp::introduce("bcast", directive_at(*at), SITE), *section, nullptr, of, *root, comm);
}

STRETTO_PUBLIC void stretto_fortran_count_bcast(const Descriptor *first, const int *count, const int *root,
                                                const int *comm, const std::int64_t *at, const std::int64_t *of) {
    broadcast(mdmp::introduce("bcast", directive_at(*at), SITE), *first, count, of, *root, comm);
}

STRETTO_PUBLIC void stretto_fortran_exchange(const std::int64_t *at) {
    stretto_exchange(&directive_at(*at), 0);
}

// --- the library form

STRETTO_PUBLIC void stretto_fortran_region_begin(const int *comm, const int *line, const Descriptor *file) {
    stretto_directive &directive = directive_of_call(SITE, "commregion", line, file);
    mdmp::introduce("commregion", directive, SITE);
    stretto_region_begin_f(&directive, comm);
}

STRETTO_PUBLIC void stretto_fortran_region_end(const int *line, const Descriptor *file) {
    stretto_directive &directive = directive_of_call(SITE, "commregionfinished", line, file);
    mdmp::introduce("commregionfinished", directive, SITE);
    stretto_region_end(&directive);
}

STRETTO_PUBLIC void stretto_fortran_exchange_begin(const int *line, const Descriptor *file) {
    stretto_exchange_begin(&directive_of_call(SITE, "exchange", line, file));
}

STRETTO_PUBLIC void stretto_fortran_exchange_end(const int *line, const Descriptor *file) {
    stretto_exchange(&directive_of_call(SITE, "exchange", line, file), 0);
}

STRETTO_PUBLIC void stretto_fortran_send(const Descriptor *section, const int *partner, const int *count,
                                         const int *tag, const int *comm, const int *line, const Descriptor *file) {
    send(mdmp::introduce("send", directive_of_call(SITE, "send", line, file), SITE), *section, count, nullptr, *partner,
         tag, comm);
}

STRETTO_PUBLIC void stretto_fortran_recv(const Descriptor *section, const int *partner, const int *count,
                                         const int *tag, const int *comm, const int *line, const Descriptor *file) {
    receive(mdmp::introduce("recv", directive_of_call(SITE, "recv", line, file), SITE), *section, count, nullptr,
            *partner, tag, comm);
}

STRETTO_PUBLIC void stretto_fortran_reduce(const Descriptor *op, const Descriptor *section, const int *count,
                                           const int *root, const int *comm, const int *line, const Descriptor *file) {
    const std::string name(op->base, op->element_bytes);
    reduce(mdmp::introduce("reduce", directive_of_call(SITE, "reduce", line, file), SITE), operation_of(name), *section,
           count, nullptr, root, comm);
}

STRETTO_PUBLIC void stretto_fortran_bcast(const Descriptor *section, const int *root, const int *count, const int *comm,
                                          const int *line, const Descriptor *file) {
    broadcast(mdmp::introduce("bcast", directive_of_call(SITE, "bcast", line, file), SITE), *section, count, nullptr,
              *root, comm);
}

} // extern "C"

#endif
