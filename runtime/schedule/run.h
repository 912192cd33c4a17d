#pragma once
#include "mpi/channel.h"
#include "mpi/completion.h"
#include "mpi/library.h"
#include "progress/progress.h"
#include "range/range_set.h"
#include "schedule/schedule.h"
#include "trace/failure.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stretto::schedule {

//! \brief What a schedule's steps mean: the memories, and how elements are added up.
struct Memories {
    const std::byte *input = nullptr;
    std::byte *output = nullptr;
    MPI_Op operation = MPI_OP_NULL; //!< of reductions
    MPI_Datatype element = MPI_DATATYPE_NULL;
    std::size_t element_bytes = 1; //!< its extent
    bool calls_program = false;    //!< the operation is a function of the program's
};

//! \brief Whose schedule it is, for messages.
struct Name {
    const char *call; //!< "MPI_Ibcast"
    CallSite site;
    const void *communicator; //!< the program's
    double look_within = 0;   //!< seconds (progress::Task)
    //! Is an error of a message to be told to the program, of this communicator? Else, and where there is no such function, it ends the job.
    bool (*tells)(const void *communicator) = nullptr;
};

//! \brief Who hears of results by and by.
class Listener {
public:
    //! These bytes of the output are as they will be.
    virtual void result(Range output) = 0;

protected:
    ~Listener() = default;
};

//! \brief A schedule that is being carried out. The schedule and the memories stay until it is complete.
//!
//! Lanes begin in their order, and no lane while one of a window before it is under way: now and then a send is synchronous
//! (mpi::Channel), so that no receiver's library holds more than a window of a sender's lanes that nobody has asked for yet.
//!
//! One that is fed waits in each lane for the bytes of the input that the next step reads, until ready() names them.
class Run final : public progress::Task {
public:
    static constexpr std::size_t usual_window = 64;
    static_assert(most_tags == mpi::Channel::lanes);

    //! An operation with a ticket of its own of the channel's, which has the schedule's ranks. It begins once it is its turn.
    Run(Name name, const Schedule &schedule, const Memories &memories, mpi::Channel &channel,
        mpi::Channel::Ticket ticket, std::size_t window = usual_window, Listener *listener = nullptr, bool fed = false);

    //! Of a rank's messages none is looked at before this says so: where one is of another size, some libraries end the job themselves.
    void look_only_if(std::function<bool(int rank)> may_look) { may_look_at = std::move(may_look); }

    bool poll() override;

    //! Its messages may be under way.
    bool may_begin() const { return channel.is_turn(ticket); }

    //! These bytes of the input are as they will be. Returns the first that were so already, if any; then nothing is done.
    std::optional<Range> ready(Range input);
    void all_ready();

    //! Which bytes of the output are not yet as they will be. Of what the schedule does not write, none. Only with a listener.
    const RangeSet &missing() const { return missing_; }

    bool complete() const { return oldest == schedule.lanes() || failure != MPI_SUCCESS; }

    //! The library's word, where a message has failed: nothing more is sent or comes in. Else MPI_SUCCESS.
    int error() const { return failure; }

    //! Nobody could be told of an error any more: it ends the job.
    void ends_job_on_error() { name.tells = nullptr; }

    bool needs_us() const override { return !complete(); }
    bool leaving() const override { return !complete(); }
    bool goes_on_in_native_calls() const override { return true; }
    bool reads(Range addresses) const override;
    const void *communicator() const override { return name.communicator; }
    double look_within() const override { return name.look_within; }

private:
    struct State {
        std::uint32_t round = 0; // the next one
        std::uint32_t step = 0;  // of that round, the one that waits for its input
        std::uint32_t open = 0;  // messages that are under way
    };
    // A message that is under way.
    struct Sent {
        std::uint32_t lane;
        const Step *gives; // a result; nullptr: none
    };
    bool may_call_program() const { return !(memories.calls_program && progress::apart); }
    bool has_input(const Step &step) const;
    void go_on_where_input_is();
    void give(const Step &step);
    bool ended(std::size_t lane) const { return states[lane].open == 0 && states[lane].round == schedule.rounds(lane); }
    void begin_lanes();
    void go_on(std::size_t lane);
    void begin(const Step &step, std::size_t lane);
    void under_way(MPI_Request request, const Step &step, std::size_t lane);
    int look_where_agreed();
    bool look();
    const std::byte *source(const Step &step) const;
    std::byte *target(const Step &step) const;

    void check(int error, const Step &step);
    void check_senders() const;
    void give_up(int error, const std::string &why);

    Name name;
    const Schedule &schedule;
    Memories memories;
    mpi::Channel &channel;
    mpi::Channel::Ticket ticket;
    std::size_t window;
    std::unique_ptr<std::byte[]> scratch;
    std::vector<State> states; // of the lanes that have begun
    std::size_t oldest = 0;    // all lanes before have ended
    std::vector<MPI_Request> requests;
    std::vector<Sent> sent; // by each request
    mpi::Completion completion;
    int failure = MPI_SUCCESS;
    std::function<bool(int)> may_look_at;

    Listener *listener;
    bool fed;
    RangeSet input, missing_;
    std::vector<std::uint32_t> hungry; // lanes that wait for input
    std::size_t since_look = 0;        // bytes that became ready
};

} // namespace stretto::schedule
