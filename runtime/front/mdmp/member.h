// A send or a receive of an exchange, and its messages.
#pragma once
#include "front/mdmp/elements.h"
#include "front/mdmp/header.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace stretto::front::mdmp {

//! \brief A send's or a receive's arguments, as the program gave them.
struct Arguments {
    Elements elements;
    int partner, tag;
    const MPI_Comm *comm;
};

struct Communicator;

class Member {
public:
    //! Ends the job where the arguments are wrong.
    Member(const Directive &directive, const Arguments &arguments);

    const Directive &which() const { return directive; }
    bool has_partner() const { return partner != MPI_PROC_NULL; }
    const Section &memory() const { return section; }

    //! One long message from where the section lies, or into it: a part of it may be under way alone.
    bool is_one_long_message() const;
    //! One message with what it says of itself, or several parts behind it, of a section without gaps.
    bool is_short_range() const;
    //! To or from the same partner, where only their order tells which is which.
    bool is_matched_in_order_with(const Member &other) const;

    //! Ends the job where both are in one exchange and use the same memory.
    void must_be_apart_from(const Member &other) const;
    //! Ends the job where it receives twice into one place.
    void must_be_apart_in_itself() const;

    // --- a send. What is short is taken where it is made ready, so that it may be written again at once; of several parts only the first one.
    void make_ready(header::Parts parts = {});
    void start();
    //! The same in two halves, of one long message, the rest first: that is what may begin early. Its request is the caller's to make.
    struct Rest {
        std::byte *from;
        int bytes, partner, tag;
        MPI_Comm comm;
    };
    Rest rest() const;
    void start_first();
    MPI_Request &request_of_rest();
    //! Of a short one in parts: the k-th one, from 1 on.
    void start_part(std::uint32_t k);
    //! Its parts are copies, whose receives begin when its partner needs them: who waited for them might be who its partner waits for.
    bool is_in_parts() const { return !receives && parts.number > 1; }
    //! Have all of them left?
    bool has_left();
    //! Of a short one that has started: is its memory another than it was?
    bool was_written_since() const;

    // --- a receive
    void post();
    bool receives_into(const void *memory) const { return receives && section.first() == memory; }
    //! Of a receive: returns when it is known to fit.
    void wait_for_first();
    //! Of a short range that is received: are its bytes below `end` in place? wait_below() returns when they are.
    bool has_landed_below(std::size_t end) const { return end <= in_place; }
    void wait_below(std::size_t end);

    //! Returns when all has come or may be written again.
    void wait();

private:
    bool is_short() const;
    header::Way way() const;
    std::byte *long_message() const { return packed ? packed.get() : section.first(); }
    template <class Do>
    void for_each_part(Do do_it) const;
    void make_room(std::size_t bytes);
    struct Part {
        std::size_t begin, bytes; // of the section
        int tag;
    };
    Part part(std::uint32_t k) const;
    std::byte *copy_of(const Part &its) const { return first.get() + header_bytes + its.begin; }
    void send(const std::byte *from, std::size_t bytes, int tag, MPI_Comm on);
    void receive(std::byte *to, std::size_t bytes, int tag, MPI_Comm on);

    Directive directive;
    Section section;
    std::int64_t element_bytes;
    int partner, tag; // of MPI
    const Communicator *communicator;
    std::size_t header_bytes = 0;        // of what was written, or has come
    header::Parts parts;                 // likewise, of a short one
    std::size_t in_place = 0;            // bytes of a short range that was received
    bool receives = false, fits = false; // as far as is known
    std::unique_ptr<std::byte[]> first;  // the message, or what is in front of it
    std::unique_ptr<std::byte[]> packed; // the rest of one with gaps, which cannot be sent as it is
    std::vector<MPI_Request> requests;   // the first one is that of `first`
};

} // namespace stretto::front::mdmp
