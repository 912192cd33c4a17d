#pragma once
#include <cstdint>
#include <optional>

namespace stretto::message {

//! \brief Rule 6. The sender of a framed message takes an interval of tags, one for the end marker and one for each delta. They are free
//! again when the receiver says that everything has arrived and nothing waits for them any more: `fin`.

//! Tags of a message to a peer (rank in the private communicator): the first of `count`; nothing when none are free. Never waits.
std::optional<std::uint32_t> take_tags(int peer, std::uint32_t count);

//! Receiver: the message from that peer is done with its tags. Told to the sender in batches.
void tags_done(int peer, std::uint32_t first, std::uint32_t count);

} // namespace stretto::message
