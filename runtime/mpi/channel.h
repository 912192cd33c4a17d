#pragma once
#include "mpi/library.h"

#include <bitset>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace stretto::mpi {

//! \brief How messages of collectives travel among the ranks of one of the program's communicators: on one communicator of ours for all of
//! them (Job::collectives), with tags that tell it from the others.
//!
//! Each rank gives a number of its own to the communicator; who sends to it uses that. The ranks learn each other's numbers by the
//! library's MPI_Iallgather on the program's communicator, with the first collective, or with the communicator itself
//! (front/communicator.h). (A duplicate would do too, but to make one calls the program's functions that copy attributes.)
class Channel {
public:
    static constexpr int lanes = 1024; //!< tags of an operation

    //! Of how many operations at once messages can be told from each other; the numbers above are of persistent ones, which keep theirs,
    //! and the last one of what ranks say of the operations that they begin (Job::compares), with a lane for each.
    static constexpr int operations = 2048, first_persistent = 1024, agreements = operations - 1;

    //! On a communicator of ours, among these ranks of it, which are all those of a communicator of the program's, in its order.
    //! Collective over the latter. No more than so many channels may be there at once.
    Channel(MPI_Comm ours, std::vector<int> ranks, MPI_Comm programs, int most);

    //! On a communicator that nobody else uses.
    Channel(MPI_Comm ours, int ranks);

    ~Channel();
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    //! Do we know the others' numbers? Looks.
    bool ready();

    //! Has all come that channels wait for which are gone? Before MPI_Finalize. Looks.
    static bool all_ready();

    MPI_Comm handle() const { return communicator; }
    int rank(int rank) const { return ranks[static_cast<std::size_t>(rank)]; } //!< on handle()
    int tag_to(int rank, int operation, int lane) const {
        return tag(numbers[static_cast<std::size_t>(rank)], operation, lane);
    }
    int own_tag(int operation, int lane) const { return tag(number, operation, lane); }

    //! Is the next message to this rank to be sent synchronously? Every sixteenth is, of whatever operation: who sends learns that
    //! those before it have been asked for.
    bool next_is_synchronous(int rank) { return ++sent[static_cast<std::size_t>(rank)] % synchronous_every == 0; }

    //! The next operation's number, the same on all ranks if they begin operations in the same order. Nothing: it is taken still.
    std::optional<int> begin();
    bool can_begin() const { return !open.test(static_cast<std::size_t>(next)); }
    void end(int operation) { open.reset(static_cast<std::size_t>(operation)); }

    //! A persistent operation's, for good: ranks free theirs when they like. Nothing, on all ranks alike: there are no more.
    std::optional<int> reserve();
    bool can_reserve() const { return next_persistent < agreements; }

    //! The lane of agreements' next one.
    int next_word() { return std::exchange(words, (words + 1) % lanes); }

private:
    static constexpr unsigned synchronous_every = 16;
    static int tag(int number, int operation, int lane) { return (number * operations + operation) * lanes + lane; }

    MPI_Comm communicator;
    int number = 0; // ours
    std::vector<int> ranks, numbers;
    std::vector<unsigned> sent; // messages to each rank
    MPI_Request learning = MPI_REQUEST_NULL;
    int next = 0, next_persistent = first_persistent, words = 0;
    std::bitset<operations> open;
};

} // namespace stretto::mpi
