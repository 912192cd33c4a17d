#pragma once
#include "world.h"

#include <string>
#include <vector>

namespace simulation {

//! \brief A random program of messages and collectives, whose outcome MPI determines. They have a global order in which each rank comes to its part
//! of each, so that no program waits for ever, however little a library buffers.
struct Program {
    enum Send {
        send,
        isend,
        isend_freed,
        ssend,
        issend,
        send_init,
        send_half,
        delta_send,
        delta_send_variable,
        partitioned
    };
    enum Receive {
        recv,
        irecv,
        recv_init,
        recv_half,
        probe_recv,
        mprobe_mrecv,
        improbe_imrecv,
        delta_recv,
        delta_recv_needed,
        precv //!< of a partitioned send, which no other receive meets
    };
    enum Collective {
        none,
        barrier,
        bcast,
        gather,
        scatter,
        allgather,
        alltoall,
        reduce,
        allreduce,
        reduce_scatter_block,
        scan,
        exscan,
        // what all ranks do, and is none: a shift by MPI_Sendrecv_replace, one on a communicator that is freed then, a receive that is cancelled
        shift,
        shift_on_a_twin,
        cancel
    };
    enum Form { blocking, later, delta };
    enum Forged { no, of_this_job, of_another_job };

    //! Or a collective: `bytes` is then a block's or a result's, from the root.
    struct Message {
        int id, from, to, tag, comm;
        std::size_t bytes;    //!< that are sent
        std::size_t capacity; //!< of the receive; less: it is truncated
        Send send;
        Receive receive;
        bool any_source, any_tag;
        int send_waits,
            receive_waits; //!< for what is not blocking: so many of this rank's later steps come before its wait
        bool together;     //!< it is waited for with others, by MPI_Waitall
        bool send_strided, receive_strided; //!< of a type with gaps
        Forged forged;                      //!< it looks like one of the protocol's own
        int late; //!< so many of the messages behind it are begun before its receive: the library has it until then
        Collective collective;
        Form form;
        int root;
        double before_send, before_receive; //!< seconds of computation
        unsigned
            pieces; //!< in which a delta send's bytes are said to be final, or a receive's are needed; a sender's partitions
        unsigned asked;    //!< a receiver's partitions, who asks for each if they are more than one
        bool backwards;    //!< from the last piece to the first
        bool gone = false; //!< left out, to make a failing program smaller
    };
    std::vector<Message> messages;
    int ranks = 0;

    Program(std::uint64_t seed, int ranks, bool keeps); //!< keeps: an eager send is complete at once
    std::string text() const;
};

//! A rank's libstretto: its own copy, with its own state.
struct Functions;
Functions *load(void *library);
void initialize(Functions &mpi); //!< MPI_Init, and the communicators of programs
void finalize(Functions &mpi);
//! Before all ranks perform it.
void begin(const Program &program);
//! Does what this rank does in the program. What goes wrong is appended to `wrong`.
//! is_last: MPI_Finalize comes behind it, and brings to an end what nobody waits for.
void perform(const Program &program, int rank, Functions &mpi, std::string &wrong, bool is_last = false);

} // namespace simulation
