#include "mpi/channel.h"

namespace stretto::mpi {

namespace {

// Which numbers are in use here.
constinit std::vector<bool> taken;

} // namespace

int Channel::take_number() {
    const auto free = std::find(taken.begin(), taken.end(), false);
    const auto number = free - taken.begin();
    if (free == taken.end())
        taken.push_back(true);
    else
        *free = true;
    return static_cast<int>(number);
}

Channel::Channel(std::vector<MPI_Comm> ours, int most_on_each, std::vector<int> ranks, MPI_Comm programs)
    : communicators(std::move(ours)), most_on_each(most_on_each),
      most(most_on_each * static_cast<int>(communicators.size())), number(take_number()), ranks(std::move(ranks)),
      numbers(this->ranks.size()), sent(this->ranks.size()) {
    library.Iallgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, programs, &learning);
}

Channel::Channel(MPI_Comm ours, int size)
    : communicators{ours}, numbers(static_cast<std::size_t>(size)), sent(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; rank++) ranks.push_back(rank);
    taken.assign(1, true);
}

Channel::~Channel() {
    taken[static_cast<std::size_t>(number)] = false;
}

bool Channel::learn() {
    int done = 0;
    library.Test(&learning, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

Channel::Ticket Channel::begin() {
    const Ticket ticket = next();
    outstanding.insert(begun++);
    return ticket;
}

bool Channel::is_turn(const Ticket &ticket) const {
    if (ticket.number >= first_persistent || outstanding.empty()) return true;
    for (std::uint64_t before = ticket.sequence; before >= *outstanding.begin() + first_persistent;) {
        before -= first_persistent;
        if (outstanding.contains(before)) return false;
    }
    return true;
}

Channel::Ticket Channel::reserve() {
    return {next_persistent++};
}

} // namespace stretto::mpi
