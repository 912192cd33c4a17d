// An exchange: receives are posted, sends started, and all are waited for.
//
// A directive without a tag may meet any other one, of any size. So each message begins with what its directive says of itself; then the
// receiver names both lines where they do not fit. A short message travels with that, a longer one behind it:
//
//     [Header][bytes]                      bytes <= most_within
//     [Header], [bytes], [bytes], ...      of at most one_message bytes each
//
// Both sides take it by their own size. What comes first is never longer than the receiver's memory for it, and a receiver looks at all
// of these before it believes anything behind them.
#include "front/mdmp/exchange.h"

#include "front/mdmp/region.h"
#include "range/section.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::front::mdmp {

namespace {

constexpr std::size_t first_message = 4096; // every MPI sends as much at once
constexpr std::size_t one_message = std::size_t(1) << 30;
constexpr std::uint32_t magic = 0x4d444d50; // "MDMP"

//! \brief What a send's directive says of itself.
struct Header {
    std::uint32_t magic, line;
    std::int64_t bytes, element_bytes;
    std::array<char, 64> file, text; // as much of it as there is room for
};
static_assert(sizeof(Header) == 152);
constexpr std::size_t most_within = first_message - sizeof(Header);

struct Member {
    Directive directive;
    Section section;
    std::int64_t element_bytes;
    int partner, tag; // of MPI
    MPI_Comm comm;
    std::unique_ptr<std::byte[]> first; // the message, or what is in front of it
    std::unique_ptr<std::byte[]> rest;  // of one with gaps, which cannot be sent as it is
    std::vector<MPI_Request> requests;

