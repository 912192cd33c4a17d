// What a send's directive says of itself in front of its message, so that a receive which does not fit names both lines.
#pragma once
#include "front/mdmp/directive.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace stretto::front::mdmp::header {

//! Bytes, at most: the first message of a directive to a partner says its file and text, those behind it a number.
constexpr std::size_t most_bytes = 160;

//! \brief Of a directive, for another rank: as much of it as there is room for.
struct Names {
    std::array<char, 64> file, text;

    static Names of(const stretto_directive &given);
    //! "send(old[mp][1]) at jacobi.c:14"
    std::string which(const char *name, unsigned line) const;
};

//! \brief Whose messages: of a partner on a communicator.
struct Way {
    unsigned communicator; //!< its serial number in this process
    int partner;
};

//! \brief In how many parts a short section leaves, and the number that those behind the first one have in place of a tag.
struct Parts {
    std::uint32_t number = 1, sequence = 0;

    //! Of each but the last one, which may be shorter.
    std::size_t bytes(std::size_t section) const { return (section + number - 1) / number; }
};

//! Into most_bytes; returns how many it takes.
std::size_t write(std::byte *to, const Directive &send, std::size_t bytes, std::int64_t element_bytes, Parts parts,
                  Way way);

//! \brief What came.
struct Said {
    std::size_t header_bytes;
    std::int64_t bytes;
    std::uint32_t element_bytes, line, number;
    Parts parts;

    //! "send(old[mp][1]) at jacobi.c:14"
    std::string which(Way way) const;
};

//! Nothing where it is of another version of Stretto.
std::optional<Said> read(const std::byte *from, Way way);

} // namespace stretto::front::mdmp::header
