#pragma once
#include "message/bounce.h"
#include "message/envelope.h"
#include "message/header.h"
#include "mpi/type_map.h"
#include "pages/guard.h"
#include "progress/progress.h"
#include "range/range.h"
#include "trace/failure.h"
#include "trace/report.h"
#include "transport/one_sided.h"
#include "transport/two_sided.h"
#include "trigger/registry.h"
#include "tune/which_release.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stretto::message {

//! When a receive's call returns.
enum class Returns {
    complete,  //!< when all has come
    guarded,   //!< when it is matched: what has not come is guarded, where it can be
    released,  //!< when it is matched, where that pays (Ke et al. 2005)
    unmatched, //!< at once, where nobody asks for its status; else as released
};

//! \brief A receive that may meet a framed message. Its native receive is posted into the program's own buffer; when that has completed
//! with a header in front, the header is lifted out, and the deltas are received where they belong.
class Receive final : public progress::Task, public trigger::Receiver, private transport::one_sided::Incoming {
public:
    enum class State {
        posted,  //!< the native receive is under way
        deltas,  //!< the first fragment has come, deltas have not
        complete //!< status and error say how it ended
    };

    Receive(const mpi::TypedBuffer &data, const Envelope &from, CallSite site = nullptr,
            Returns returns = Returns::complete)
        : data(data), from(from), site(site), returns(returns) {}
    ~Receive() override;

    //! The native receive, posted by whoever made us, ours from now on: the program holds a handle of ours. Of a persistent one its own
    //! handle, which completing leaves inactive.
    void watch(MPI_Request native) {
        first = native;
        state = State::posted;
    }

    //! The native receive goes into memory of ours, of the buffer's size: so progress may touch it while the buffer is guarded, before
    //! anything is known of the message.
    std::byte *set_apart();
    bool is_apart() const { return apart != nullptr; }

    //! The native receive that it watches has completed, which has left this of its request. The receive may be gone then.
    void first_ended(MPI_Request left, const MPI_Status &its_status, int its_error);

    //! The native receive has completed: with a plain message, or with a first fragment.
    void first_came(const MPI_Status &its_status, int its_error);

    //! A message out of the probed list: its first fragment, or all of a plain message.
    void first_listed(const std::byte *fragment, std::size_t bytes, bool framed, const MPI_Status &its_status);

    bool poll() override;
    bool needs_us() const override { return true; }
    const void *communicator() const override { return from.comm.get(); }

    //! Of one that may be released: its call would return now. May it? From then on what has not come is guarded. Not where it cannot
    //! be, where the message's size is not known yet, or where it does not pay; nor as long as bytes are missing on pages that hold other
    //! data too. unmatched: also before anything has come, if it was asked for.
    bool may_run_on(bool unmatched = false);

    //! Its call returns: it goes by itself when it is complete.
    void run_on();

    //! May the program run on, which stops where it touches what has not come?
    bool is_guarded() const { return guard != nullptr; }
    bool edges_arrived() const { return !guard || guard->edges_arrived(); }

    //! Posted and not yet come: is it here now?
    bool look_at_first();

    //! Have these bytes of the message arrived? Looks at no others, but that it polls the library now and then.
    bool arrived(Range range) override { return !missing_in(range); }

    //! The same; if they have not, the first bytes of the message that are not here, as they come together.
    std::optional<Range> missing_in(Range range);
    void waits(bool begins) override;

    State where() const { return state; }
    bool is_complete() const { return state == State::complete; }
    bool is_framed() const { return framed; }
    Returns when() const { return returns; } //!< its call returns; of a framed one, what was decided
    //! Bytes of the message; of one that has not ended yet, the most it may be.
    std::size_t bytes() const { return total; }
    std::size_t delta_bytes() const { return delta; } //!< 0: it comes whole
    const MPI_Status &result() const { return status; }
    int error() const { return failure; }
    //! Has the library called the error handler already?
    bool was_raised() const { return raised; }
    const Envelope &envelope() const { return from; }
    //! The program's.
    const mpi::TypedBuffer &buffer() const { return image ? program : data; }
    //! As long as it has not completed.
    MPI_Request native() const { return first; }

