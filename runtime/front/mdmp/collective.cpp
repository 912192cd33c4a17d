// Ranks that ask for different collectives, or for different sizes, would hang in MPI, or get anything. So they agree first: one small
// MPI_Allreduce says whether they all ask for the same. Only where they do not, rank 0 hears who asks for what, and ends the job.
#include "front/mdmp/collective.h"

#include "front/mdmp/exchange.h"
#include "front/mdmp/header.h"
#include "front/mdmp/region.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace stretto::front::mdmp {

namespace {

constexpr std::size_t one_message = std::size_t(1) << 30;

// --- what is asked for ---------------------------------------------------------------------------------------------------------------

struct Asked {
    std::int64_t operation, type; // of a reduction; 0: a broadcast
    std::int64_t bytes, element_bytes, root;

    bool operator==(const Asked &) const = default;
    bool is_reduction() const { return operation != 0; }
    const char *name() const { return is_reduction() ? "reduce" : "bcast"; }
    std::array<std::int64_t, 5> numbers() const { return {operation, type, bytes, element_bytes, root}; }
};

// Of STRETTO_OP_*.
constexpr const char *operations[] = {"?", "+", "*", "min", "max", "&&", "||", "&", "|", "^"};

std::string elements_of(const Asked &asked) {
    static constexpr const char *names[] = {
        "no numbers", "integers", "unsigned integers", "floating-point numbers", "complex numbers", "bool"};
    return std::string(names[asked.type]) + " of " + std::to_string(asked.element_bytes) +
           (asked.element_bytes == 1 ? " byte" : " bytes");
}

std::string root_of(const Asked &asked) {
    if (asked.is_reduction() && asked.root == STRETTO_ROOT_ALL) return "none";
    return std::to_string(asked.root);
}

// "has 50 elements of 4 bytes, and rank 1 has 100 elements of 4 bytes"
std::string difference(const Asked &ours, const Asked &theirs, int rank) {
    const std::string and_rank = ", and rank " + std::to_string(rank);
    if (ours.is_reduction() != theirs.is_reduction()) return "rank " + std::to_string(rank) + " does another one here";
    if (ours.operation != theirs.operation)
        return std::string("is of ") + operations[ours.operation] + and_rank + "'s of " + operations[theirs.operation];
    if (ours.type != theirs.type) return "is of " + elements_of(ours) + and_rank + "'s of " + elements_of(theirs);
    if (ours.root != theirs.root) return "its root is " + root_of(ours) + and_rank + "'s is " + root_of(theirs);
    return "has " + shape(ours.bytes, ours.element_bytes) + and_rank + " has " +
           shape(theirs.bytes, theirs.element_bytes);
}

// --- agreement -----------------------------------------------------------------------------------------------------------------------

struct Said {
    Asked asked;
    std::int64_t line;
    header::Names names;
};

[[noreturn]] void fail_together(const Directive &directive, const Asked &asked, const Communicator &on) {
    const Said ours{asked, directive.given.line, header::Names::of(directive.given)};
    std::vector<Said> all(on.rank == 0 ? static_cast<std::size_t>(on.size) : 0);
    check(directive, MPI_Gather(&ours, sizeof ours, MPI_BYTE, all.data(), sizeof ours, MPI_BYTE, 0, on.comm));
    if (on.rank > 0) MPI_Barrier(on.comm); // until rank 0 ends the job
    const auto other = std::find_if(all.begin(), all.end(), [&](const Said &said) { return !(said.asked == asked); });
    if (other == all.end()) fail(directive, "is another one than rank 0's");
    fail(directive, difference(asked, other->asked, static_cast<int>(other - all.begin())) + ": " +
                        other->names.which(other->asked.name(), static_cast<unsigned>(other->line)));
}

// Of each number the greatest, and the least as the greatest of the negative ones.
void agree(const Directive &directive, const Asked &asked, const Communicator &on) {
    const auto ours = asked.numbers();
    std::array<std::int64_t, 2 * ours.size()> both, most;
    for (std::size_t k = 0; k < ours.size(); k++) {
        both[k] = ours[k];
        both[k + ours.size()] = -ours[k];
    }
    check(directive,
          MPI_Allreduce(both.data(), most.data(), static_cast<int>(both.size()), MPI_INT64_T, MPI_MAX, on.comm));
    if (most != both) fail_together(directive, asked, on);
}

// --- arguments -----------------------------------------------------------------------------------------------------------------------

const Communicator &all_ranks(const Directive &directive, const MPI_Comm *comm) {
    const Communicator &on = communicator_of(directive, comm);
    check_nothing_pends(directive);
    if (on.is_inter)
        fail(directive, "its communicator is between two groups, which have no reductions and broadcasts: write MPI's "
                        "calls");
    return on;
}

void check_root(const Directive &directive, int root, const Communicator &on) {
    if (root >= 0 && root < on.size) return;
    fail(directive, "its root is " + std::to_string(root) + ", and the ranks of its communicator are 0 to " +
                        std::to_string(on.size - 1));
}

Section written_section(const Directive &directive, const Elements &elements) {
    const Section section = section_of(directive, elements);
    if (section.overlaps_itself()) fail(directive, "its elements overlap: it would write twice into one place");
    return section;
}

MPI_Datatype type_of(int type, std::int64_t bytes) {
    switch (type) {
    case STRETTO_TYPE_BOOL:
        if (bytes == 1) return MPI_C_BOOL;
        [[fallthrough]]; // Fortran's have other sizes
    case STRETTO_TYPE_SIGNED:
        return bytes == 1   ? MPI_INT8_T
               : bytes == 2 ? MPI_INT16_T
               : bytes == 4 ? MPI_INT32_T
               : bytes == 8 ? MPI_INT64_T
                            : MPI_DATATYPE_NULL;
    case STRETTO_TYPE_UNSIGNED:
        return bytes == 1   ? MPI_UINT8_T
               : bytes == 2 ? MPI_UINT16_T
               : bytes == 4 ? MPI_UINT32_T
               : bytes == 8 ? MPI_UINT64_T
                            : MPI_DATATYPE_NULL;
    case STRETTO_TYPE_FLOATING:
        return bytes == sizeof(float)         ? MPI_FLOAT
               : bytes == sizeof(double)      ? MPI_DOUBLE
               : bytes == sizeof(long double) ? MPI_LONG_DOUBLE
                                              : MPI_DATATYPE_NULL;
    case STRETTO_TYPE_COMPLEX:
        return bytes == 2 * sizeof(float)         ? MPI_C_FLOAT_COMPLEX
               : bytes == 2 * sizeof(double)      ? MPI_C_DOUBLE_COMPLEX
               : bytes == 2 * sizeof(long double) ? MPI_C_LONG_DOUBLE_COMPLEX
                                                  : MPI_DATATYPE_NULL;
    default:
        return MPI_DATATYPE_NULL;
    }
}

// MPI has no bitwise operations of bool, whose one bit is its value.
MPI_Op operation_of(int operation, int type) {
    const bool logical = type == STRETTO_TYPE_BOOL;
    switch (operation) {
    case STRETTO_OP_ADD:
        return MPI_SUM;
    case STRETTO_OP_MULTIPLY:
        return MPI_PROD;
    case STRETTO_OP_MIN:
        return MPI_MIN;
    case STRETTO_OP_MAX:
        return MPI_MAX;
    case STRETTO_OP_AND:
        return MPI_LAND;
    case STRETTO_OP_OR:
        return MPI_LOR;
    case STRETTO_OP_BITS_AND:
        return logical ? MPI_LAND : MPI_BAND;
    case STRETTO_OP_BITS_OR:
        return logical ? MPI_LOR : MPI_BOR;
    default:
        return logical ? MPI_LXOR : MPI_BXOR;
    }
}

bool is_possible(Reduction how) {
    switch (how.operation) {
    case STRETTO_OP_ADD:
    case STRETTO_OP_MULTIPLY:
        return how.type != STRETTO_TYPE_BOOL;
    case STRETTO_OP_MIN:
    case STRETTO_OP_MAX:
        return how.type != STRETTO_TYPE_BOOL && how.type != STRETTO_TYPE_COMPLEX;
    default:
        return how.type != STRETTO_TYPE_FLOATING && how.type != STRETTO_TYPE_COMPLEX;
    }
}

void check_reduction(const Directive &directive, Reduction how, const Asked &asked) {
    if (how.operation < STRETTO_OP_ADD || how.operation > STRETTO_OP_BITS_XOR)
        fail(directive, "there is no such operation: write one of + * min max && || & | ^");
    if (how.type < STRETTO_TYPE_SIGNED || how.type > STRETTO_TYPE_BOOL)
        fail(directive, "its elements are no numbers: a reduction is of integers, floating-point and complex numbers, "
                        "and bool");
    if (!is_possible(how))
        fail(directive,
             "its elements are " + elements_of(asked) + ", of which there is no " + operations[how.operation]);
    if (type_of(how.type, asked.element_bytes) == MPI_DATATYPE_NULL)
        fail(directive, "its elements are " + elements_of(asked) + ", which MPI does not reduce");
}

// --- memory --------------------------------------------------------------------------------------------------------------------------

//! \brief A section as one piece of memory: its own, or a copy where it has gaps.
class Piece {
public:
    explicit Piece(const Section &section) : section(section) {
        if (section.contiguous()) return;
        copy = std::make_unique_for_overwrite<std::byte[]>(section.bytes());
    }
    void fetch() const {
        if (copy) section.pack(copy.get());
    }
    void deliver() const {
        if (copy) section.unpack(copy.get());
    }

