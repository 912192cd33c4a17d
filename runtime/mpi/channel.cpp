#include "mpi/channel.h"

#include "trace/failure.h"

#include <algorithm>

namespace stretto::mpi {

namespace {

// Which numbers are in use here.
std::vector<bool> taken;

int take_number(int most) {
    const auto free = std::find(taken.begin(), taken.end(), false);
    const auto number = free - taken.begin();
    if (number == most)
        fail("a collective operation", "too many communicators have collectives of Stretto's (STRETTO_COLLECTIVES=off "
                                       "leaves them to the MPI library)");
    if (free == taken.end())
        taken.push_back(true);
    else
        *free = true;
    return static_cast<int>(number);
}

// What a channel that ended before the others' numbers were there still has to hear.
struct Unheard {
    MPI_Request request;
    std::vector<int> numbers;
};
std::vector<Unheard> unheard;

} // namespace

Channel::Channel(std::vector<MPI_Comm> ours, int most_on_each, std::vector<int> ranks, MPI_Comm programs)
    : communicators(std::move(ours)), most_on_each(most_on_each),
      number(take_number(most_on_each * static_cast<int>(communicators.size()))), ranks(std::move(ranks)),
      numbers(this->ranks.size()), sent(this->ranks.size()) {
    all_ready();
    library.Iallgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, programs, &learning);
}

Channel::Channel(MPI_Comm ours, int size)
    : communicators{ours}, numbers(static_cast<std::size_t>(size)), sent(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; rank++) ranks.push_back(rank);
    taken.assign(1, true);
}

Channel::~Channel() {
    if (!ready()) unheard.push_back({learning, std::move(numbers)}); // a vector that moves keeps its memory
    taken[static_cast<std::size_t>(number)] = false;
}

bool Channel::ready() {
    if (learning == MPI_REQUEST_NULL) return true;
    int done = 0;
    library.Test(&learning, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

bool Channel::all_ready() {
    std::erase_if(unheard, [](Unheard &one) {
        int done = 0;
        library.Test(&one.request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
    return unheard.empty();
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
