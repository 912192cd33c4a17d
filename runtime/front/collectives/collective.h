// Collectives of the program's that are carried out as schedules of ours (docs/collectives.md).
#pragma once
#include "collective/choice.h"
#include "front/handled.h"
#include "mpi/channel.h"
#include "mpi/communicator.h"
#include "mpi/type_map.h"
#include "schedule/run.h"
#include "settings/settings.h"
#include "trace/report.h"
#include "trigger/registry.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stretto::front {

//! \brief A memory of a collective (schedule::Memory) as the program describes it: blocks of elements. To schedules it is bytes: the
//! program's own, where each block is one piece, else an image of them.
class Side {
public:
    void add(const void *address, MPI_Count count, MPI_Datatype type);

    //! So many blocks of as many elements, one behind the other.
    void add_equal(const void *address, MPI_Count count, MPI_Datatype type, int ranks);

    //! Of each rank a block, displaced by so many extents of the type.
    void add_displaced(const void *address, Integers counts, Integers displacements, MPI_Datatype type, int ranks);

    //! All blocks are there. An image in any case, if it has to be another memory than the program's; with the gaps of its elements, if they
    //! are added up in it.
    void lay_out(bool apart = false, bool gaps = false);

    //! Before a schedule uses it. Not under the lock.
    void settle(bool written) const;

    //! An image after all, with everything where it is in the program's memory. Nothing changes if there is one.
    void set_apart();

    //! The addresses of the program's memory that memory() is, or was before set_apart(). Nothing: it is an image.
    std::optional<Range> span() const;
    //! All bytes there belong to it.
    bool gapless() const { return span() && span()->bytes() == bytes(); }

    //! Something of each block is there, which sets each rank's contribution apart from its call.
    bool has_some_of_each_block(const RangeSet &missing) const;
    //! The same without that of this rank, if each rank has one.
    bool has_some_of_each_other(const RangeSet &missing, int rank, int ranks) const;

    //! All addresses that may belong to it.
    Range addresses() const;

    void fetch() const;   //!< into the image, if there is one
    void deliver() const; //!< out of it

    std::byte *memory() const { return reinterpret_cast<std::byte *>(base); }
    std::size_t bytes() const; //!< of the message

    collective::Blocks equal() const;  //!< where the blocks are that add_equal made
    collective::Blocks ranges() const; //!< of any

private:
    struct Block {
        const void *address;
        MPI_Count count;
        MPI_Datatype type;
        mpi::TypedBuffer elements;
    };

    std::vector<Block> blocks;
    std::vector<Range> places;                  // in memory()
    std::uintptr_t base = 0, programs_base = 0; // 0: its memory is not that of the blocks
    std::unique_ptr<std::byte[]> image;
    bool with_gaps = false;
};

//! May collectives on it that are begun so be ours? The same on all its ranks. Under the lock.
bool may_be_ours(const mpi::Communicator &communicator, Form form);

//! \brief A collective that the program asks for.
struct Asked {
    const char *collective; //!< of the table of algorithms
    std::shared_ptr<mpi::Communicator> communicator;
    collective::Arguments arguments{};
    std::optional<std::size_t> bytes{}; //!< collective::Facts
    Side input{}, output{};
    MPI_Op operation = MPI_OP_NULL;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    bool calls_program = false; //!< the operation is the program's
    bool keeps_order = false;   //!< the result depends on the order in which elements are added up: the library's
    Form form = Form::non_blocking;
    const collective::Algorithm *algorithm = nullptr; //!< that does it, once it is decided that it is ours

    //! A call on a communicator whose collectives may be ours, as far as all ranks know alike; else nothing.
    static std::optional<Asked> on(MPI_Comm comm, const char *collective, const Begins &begins);

    //! On an inter-communicator: arguments.ranks are the remote group's, among which there is no arguments.rank.
    bool between_groups() const { return communicator->between_groups; }

    //! Is one of so many bytes (collective::Facts) worth it?
    bool pays() const;

    //! Seconds that the message, or so many bytes, are on the slowest link.
    double takes() const;
    double takes(std::size_t bytes) const;

