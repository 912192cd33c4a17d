// What a send's directive says of itself in front of its message, so that a receive which does not fit names both lines.
#pragma once
#include "front/mdmp/directive.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stretto::front::mdmp::header {

//! Bytes, at most: the first message of a directive to a partner says its file and text, those behind it a number.
constexpr std::size_t most_bytes = 152;

//! \brief Whose messages: of a partner on a communicator.
struct Way {
    unsigned communicator; //!< its serial number in this process
    int partner;
};

//! Into most_bytes; returns how many it takes.
std::size_t write(std::byte *to, const Directive &send, std::size_t bytes, std::int64_t element_bytes, Way way);

//! \brief What came.
struct Said {
    std::size_t header_bytes;
    std::int64_t bytes;
    std::uint32_t element_bytes, line, number;

    //! "send(old[mp][1]) at jacobi.c:14"
    std::string which(Way way) const;
};

//! Nothing where it is of another version of Stretto.
std::optional<Said> read(const std::byte *from, Way way);

} // namespace stretto::front::mdmp::header
