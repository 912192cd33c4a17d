#pragma once
#include "mpi/library.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace stretto::mpi {

//! \brief How messages of collectives travel among the ranks of one of the program's communicators: on communicators of ours for all of
//! them (Job::collectives), with tags that tell it from the others.
//!
//! Each rank gives a number of its own to the communicator, which says on which of ours and with which tags messages to it come.
//! The ranks learn each other's numbers by the library's MPI_Iallgather on the program's communicator, in the call that makes it
//! (front/calls/communicator.h). So they know before its first collective, all alike, whether each of them had a number left.
//! (A duplicate would do too, but to make one calls the program's functions that copy attributes.)
class Channel {
public:
    static constexpr int lanes = 1024; //!< tags of an operation

    //! Of how many operations at once messages can be told from each other, others wait for their turn; the numbers above are of persistent
    //! ones, which keep theirs, and the last one of what ranks say of the operations that they begin (Job::compares), with a lane for each.
    static constexpr int operations = 2048, first_persistent = 1024, agreements = operations - 1;

    //! How many may share a communicator of ours whose tags go up to this one.
    static int most_on_one(int tag_bound) {
        return static_cast<int>((static_cast<long>(tag_bound) + 1) / (static_cast<long>(lanes) * operations));
    }

    //! On communicators of ours, with so many channels on each at the most, among these ranks of them, which are all those of a communicator
    //! of the program's, in its order. Collective over the latter. Nothing else may be asked before learn() says so.
    Channel(std::vector<MPI_Comm> ours, int most_on_each, std::vector<int> ranks, MPI_Comm programs);

    //! On a communicator that nobody else uses.
    Channel(MPI_Comm ours, int ranks);

    ~Channel();
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    //! Are the others' numbers here? Looks.
    bool learn();

    //! Has each rank a number for which there are tags? All ranks see it alike. Else the channel carries no collectives.
    bool serves() const {
        return std::all_of(numbers.begin(), numbers.end(), [&](int one) { return one < most; });
    }

    //! What this rank calls the communicator: no other of its communicators has this number meanwhile.
    int number_of(int rank) const { return numbers[static_cast<std::size_t>(rank)]; }

    //! Where messages come from and go to, and with which tags.
    int rank(int rank) const { return ranks[static_cast<std::size_t>(rank)]; }
    MPI_Comm way_to(int rank) const { return way(number_of(rank)); }
    int tag_to(int rank, int operation, int lane) const { return tag(number_of(rank), operation, lane); }
    MPI_Comm own_way() const { return way(number); }
    int own_tag(int operation, int lane) const { return tag(number, operation, lane); }

    //! Is the next message to this rank to be sent synchronously? Every sixteenth is, of whatever operation: who sends learns that
    //! those before it have been asked for.
    bool next_is_synchronous(int rank) { return ++sent[static_cast<std::size_t>(rank)] % synchronous_every == 0; }

    //! \brief What sets an operation's messages apart.
    struct Ticket {
        int number;
        std::uint64_t sequence = 0; //!< of those that are not persistent, from the first one on
    };

    //! The next operation's, the same on all ranks if they begin operations in the same order. Numbers are used again and again.
    Ticket begin();
    //! Have those ended that had its number before? Only then it may begin.
    bool is_turn(const Ticket &ticket) const;
    bool is_turn_of_next() const { return is_turn(next()); }
    void end(const Ticket &ticket) {
        if (ticket.number < first_persistent) outstanding.erase(ticket.sequence);
    }

    //! Its number, or that of the next persistent one.
    int next_number(bool persistent) const { return persistent ? next_persistent : next().number; }

    //! A persistent operation's, for good: ranks free theirs when they like. Only while there are some, which all ranks see alike.
    Ticket reserve();
    bool can_reserve() const { return next_persistent < agreements; }

    //! The lane of agreements' next one.
    int next_word() { return std::exchange(words, (words + 1) % lanes); }

private:
    static constexpr unsigned synchronous_every = 16;
    static int take_number();
    Ticket next() const { return {static_cast<int>(begun % first_persistent), begun}; }
    MPI_Comm way(int number) const { return communicators[static_cast<std::size_t>(number / most_on_each)]; }
    int tag(int number, int operation, int lane) const {
        return (number % most_on_each * operations + operation) * lanes + lane;
    }

    std::vector<MPI_Comm> communicators;
    int most_on_each = 1, most = 1; // numbers that there are tags for
    int number = 0;                 // ours
    std::vector<int> ranks, numbers;
    std::vector<unsigned> sent; // messages to each rank
    MPI_Request learning = MPI_REQUEST_NULL;
    std::uint64_t begun = 0;             // of those that are not persistent
    std::set<std::uint64_t> outstanding; // of these, those that have not ended
    int next_persistent = first_persistent, words = 0;
};

} // namespace stretto::mpi
