#pragma once
#include "message/envelope.h"
#include "message/header.h"
#include "mpi/type_map.h"
#include "progress/progress.h"
#include "range/range_set.h"
#include "settings/settings.h"
#include "trace/failure.h"
#include "trace/report.h"
#include "transport/one_sided.h"
#include "trigger/registry.h"
#include "tune/delta_size.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stretto::message {

//! How large a first fragment of a message of this type may be so that it ends on an element border (rule 5): F or 0
//! bytes of data; nothing when neither length does.
std::optional<std::size_t> first_bytes(const mpi::TypedBuffer &data);

//! Would this plain message be taken for a first fragment? Then it must leave framed (rule 2, escape).
bool looks_framed(const mpi::TypedBuffer &data);

//! Receives whose calls have returned before their match. Meanwhile nothing that comes behind one may leave that anybody could notice (rule 12):
//! no first fragment. Deltas may, which nobody receives without one. What comes before it leaves: its match may wait for that.
inline std::size_t unmatched = 0;

//! A receive returns before its match: its number, in the order of the program. And its match is here: what was held back for it alone leaves.
std::uint64_t is_unmatched();
void is_matched(std::uint64_t number);

//! \brief A framed message on its way out: its first fragment on the program's communicator, then its deltas.
//!
//! An ordinary message is ready from the start. A delta send becomes ready by and by: ready() says which bytes, end() that all are.
//! Its header is held back until a delta is full, or until anything else might depend on its place in MPI's order.
class Send final : public progress::Task, public trigger::Sender {
public:
    enum class Kind { ordinary, escaped, escaped_synchronous, delta };

    //! Begin to send, or nothing when no tags are free (rule 6) or no border fits (rule 5): then it must go native.
    //! paged: of a delta send whose pages will say what is ready.
    static Send *begin(const mpi::TypedBuffer &data, const Envelope &to, mpi::Peer &peer, Kind kind,
                       CallSite site = nullptr, bool paged = false);

    //! Delta send: these bytes of the message are final.
    void ready(Range range, CallSite site) override;

    //! Delta send: it will not end shorter than it began. Before anything is said of it.
    void set_known_size() { has_known_size = true; }

    //! The same of bytes that are told by their place in the message, also where that is not one piece of memory.
    void are_final(Range range, CallSite site);

    //! Delta send: the message is its first `bytes` bytes, all final.
    void end(std::size_t bytes);

    //! Delta send: take the place in MPI's order now, if that has not happened.
    void take_place();

    bool poll() override;
    // Copies that the peer will never receive (its receive was truncated natively, rule 14) are no reason to wait; MPI_Finalize
    // asks leaving() for them, and takes them in.
    bool needs_us() const override {
        return !may_be_unwanted() && failure == MPI_SUCCESS &&
               (held || !complete() || !all_left() || first != MPI_REQUEST_NULL);
    }
    bool leaving() const override {
        return may_be_unwanted() ? !pending.empty() || marker != MPI_REQUEST_NULL : !finished();
    }
    bool reads(Range addresses) const override;
    const void *communicator() const override { return to.comm.get(); }
    void hand_over() override;

    //! First fragments that were held back leave, in the program's order, as far as each receive that returned before them is matched.
    static void leave_held();

    //! May the program use its buffer again?
    bool complete() const {
        if (failure != MPI_SUCCESS) [[unlikely]]
            return from_buffer == 0;
        return ended && (detached || (all_left() && from_buffer == 0)) &&
               (kind != Kind::escaped_synchronous || acknowledged);
    }

    //! The library's word, where it did not take a part of the message: nothing more of it leaves. Else MPI_SUCCESS.
    int error() const { return failure; }
    //! Has the library called the error handler already?
    bool was_raised() const { return raised; }

    //! MPI_Cancel: it arrives where it is received (rule 15), and nobody waits for that at the end of the job.
    void cancel() { cancelled = true; }

    //! The program is done with it. It stays until its last part is acknowledged, then it goes.
    void release();

    //! Memory that must live as long as the message.
    void keep(std::unique_ptr<std::byte[]> memory) { kept = std::move(memory); }

    //! What has left is compared with what it is at the end, as with STRETTO_DEBUG.
    void check() { checked = true; }

