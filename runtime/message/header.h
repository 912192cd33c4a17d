#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace stretto::message {

//! \brief What the first fragment of a framed message begins with (docs/protocol, rules 1 to 6). Sent as it lies in
//! memory: both ends run the same build on the same kind of processor (agreed in MPI_Init).
struct Header {
    enum Flag : std::uint8_t {
        variable = 1,  //!< total is the most it may be; an end marker carries the true size (rule 10)
        one_sided = 2, //!< its deltas, and the end marker, are in memory that both share (rule 19)
    };
    std::array<std::uint8_t, 16> nonce; //!< the job's
    std::uint8_t version;
    std::uint8_t flags;
    std::uint16_t reserved;
    std::uint32_t sender;      //!< rank in the private communicator
    std::uint64_t total;       //!< bytes of the message
    std::uint32_t first_bytes; //!< of them in this fragment
    std::uint32_t delta_bytes; //!< of each delta but the last
    std::uint32_t tag;         //!< the end marker's tag; delta k has tag + 1 + k
    std::uint32_t tags;        //!< how many tags this message holds
    std::uint64_t serial;      //!< of the message, per sender: for reports
    std::uint32_t
        early; //!< deltas from this one on leave second, after delta 0: the last page may hold other data, too
    std::uint8_t room[36]; //!< for later versions
};

inline constexpr std::uint8_t version = 1;
inline constexpr std::size_t header_bytes = 96; //!< H
inline constexpr std::size_t first_most = 3936; //!< F: most data in a first fragment
inline constexpr std::size_t first_fragment = header_bytes + first_most;

static_assert(sizeof(Header) == header_bytes, "the header's layout is the protocol");
static_assert(header_bytes % 32 == 0 && first_fragment % 32 == 0, "rule 5: fragments are multiples of 32 bytes");

//! A message may be framed only when it has more bytes than the longest first fragment.
inline constexpr std::size_t least_total = first_fragment + 1;

//! May a message of so many bytes be a first fragment?
constexpr bool has_fragment_length(std::size_t bytes) {
    return bytes == header_bytes || bytes == first_fragment;
}

} // namespace stretto::message