    //! do_it(memory, elements) of no more bytes than one message has.
    template <class Do>
    void for_each_part(std::size_t element_bytes, Do do_it) const {
        std::byte *const memory = copy ? copy.get() : section.first();
        const std::size_t most = std::max<std::size_t>(one_message / element_bytes, 1) * element_bytes;
        for (std::size_t at = 0; at < section.bytes(); at += most)
            do_it(memory + at, static_cast<int>(std::min(most, section.bytes() - at) / element_bytes));
    }

private:
    const Section &section;
    std::unique_ptr<std::byte[]> copy;
};

} // namespace

void reduce(const Directive &directive, Reduction how, const Elements &elements, int root, const MPI_Comm *comm) {
    const Communicator &on = all_ranks(directive, comm);
    const Section section = written_section(directive, elements);
    const Asked asked{how.operation, how.type, static_cast<std::int64_t>(section.bytes()), elements.element_bytes,
                      root};
    check_reduction(directive, how, asked);
    if (root != STRETTO_ROOT_ALL) check_root(directive, root, on);
    agree(directive, asked, on);
    const Piece piece(section);
    const MPI_Datatype type = type_of(how.type, elements.element_bytes);
    const MPI_Op operation = operation_of(how.operation, how.type);
    piece.fetch();
    piece.for_each_part(static_cast<std::size_t>(elements.element_bytes), [&](std::byte *at, int number) {
        if (root == STRETTO_ROOT_ALL)
            check(directive, MPI_Allreduce(MPI_IN_PLACE, at, number, type, operation, on.comm));
        else if (root == on.rank)
            check(directive, MPI_Reduce(MPI_IN_PLACE, at, number, type, operation, root, on.comm));
        else
            check(directive, MPI_Reduce(at, nullptr, number, type, operation, root, on.comm));
    });
    if (root == STRETTO_ROOT_ALL || root == on.rank) piece.deliver();
}

void broadcast(const Directive &directive, const Elements &elements, int root, const MPI_Comm *comm) {
    const Communicator &on = all_ranks(directive, comm);
    const Section section = written_section(directive, elements);
    check_root(directive, root, on);
    agree(directive, {0, 0, static_cast<std::int64_t>(section.bytes()), elements.element_bytes, root}, on);
    const Piece piece(section);
    if (root == on.rank) piece.fetch();
    piece.for_each_part(
        1, [&](std::byte *at, int bytes) { check(directive, MPI_Bcast(at, bytes, MPI_BYTE, root, on.comm)); });
    if (root != on.rank) piece.deliver();
}

} // namespace stretto::front::mdmp
