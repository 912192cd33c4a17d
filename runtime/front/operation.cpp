#include "front/operation.h"

#include "trace/counters.h"

namespace stretto::front {

mpi::RequestTable<Operation> operations;

Operation &new_operation(MPI_Request native) {
    auto *operation = new Operation;
    operation->is_ticket = native == MPI_REQUEST_NULL;
    operation->handle = operation->is_ticket ? mpi::ticket() : native;
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
    mpi::library.Comm_call_errhandler(comm.handle, error);
    return error;
}

void Operation::wait_for_first() {
    MPI_Request native = receive->native();
    MPI_Status status;
    const int error = mpi::library.Wait(&native, &status);
    receive->first_waited(status, error);
}

bool Operation::look() {
    if (waits_for_end) return false;
    bool complete = true;
    if (started_natively) {
        int done = 0;
        mpi::library.Request_get_status(handle, &done, MPI_STATUS_IGNORE);
        return done;
    }
    if (send) {
        if (!send->complete()) send->poll();
        complete = send->complete();
    }
    if (native_send != MPI_REQUEST_NULL) {
        int done = 0;
        mpi::library.Test(&native_send, &done, MPI_STATUS_IGNORE);
        complete = complete && done;
    }
    if (receive && !receive->is_complete()) {
        if (receive->where() == message::Receive::State::posted) receive->look_at_first();
        if (receive->where() == message::Receive::State::deltas) receive->poll();
        complete = complete && receive->is_complete();
    }
    return complete;
}

namespace {

// Complete a request whose error the program knows already, without raising it again.
int end_quietly(MPI_Request &request, const mpi::Communicator &comm) {
    MPI_Errhandler handler;
    mpi::library.Comm_get_errhandler(comm.handle, &handler);
    mpi::library.Comm_set_errhandler(comm.handle, MPI_ERRORS_RETURN);
    const int error = mpi::library.Wait(&request, MPI_STATUS_IGNORE);
    mpi::library.Comm_set_errhandler(comm.handle, handler);
    mpi::library.Errhandler_free(&handler);
    return error;
}

} // namespace

int Operation::finish_receive(MPI_Status *status) {
    MPI_Request native = receive->native();
    const bool ours = receive->is_framed() || native == MPI_REQUEST_NULL;
    int error = MPI_SUCCESS;
    if (!ours && receive->was_raised()) {
        end_quietly(native, *receive->envelope().comm);
        give_status(receive->result(), status);
        error = receive->error();
#ifndef OPEN_MPI
    } else if (!ours && receive->may_have_been_raised()) {
        error = end_quietly(native, *receive->envelope().comm);
        give_status(receive->result(), status);
#endif
    } else if (!ours) {
        // Its status was seen already, and MPICH tells that of a persistent request only once.
        MPI_Status again;
        error = mpi::library.Wait(&native, &again);
        give_status(error == MPI_SUCCESS ? receive->result() : again, status);
    } else {
        if (native != MPI_REQUEST_NULL) mpi::library.Wait(&native, MPI_STATUS_IGNORE);
        give_status(receive->result(), status);
        error = receive->error();
        if (error != MPI_SUCCESS && !receive->was_raised()) raise(*receive->envelope().comm, error);
    }
    progress::remove(*receive);
    delete receive;
    receive = nullptr;
    return error;
}

int Operation::finish(MPI_Request *request, MPI_Status *status) {
    int error = MPI_SUCCESS;
    if (started_natively) {
        started_natively = active = false;
        MPI_Request native = handle;
        return mpi::library.Wait(&native, status);
    }
    // What MPI_Wait says of a send: nothing but that it was not cancelled. An inactive request gives just that.
    if (!receive) {
        MPI_Request inactive = is_ticket ? handle : MPI_REQUEST_NULL;
        mpi::library.Wait(&inactive, status);
    }
    const bool has_native_handle = !is_ticket && !persistent;
    if (receive) error = finish_receive(status);
    if (send) {
        send->release();
        send = nullptr;
    }
    copy.reset();
    if (persistent) {
        active = false;
        return error;
    }
    operations.erase(handle);
    if (!has_native_handle) mpi::give_back(handle);
    *request = MPI_REQUEST_NULL;
    delete this;
    return error;
}

void Operation::peek(MPI_Status *status) {
    if (started_natively) {
        int done = 0;
        mpi::library.Request_get_status(handle, &done, status);
    } else if (!receive) {
        MPI_Request inactive = MPI_REQUEST_NULL;
        mpi::library.Wait(&inactive, status);
    } else
        give_status(receive->result(), status);
}

void Operation::free(MPI_Request *request) {
    operations.erase(handle);
    const bool native_receives = active && receive && receive->native() != MPI_REQUEST_NULL;
    if (active) {
        if (send || (receive && receive->is_framed())) count(Rule::request_freed);
        if (send && copy) send->keep(std::move(copy));
        // The library does not say when it has sent a copy whose request is freed: the copy stays.
        if (native_send != MPI_REQUEST_NULL) static_cast<void>(copy.release());
        if (send) send->release();
        if (receive) receive->abandon();
        if (native_send != MPI_REQUEST_NULL) mpi::library.Request_free(&native_send);
    }
    // The native handle of a receive that is under way goes with the receive.
    if (is_ticket)
        mpi::give_back(handle);
    else if (!native_receives)
        mpi::library.Request_free(&handle);
    *request = MPI_REQUEST_NULL;
    delete this;
}

int Operation::cancel() {
    if (started_natively) {
        MPI_Request native = handle;
        return mpi::library.Cancel(&native);
    }
    if (receive && receive->where() == message::Receive::State::posted && !send) {
        MPI_Request native = receive->native();
        return mpi::library.Cancel(&native);
    }
    count(Rule::cancel_framed);
    return MPI_SUCCESS;
}

} // namespace stretto::front