    bool is_delta() const { return kind == Kind::delta; }
    bool has_ended() const { return ended; }
    const Envelope &envelope() const { return to; }
    CallSite begun_at() const { return site; }
    std::size_t bytes() const { return total; }
    std::span<const std::byte> memory() const { return data.memory(); } //!< of the buffer
    std::size_t delta_bytes() const { return delta; }
    double seconds() const; //!< since its begin

private:
    Send(const mpi::TypedBuffer &data, const Envelope &to, mpi::Peer &peer, Kind kind, CallSite site,
         tune::Deltas what);
    ~Send() override;

    struct Delta { // handed to the library, not complete
        MPI_Request request;
        std::size_t bytes;
        std::unique_ptr<std::byte[]> packed; // null: from the program's buffer
    };

    void leave_first(std::size_t n);
    void post_first();
    void hold_back(bool apart);
    bool may_be_unwanted() const { return cancelled && !acknowledged && !held; }
    bool all_left() const { return left_bytes == end_bytes; }
    std::size_t memory_there(std::size_t bytes) const;
    bool fits(std::size_t bytes) const;
    bool may_be_copied(std::size_t bytes) const;
    bool is_copied(std::size_t bytes) const;
    void hold(std::size_t bytes);
    bool leave(std::size_t cell, bool whatever_the_window);
    bool put(std::size_t cell, bool whatever_the_window);
    bool post(std::size_t cell);
    void leave_full(std::size_t from, std::size_t to, bool whatever_the_window);
    void leave_all(bool whatever_the_window);
    void look_at_pending();
    [[noreturn]] void lost() const;
    bool finished() const {
        return !held && complete() && (all_left() || failure != MPI_SUCCESS) && pending.empty() &&
               first == MPI_REQUEST_NULL && marker == MPI_REQUEST_NULL;
    }
    Range cell(std::size_t k) const;
    std::size_t early_cell() const;
    std::size_t cells() const { return end_bytes <= first_data ? 0 : (end_bytes - first_data + delta - 1) / delta; }
    void remember(Range range);
    void compare();
    std::string name() const { return describe("to", to.rank, to.tag); }

    mpi::TypedBuffer data;
    Envelope to;
    mpi::Peer &peer;
    Kind kind;
    CallSite site;
    report::Site *reported = report::current;
    std::size_t total;               // bytes; of a delta send: the most it may be
    std::size_t end_bytes;           // bytes that it really has, once ended; total before
    std::size_t delta;               // bytes of a delta
    std::size_t first_most_here = 0; // F or 0: what the type allows and is worth it
    std::size_t first_data = 0;      // bytes of data in the first fragment
    std::uint32_t tag = 0, tags = 0;
    double begun = 0, looked = 0; // when: at its begin, at what the library still holds

    bool copies = false;        // all deltas leave from copies
    bool placed = false;        // the first fragment has left, or
    bool held = false;          // is held back (rule 12)
    std::uint64_t held_for = 0; // the last receive that had returned before its match
    bool detached = false;      // all of it is a copy
    double may_leave = 0;       // when the next delta may, of a message that is, or was, held back and is detached
    bool ended = false;
    bool has_known_size = false; // before its end, too
    bool orphan = false;
    int failure = MPI_SUCCESS;
    bool raised = false;
    bool cancelled = false;
    bool stalled = false;                     // a ready delta waits for room in the window, or in shared memory
    unsigned looks_for_room = 0;              // there, since it was last full
    transport::one_sided::Outgoing one_sided; // its way, as long as it is that one
    bool acknowledged = true;                 // or needs no acknowledgement
    std::size_t outstanding = 0;              // our part of peer.outstanding

    RangeSet declared;
    std::size_t since_poll = 0; // bytes declared since the library was called last
    std::vector<bool> left;     // by cell
    std::size_t next = 0;       // all cells before have left
    std::size_t early = 0;      // cells from here on leave second
    std::size_t left_bytes = 0; // of the message, the first fragment's included

    alignas(Header) std::byte fragment[first_fragment];
    MPI_Request first = MPI_REQUEST_NULL;
    MPI_Request marker = MPI_REQUEST_NULL;
    std::uint64_t marker_bytes = 0;
    std::vector<Delta> pending;
    std::size_t pending_from = 0;
    std::size_t from_buffer = 0; // deltas of the pending ones
    std::unique_ptr<std::byte[]> kept;
    bool checked = settings.debug;
    std::vector<std::byte> remembered; // if checked: what has left, as it was
    RangeSet remembered_ranges;
};

} // namespace stretto::message
