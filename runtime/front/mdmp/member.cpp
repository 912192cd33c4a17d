// A section of an exchange, and its messages.
//
// A directive without a tag may meet any other one, of any size. So each message begins with what its directive says of itself; then the
// receiver names both lines where they do not fit. A short message travels with that, a longer one behind it, on a communicator of its own,
// where it may have begun before:
//
//     [header][bytes]                      bytes <= most_within
//     [header]    [bytes], [bytes], ...    of at most one_message bytes each
//
// Both sides take it by their own size. What comes first is never longer than the receiver's memory for it, and a receiver looks at it
// before it believes anything behind it.
#include "front/mdmp/member.h"

#include "front/mdmp/region.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace stretto::front::mdmp {

namespace {

// What is longer may be framed. Of less a second message would cost more than to copy it.
constexpr std::size_t first_message = 16384;
constexpr std::size_t one_message = std::size_t(1) << 30;
constexpr std::size_t most_within = first_message - header::most_bytes;

// An implied tag is MPI's 0.
int tag_of(const Directive &directive, int tag, const Communicator &communicator) {
    if (tag == STRETTO_TAG_IMPLIED) return 0;
    if (tag < 0 || tag >= communicator.most_tag)
        fail(directive,
             "a tag is 0 to " + std::to_string(communicator.most_tag - 1) + ", and this is " + std::to_string(tag));
    return tag + 1;
}

void check_partner(const Directive &directive, int partner, const Communicator &communicator) {
    if (partner == MPI_PROC_NULL || (partner >= 0 && partner < communicator.size)) return;
    fail(directive, "its partner is " + std::to_string(partner) + ", and the ranks of its communicator are 0 to " +
                        std::to_string(communicator.size - 1) + " (or none)");
}

} // namespace

Member::Member(const Directive &directive, const Arguments &given)
    : directive(directive), element_bytes(given.elements.element_bytes), partner(given.partner),
      communicator(&communicator_of(directive, given.comm)) {
    check_partner(directive, partner, *communicator);
    section = section_of(directive, given.elements);
    tag = tag_of(directive, given.tag, *communicator);
}

header::Way Member::way() const {
    return {communicator->serial, partner};
}

bool Member::is_short() const {
    return section.bytes() <= most_within;
}

bool Member::is_one_long_message() const {
    return !is_short() && section.bytes() <= one_message && section.contiguous();
}

bool Member::is_short_range() const {
    return is_short() && section.bytes() > 0 && section.contiguous();
}

bool Member::is_matched_in_order_with(const Member &other) const {
    return partner == other.partner && tag == other.tag && communicator == other.communicator;
}

void Member::must_be_apart_from(const Member &other) const {
    if (section.overlaps(other.section))
        fail(directive, "overlaps " + other.directive.written() + " at " + other.directive.line() +
                            " of the same exchange: put a statement between them, or separate the sections");
}

void Member::must_be_apart_in_itself() const {
    if (section.overlaps_itself()) fail(directive, "its elements overlap: it would receive twice into one place");
}

// --- messages ----------------------------------------------------------------------------------------------------------------------

void Member::make_room(std::size_t bytes) {
    first = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (!is_short() && !section.contiguous()) packed = std::make_unique_for_overwrite<std::byte[]>(section.bytes());
}

template <class Do>
void Member::for_each_part(Do do_it) const {
    const std::size_t bytes = section.bytes();
    for (std::size_t at = 0; !is_short() && at < bytes; at += one_message)
        do_it(long_message() + at, std::min(one_message, bytes - at));
}

void Member::send(const std::byte *from, std::size_t bytes, int with, MPI_Comm on) {
    check(directive, MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, partner, with, on,
                               &requests.emplace_back(MPI_REQUEST_NULL)));
}

void Member::receive(std::byte *to, std::size_t bytes, int with, MPI_Comm on) {
    check(directive, MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, partner, with, on,
                               &requests.emplace_back(MPI_REQUEST_NULL)));
}

