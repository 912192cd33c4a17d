// Partitioned communication (MPI 4.1, chapter 4): a persistent message whose sender says of one part after the other that it is final, and whose
// receiver asks for one part after the other. That is a delta message, so it is one (docs/partitioned.md).
#pragma once
#include "front/partitioned/pairing.h"
#include "message/receive.h"
#include "message/send.h"
#include "mpi/library.h"
#include "trace/failure.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stretto::front {

class Operation;

//! \brief A partitioned operation, from its initialization until its request is freed. Its message of one start is the Operation's `send` or
//! `receive`.
class Partitioned : public progress::Task {
public:
    struct Arguments {
        bool sends;
        const void *buf;
        int partitions;
        MPI_Count count; //!< elements of a partition
        MPI_Datatype type;
        std::shared_ptr<mpi::Communicator> comm;
        int rank, tag; //!< of the other side; MPI_PROC_NULL too
        CallSite site;
    };

    //! Under the lock. operation: has the program's request, and this.
    Partitioned(const Arguments &arguments, Operation &operation);
    ~Partitioned() override;

    bool sends() const { return its.sends; }
    bool has(int partition) const { return partition >= 0 && partition < its.partitions; }
    int partitions() const { return its.partitions; }
    const std::shared_ptr<mpi::Communicator> &communicator_used() const { return its.comm; }

    //! MPI_Start. Not under the lock. An error is the library's.
    int start();

    //! MPI_Pready: this partition's memory is final. Any thread; takes the lock only where enough is final to leave.
    void ready(int partition, const char *call);

    //! MPI_Parrived. Looks. Under the lock.
    bool arrived(int partition);

    //! MPIX_Parrived_any: a partition that has arrived, each once a start. MPI_UNDEFINED: all were told. Nothing: none yet. Looks. Under the lock.
    std::optional<int> any_arrived();

    //! What the status says of the other side, which is another one for the library. Not of MPI_STATUS_IGNORE.
    void tell_of_other_side(MPI_Status *status) const;

    //! Its receive ended in this error. Of a message that is longer the program is told.
    void look_at_error(int error) const;

    //! Of a send that waits for its end: "partition 3 of 8 ... is not ready".
    std::string what_is_missing() const;

    // As a task: a started receive that waits to hear of its sender.
    bool poll() override;
    bool needs_us() const override { return true; }
    bool goes_on_in_native_calls() const override { return true; }
    const void *communicator() const override { return its.comm.get(); }

    //! The one of this request, if it is known without the lock.
    static Partitioned *quickly(MPI_Request request);
    static void remember(Partitioned &partitioned);

private:
    int start_send();
    int start_receive();
    void listen();
    void begin_receive();
    bool is_active() const;
    bool is_here(int partition) { return !missing_of(partition); }
    std::optional<Range> missing_of(int partition);
    std::optional<int> take_one_that_is_here();
    bool hear();
    void leaves(std::size_t group);
    void all_are_ready();
    Range range_of(int partition) const;
    std::size_t bytes() const { return static_cast<std::size_t>(its.partitions) * partition_bytes; }
    void group_by(std::size_t delta);
    const void *memory_of(int partition) const;
    std::string message() const; //!< "the message to rank 1 (tag 7)"
    [[noreturn]] void is_misused(const char *call, int partition, const char *how) const;

    Arguments its;
    Operation &operation;
    const mpi::OwnType type;
    std::size_t partition_bytes = 0;
    pairing::Name name{};
    int way = MPI_PROC_NULL; // rank in Job::partitioned
    int way_tag = 0;         // 0: not yet known

    // Of a receive. While a started one does not know its tag, operation.waits_for_end.
    bool was_started = false;
    bool asks = false;                      //!< the program has asked for a partition
    std::optional<std::vector<int>> untold; // since its start by any_arrived(), upwards; nothing: all
    message::Returns when = message::Returns::complete;

    // Of a send that is started. A group of partitions leaves together: it fills a delta.
    struct Group {
        std::atomic<int> missing;
    };
    int in_group = 1;
    std::vector<std::atomic<bool>> marked; // by partition
    std::vector<Group> groups;
    std::atomic<std::size_t> missing_groups = 0;
};

} // namespace stretto::front
