#include "front/operation.h"

#include "trace/counters.h"

namespace stretto::front {

constinit mpi::RequestTable<Operation> operations;

Operation &new_operation(MPI_Request persistent) {
    auto *operation = new Operation;
    operation->is_ticket = persistent == MPI_REQUEST_NULL;
    operation->handle = operation->is_ticket ? mpi::ticket() : persistent;
    operations.enter(operation->handle, *operation);
    return *operation;
}

void give_status(const MPI_Status &status, MPI_Status *to) {
    if (to == MPI_STATUS_IGNORE) return;
    const int error = to->MPI_ERROR;
    *to = status;
    to->MPI_ERROR = error;
}

int raise(const mpi::Communicator &comm, int error) {
    const progress::LaidDown lock; // the handler may use what is guarded
    mpi::library.Comm_call_errhandler(comm.handle, error);
    return error;
}

int end(message::Send &send) {
    const int error = send.error();
    const bool raises = error != MPI_SUCCESS && !send.was_raised();
    const auto comm = raises ? send.envelope().comm : nullptr;
    send.release();
    return raises ? raise(*comm, error) : error;
}

bool Operation::look(bool releases, bool unmatched) {
    if (waits_for_end || (collective && !collective->complete())) return false;
    bool complete = true;
    if (send) {
        if (!send->complete()) send->poll();
        complete = send->complete();
    }
    if (native_send != MPI_REQUEST_NULL) {
        int done = 0;
        const int error = mpi::library.Test(&native_send, &done, &sent);
        if (done || error != MPI_SUCCESS) native_send_ended(error);
        complete = complete && native_send == MPI_REQUEST_NULL;
    }
    if (receive && !receive->is_complete()) {
        if (receive->where() == message::Receive::State::posted) receive->look_at_first();
        if (receive->where() == message::Receive::State::deltas) receive->poll();
        complete = complete && (receive->is_complete() || (releases && receive->may_run_on(unmatched)));
    }
    return complete;
}

int Operation::finish_receive(MPI_Status *status) {
    if (!receive->is_complete()) {
        receive->run_on();
        give_status(receive->result(), status);
        receive = nullptr;
        return MPI_SUCCESS;
    }
    give_status(receive->result(), status);
    const int error = receive->error();
    const bool was_raised = receive->was_raised();
    const auto comm = receive->envelope().comm;
    progress::remove(*receive);
    delete receive;
    receive = nullptr;
    // Last: the program's handler may leave by an exception or a jump.
    if (error != MPI_SUCCESS && !was_raised) raise(*comm, error);
    return error;
}

// What MPI_Wait says of a send that the library did not send itself: nothing but that it was not cancelled. A null request gives just that.
void Operation::give_send_status(MPI_Status *status) const {
    MPI_Request none = MPI_REQUEST_NULL;
    if (sent_natively)
        give_status(sent, status);
    else
        mpi::library.Wait(&none, status);
}

int Operation::finish(MPI_Request *request, MPI_Status *status) {
    int error = sent_error;
    sent_error = MPI_SUCCESS;
    if (!receive)
        give_send_status(status);
    else if (const int its_error = finish_receive(status); its_error != MPI_SUCCESS)
        error = its_error;
    Failure failure = collective ? collective->failure() : Failure{};
    if (send) {
        if (send->error() != MPI_SUCCESS) {
            error = send->error();
            if (!send->was_raised()) failure = {error, send->envelope().comm};
        }
        send->release();
        send = nullptr;
    }
    copy.reset();
    if (partitioned) {
        partitioned->tell_of_other_side(status);
        if (error != MPI_SUCCESS) {
            partitioned->look_at_error(error);
            failure = {error, partitioned->communicator_used()};
        }
    }
    if (persistent || partitioned || (collective && collective->is_persistent()))
        active = false;
    else {
        operations.erase(handle);
        mpi::give_back(handle);
        *request = MPI_REQUEST_NULL;
        delete this;
    }
    return failure.error == MPI_SUCCESS ? error : raise(*failure.communicator, failure.error);
}

void Operation::peek(MPI_Status *status) {
    if (receive)
        give_status(receive->result(), status);
    else
        give_send_status(status);
    if (partitioned) partitioned->tell_of_other_side(status);
}

void Operation::free(MPI_Request *request) {
    // MPI 4.1, 6.12: while a collective is under way, this is an error of the program's.
    if (collective && active) fail("MPI_Request_free", "a collective operation is under way with this request");
    if (partitioned && active) fail("MPI_Request_free", "a partitioned message is under way with this request");
    operations.erase(handle);
    // The native handle of a persistent receive that is under way goes with the receive.
    const bool goes_later = active && receive && receive->native() != MPI_REQUEST_NULL;
    if (active) {
        if (send || (receive && receive->is_framed())) count(Rule::request_freed);
        if (send && copy) send->keep(std::move(copy));
        if (send) send->release();
        if (receive) receive->abandon();
        if (is_ticket && native_send != MPI_REQUEST_NULL) {
            // The library does not say when it has sent a copy whose request is freed: the copy stays.
            static_cast<void>(copy.release());
            mpi::library.Request_free(&native_send);
        }
    }
    if (is_ticket)
        mpi::give_back(handle);
    else if (!goes_later)
        mpi::library.Request_free(&handle);
    *request = MPI_REQUEST_NULL;
    delete this;
}

int Operation::cancel() {
    MPI_Request native = MPI_REQUEST_NULL;
    if (sent_natively)
        native = native_send;
    else if (receive && receive->where() == message::Receive::State::posted && !send)
        native = receive->native();
    if (native != MPI_REQUEST_NULL) return mpi::library.Cancel(&native);
    if (sent_natively) return MPI_SUCCESS; // it has left
    count(Rule::cancel_framed);
    if (send && !receive) send->cancel();
    return MPI_SUCCESS;
}

} // namespace stretto::front