    //! For the choice of an algorithm.
    collective::Facts facts(int number = 0) const;

    //! A reduction. False: it is the library's, and not even compared (front/collectives/agreement.h). The same on all ranks, as they give the same arguments.
    bool adds_up(MPI_Op op, MPI_Datatype type);
};

//! \brief What the library said of a message of a collective's that has failed.
struct Failure {
    int error = MPI_SUCCESS;
    std::shared_ptr<mpi::Communicator> communicator{}; //!< whose handler is called
};

//! \brief A collective under way, or a persistent one between two starts: what is behind the program's request.
class Collective {
public:
    Collective() = default;
    virtual ~Collective() = default;
    Collective(const Collective &) = delete;
    Collective &operator=(const Collective &) = delete;

    virtual bool is_persistent() const { return false; }

    //! Are the results where the program wants them? Or will they never come: see failure(). Under the lock.
    virtual bool complete() = 0;

    virtual Failure failure() const { return {}; }
};

class Agreement;

//! \brief One that is carried out as a schedule.
class Scheduled final : public Collective {
public:
    //! Under the lock.
    Scheduled(Asked &&asked, const Begins &begins);
    ~Scheduled() override;

    bool is_persistent() const override { return persistent; }
    bool complete() override;
    Failure failure() const override;

    //! What it uses is settled, and what was released has matched. Not under the lock.
    void prepare() const;

    //! Under the lock. listener, fed: schedule::Run.
    void start(schedule::Listener *listener = nullptr, bool fed = false);

    const Asked &what() const { return asked; }
    std::size_t results() const { return schedule->results().bytes(); } //!< bytes of the output that it writes

    //! Whether pages shall say what of the contribution is final.
    trigger::Watch watch(Trigger said, CallSite site) const;

    //! Its results come into another memory than the program's, and wait there for deliver(). Before it is started.
    void set_apart() { asked.output.set_apart(); }

    //! Somebody else has delivered them.
    void is_delivered() { delivered_by_others = true; }

    //! Could it be carried out without the program's memory, and without its calls? Under the lock.
    bool can_be_detached() const;
    //! So it is: from copies of what it reads, and into an image. Before it is started.
    void detach();

    //! The job ends.
    [[noreturn]] void fail(const std::string &text) const { stretto::fail(name.call, text, name.site); }
    CallSite begun_at() const { return name.site; }

    //! Once it has been started.
    schedule::Run &under_way() { return *run; }

private:
    void report_begin();

    Asked asked;
    schedule::Name name;
    bool persistent, relays = false;
    std::shared_ptr<mpi::Channel> channel;
    mpi::Channel::Ticket ticket{};
    std::size_t copied = 0; // bytes (message/copied.h)
    std::shared_ptr<const schedule::Schedule> schedule;
    std::optional<schedule::Run> run;
    std::unique_ptr<Agreement> agreement; // what it waits for, too
    bool delivered = false, delivered_by_others = false;
    report::Site *reported = nullptr; // where it began, if the program runs on from there
};

//! \brief What a compiler's code does with a blocking collective, beside what the plain call does: so all ranks decide what they decide of that.
struct Compiled {
    bool feeds =
        false; //!< its contribution. Where that cannot be, nothing has been asked of the others, and nothing happens.

    //! Not yet started. Nothing: the collective is the library's, or over.
    std::unique_ptr<Scheduled> scheduled{};
    bool decided = false; //!< all ranks have decided that it is the library's, which they may not be asked again
};

//! MPI's name of an operation of its own; of one of the program's, words that say so.
const char *name_of(MPI_Op op);
bool is_programs_own(MPI_Op op);

//! The run goes on in all calls, and while the library waits, until it is over. Under the lock.
void set_going(schedule::Run &run);
void is_over(schedule::Run &run);

//! Whatever begins; nothing: it is the library's. All that the program asks for is laid out.
std::optional<int> begin(Asked &&asked, const Begins &begins, MPI_Request *request);

} // namespace stretto::front