Member::Part Member::part(std::uint32_t k) const {
    const std::size_t each = parts.bytes(section.bytes()), begin = std::min(k * each, section.bytes());
    return {begin, std::min(each, section.bytes() - begin),
            static_cast<int>(parts.sequence % static_cast<unsigned>(communicator->most_tag))};
}

void Member::make_ready(header::Parts its) {
    make_room(header::most_bytes + (is_short() ? section.bytes() : 0));
    parts = its;
    header_bytes = header::write(first.get(), directive, section.bytes(), element_bytes, parts, way());
    if (parts.number > 1)
        std::memcpy(copy_of(part(0)), section.first(), part(0).bytes);
    else if (is_short())
        section.pack(first.get() + header_bytes);
}

void Member::start_first() {
    send(first.get(), header_bytes + (is_short() ? part(0).bytes : 0), tag, communicator->comm);
}

void Member::start_part(std::uint32_t k) {
    const Part its = part(k);
    std::memcpy(copy_of(its), section.first() + its.begin, its.bytes);
    send(copy_of(its), its.bytes, its.tag, communicator->parts);
}

bool Member::has_left() {
    int all_have = 0;
    check(directive, MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all_have, MPI_STATUSES_IGNORE));
    return all_have;
}

void Member::start() {
    start_first();
    if (packed) section.pack(packed.get());
    for_each_part([this](const std::byte *from, std::size_t bytes) { send(from, bytes, tag, communicator->rest); });
}

Member::Rest Member::rest() const {
    return {section.first(), static_cast<int>(section.bytes()), partner, tag, communicator->rest};
}

MPI_Request &Member::request_of_rest() {
    if (requests.size() < 2) requests.resize(2, MPI_REQUEST_NULL);
    return requests[1];
}

bool Member::was_written_since() const {
    return std::memcmp(section.first(), first.get() + header_bytes, section.bytes()) != 0;
}

void Member::post() {
    receives = true;
    make_room(first_message);
    receive(first.get(), first_message, tag, communicator->comm);
    for_each_part([this](std::byte *to, std::size_t bytes) { receive(to, bytes, tag, communicator->rest); });
}

void Member::wait_for_first() {
    if (!receives || fits) return;
    check(directive, MPI_Wait(&requests.front(), MPI_STATUS_IGNORE));
    const std::optional<header::Said> sent = header::read(first.get(), way());
    if (!sent) fail(directive, "its partner runs another version of Stretto");
    const auto bytes = static_cast<std::int64_t>(section.bytes());
    fits = sent->bytes == bytes && (sent->element_bytes == static_cast<std::uint32_t>(element_bytes) || bytes == 0);
    if (!fits)
        fail(directive, "receives " + shape(bytes, element_bytes) + ", and rank " + std::to_string(partner) +
                            " sends " + shape(sent->bytes, sent->element_bytes) + ": " + sent->which(way()));
    header_bytes = sent->header_bytes;
    parts = sent->parts;
    for (std::uint32_t k = 1; k < parts.number; k++) {
        const Part its = part(k);
        receive(copy_of(its), its.bytes, its.tag, communicator->parts);
    }
}

void Member::wait_below(std::size_t end) {
    wait_for_first();
    while (in_place < std::min(end, section.bytes())) {
        const auto k = static_cast<std::uint32_t>(in_place / parts.bytes(section.bytes()));
        const Part its = part(k);
        check(directive, MPI_Wait(&requests[k], MPI_STATUS_IGNORE)); // the first one is null by now
        std::memcpy(section.first() + its.begin, copy_of(its), its.bytes);
        in_place = its.begin + its.bytes;
    }
}

void Member::wait() {
    wait_for_first();
    for (MPI_Request &request : requests) check(directive, MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (!receives) return;
    if (is_short())
        section.unpack(first.get() + header_bytes);
    else if (packed)
        section.unpack(packed.get());
}

} // namespace stretto::front::mdmp