    bool is_short() const { return section.bytes() <= most_within; }
    std::byte *long_message() const { return rest ? rest.get() : section.first(); }
};

// Of this thread.
thread_local std::vector<Member> receives, sends;
thread_local const stretto_directive *opened = nullptr; // nothing that is alone ends the exchange

std::string shape(std::int64_t bytes, std::int64_t element_bytes) {
    const std::int64_t elements = bytes / std::max<std::int64_t>(element_bytes, 1);
    return std::to_string(elements) + (elements == 1 ? " element of " : " elements of ") +
           std::to_string(element_bytes) + (element_bytes == 1 ? " byte" : " bytes");
}

// --- what a directive may say ------------------------------------------------------------------------------------------------------

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

Section section_of(const Directive &directive, const Arguments &given) {
    if (given.dimensions < 0 || given.dimensions > Section::most_dimensions)
        fail(directive, "has " + std::to_string(given.dimensions) + " dimensions, and at most " +
                            std::to_string(Section::most_dimensions) + " are possible");
    if (given.element_bytes <= 0) fail(directive, "its elements have no bytes");
    for (int k = 0; k < given.dimensions; k++)
        if (given.count[k] < 0) fail(directive, "a count is negative: " + std::to_string(given.count[k]));
    const auto section = Section::make(given.first, given.dimensions, given.count, given.stride, given.element_bytes);
    if (!section) fail(directive, "has more bytes than any memory");
    if (section->bytes() && !given.first) fail(directive, "its first element is at a null pointer");
    return *section;
}

void check_apart(const Member &member, const std::vector<Member> &others) {
    for (const Member &other : others)
        if (member.section.overlaps(other.section))
            fail(member.directive, "overlaps " + other.directive.written() + " at " + other.directive.line() +
                                       " of the same exchange: put a statement between them, or separate the sections");
}

// --- messages ----------------------------------------------------------------------------------------------------------------------

// The end of a file's name says most; of a section the beginning does.
void write(std::array<char, 64> &to, const char *text, bool keep_end) {
    std::string_view all = text ? text : "";
    const std::size_t room = to.size() - 1;
    if (all.size() > room) all = keep_end ? all.substr(all.size() - room) : all.substr(0, room);
    to.fill('\0');
    all.copy(to.data(), room);
}

// What is short is taken at its directive, so that it may be written again at once.
void fill(Member &member) {
    const stretto_directive &given = member.directive.given;
    Header header{magic, given.line, static_cast<std::int64_t>(member.section.bytes()), member.element_bytes, {}, {}};
    write(header.file, given.file, true);
    write(header.text, given.text, false);
    std::memcpy(member.first.get(), &header, sizeof header);
    if (member.is_short()) member.section.pack(member.first.get() + sizeof header);
}

template <class Do>
void for_each_part(const Member &member, Do do_it) {
    const std::size_t bytes = member.section.bytes();
    for (std::size_t at = 0; at < bytes; at += one_message)
        do_it(member.long_message() + at, static_cast<int>(std::min(one_message, bytes - at)));
}

void send(Member &member) {
    const auto start = [&](const std::byte *from, int bytes) {
        check(member.directive, MPI_Isend(from, bytes, MPI_BYTE, member.partner, member.tag, member.comm,
                                          &member.requests.emplace_back(MPI_REQUEST_NULL)));
    };
    start(member.first.get(), static_cast<int>(sizeof(Header) + (member.is_short() ? member.section.bytes() : 0)));
    if (member.is_short()) return;
    if (member.rest) member.section.pack(member.rest.get());
    for_each_part(member, start);
}

void post(Member &member) {
    const auto start = [&](std::byte *to, int bytes) {
        check(member.directive, MPI_Irecv(to, bytes, MPI_BYTE, member.partner, member.tag, member.comm,
                                          &member.requests.emplace_back(MPI_REQUEST_NULL)));
    };
    start(member.first.get(), static_cast<int>(first_message));
    if (!member.is_short()) for_each_part(member, start);
}

void check_fits(const Member &member) {
    Header sent;
    std::memcpy(&sent, member.first.get(), sizeof sent);
    if (sent.magic != magic) fail(member.directive, "its partner runs another version of Stretto");
    const auto bytes = static_cast<std::int64_t>(member.section.bytes());
    if (sent.bytes == bytes && (sent.element_bytes == member.element_bytes || bytes == 0)) return;
    fail(member.directive, "receives " + shape(bytes, member.element_bytes) + ", and rank " +
                               std::to_string(member.partner) + " sends " + shape(sent.bytes, sent.element_bytes) +
                               ": " + written("send", sent.text.data()) + " at " +
                               line_of(sent.file.data(), sent.line));
}

void wait(Member &member) {
    for (MPI_Request &request : member.requests) check(member.directive, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

void put_in_place(const Member &member) {
    if (member.is_short())
        member.section.unpack(member.first.get() + sizeof(Header));
    else if (member.rest)
        member.section.unpack(member.rest.get());
}

// --- exchanges ---------------------------------------------------------------------------------------------------------------------

void run(std::vector<Member> &receives, std::vector<Member> &sends) {
    std::for_each(receives.begin(), receives.end(), post);
    std::for_each(sends.begin(), sends.end(), send);
    for (Member &one : receives) {
        check(one.directive, MPI_Wait(&one.requests.front(), MPI_STATUS_IGNORE));
        check_fits(one);
    }
    for (Member &one : receives) {
        wait(one);
        put_in_place(one);
    }
    std::for_each(sends.begin(), sends.end(), wait);
}

Member member(const Directive &directive, const Arguments &given) {
    const Communicator &communicator = communicator_of(directive, given.comm);
    check_partner(directive, given.partner, communicator);
    return {directive,
            section_of(directive, given),
            given.element_bytes,
            given.partner,
            tag_of(directive, given.tag, communicator),
            communicator.comm,
            nullptr,
            nullptr,
            {}};
}

void make_room(Member &member) {
    member.first = std::make_unique_for_overwrite<std::byte[]>(first_message);
    if (!member.is_short() && !member.section.contiguous())
        member.rest = std::make_unique_for_overwrite<std::byte[]>(member.section.bytes());
}

void end_if_alone(const Directive &directive) {
    if ((directive.given.flags & STRETTO_DIRECTIVE_ALONE) && !opened) exchange(directive);
}

} // namespace

// In one exchange nothing is received into what is sent, or twice into the same place: the order would count.
void add_send(const Directive &directive, const Arguments &arguments) {
    Member one = member(directive, arguments);
    if (one.partner != MPI_PROC_NULL) {
        check_apart(one, receives);
        make_room(one);
        fill(one);
        sends.push_back(std::move(one));
    }
    end_if_alone(directive);
}

void add_receive(const Directive &directive, const Arguments &arguments) {
    Member one = member(directive, arguments);
    if (one.partner != MPI_PROC_NULL) {
        if (one.section.overlaps_itself())
            fail(directive, "its elements overlap: it would receive twice into one place");
        check_apart(one, receives);
        check_apart(one, sends);
        make_room(one);
        receives.push_back(std::move(one));
    }
    end_if_alone(directive);
}

void open_exchange(const Directive &directive) {
    check_nothing_pends(directive);
    communicator_of(directive, nullptr);
    opened = &directive.given;
}

void exchange(const Directive &) {
    opened = nullptr;
    run(receives, sends);
    receives.clear();
    sends.clear();
}

void check_nothing_pends(const Directive &directive) {
    const stretto_directive *its = opened;
    for (const std::vector<Member> *members : {&receives, &sends})
        if (!its && !members->empty()) its = &members->front().directive.given;
    if (its) fail(directive, "stands in an exchange that has not ended: it began at " + line_of(its->file, its->line));
}

} // namespace stretto::front::mdmp