    //! Nobody asks any more: goes when it is complete, its native request with it.
    void abandon();

private:
    void take_image();
    void put_back();
    void read_header(const std::byte *fragment, std::size_t bytes);
    void post();
    void post_until(std::size_t end);
    void post(std::size_t k);
    void give_up(int error);
    bool is_done(transport::State found) const;
    bool look(std::size_t k);
    bool edges_come();
    bool marker_came();
    bool look_at_marker();
    bool has_come(std::size_t k) const { return k < came_bytes.size() && came_bytes[k] != 0; }
    void piece_came(std::uint32_t number, const std::byte *bytes, std::size_t n) override;
    void end_came(std::uint64_t bytes) override;
    void turns_two_sided() override;
    void close_pages(std::size_t here);
    void end_guard();
    void arrive(std::size_t offset, const std::byte *bytes, std::size_t n);
    bool close_all();
    bool follows_another() const;
    bool is_being_sent() const;
    void unpack(const std::byte *start, std::size_t bytes);
    bool was_cancelled() const;
    void come_whole(std::size_t bytes);
    void learn_release();
    report::Fate why_it_waits(double link_rate) const;
    void put_in_place(std::size_t k, std::size_t bytes);
    void finish();
    Range cell(std::size_t k) const;
    std::string name() const { return describe("from", status.MPI_SOURCE, status.MPI_TAG); }
    [[noreturn]] void lost() const;

    mpi::TypedBuffer data;              // where the message is put together: the program's buffer, or
    std::unique_ptr<std::byte[]> image; // all its bytes, where the library alone knows the way into the buffer
    mpi::TypedBuffer program;           // the buffer then
    bounce::Block apart;                // where the native receive goes, if not into the buffer
    Envelope from;
    CallSite site;
    Returns returns;
    report::Site *reported = report::current;
    report::Fate fate = report::Fate::receive_here; // of a message that comes whole before its call may return
    State state = State::posted;
    MPI_Request first = MPI_REQUEST_NULL;
    MPI_Status status{};
    int failure = MPI_SUCCESS;
    bool framed = false;
    bool truncated = false;
    bool raised = false;
    bool orphan = false;
    double matched = 0;

    int peer = 0; // in the private communicator
    std::size_t total = 0, first_data = 0, delta = 0;
    std::uint32_t tag = 0, tags = 0;
    std::size_t cells = 0;      // that will come
    std::size_t posted = 0;     // cells with a receive: all before this one
    std::size_t missing = 0;    // all cells before this one have come
    std::size_t came = 0;       // how many
    std::size_t since_poll = 0; // bytes asked for since the library was called last
    std::vector<MPI_Request> requests;
    const mpi::Peer *one_sided = nullptr;  // who shares the memory in which deltas come, as long as they do
    std::vector<std::uint32_t> came_bytes; // of each cell that came there
    std::vector<bool> here;
    std::vector<bounce::Block> aside; // where cells cannot go straight into the buffer
    pages::Guard *guard = nullptr;    // of what had not come when it began
    std::size_t tail = 0;             // cells from here on come early
    bool ran_on = false;
    std::uint64_t ran_on_unmatched = 0; // its number, until its match
    tune::RunOn run;                    // what that brought
    bool all_came = false;              // the last cell came, as long as it may be: no marker follows
    bool marker_wanted = false;
    unsigned fruitless = 0; // looks since the last cell came
    MPI_Request marker = MPI_REQUEST_NULL;
    std::uint64_t marker_bytes = 0;
    bool marker_is_here = false;
};

//! Receives whose native request is under way, looked at in turn by progress (a few each time: a look costs a poll of the library).
namespace posted {
void add(Receive &receive);
void remove(Receive &receive);
const std::vector<Receive *> &all();
} // namespace posted

} // namespace stretto::message
