//! \brief Joins, for the report, a call that waits with the calls that began what it waits for (docs/report.md).
#pragma once
#include "mpi/library.h"
#include "trace/report.h"

#include <cstddef>

namespace stretto::front {

//! \brief A call that begins requests: who waits for them waits for a message of this call. Nothing without a report.
class RequestsBegun {
public:
    RequestsBegun(const report::Call &call, int count, const MPI_Request *requests)
        : site(call.where()), count(count), requests(requests) {}
    ~RequestsBegun() {
        if (site) [[unlikely]]
            enter();
    }
    RequestsBegun(const RequestsBegun &) = delete;
    RequestsBegun &operator=(const RequestsBegun &) = delete;

private:
    void enter() const;
    report::Site *site;
    int count;
    const MPI_Request *requests;
};

//! \brief How much of several requests a call waits for. MPI_Request_free: for none, and they are forgotten.
enum class Awaits { all, any, none };

//! \brief A call that completes requests. Of all, the first that is not complete has the time until it is; of any, the first that it
//! completes. Nothing without a report.
class RequestsAwaited {
public:
    RequestsAwaited(const report::Call &call, int count, const MPI_Request *requests, Awaits awaits = Awaits::all)
        : site(call.where()) {
        if (site) [[unlikely]]
            begin(count, requests, awaits);
    }
    ~RequestsAwaited() {
        if (site) [[unlikely]]
            end();
    }
    RequestsAwaited(const RequestsAwaited &) = delete;
    RequestsAwaited &operator=(const RequestsAwaited &) = delete;

    //! All requests before this one are complete.
    static void now_for(std::size_t request) {
        if (any) [[unlikely]]
            wait_for(request);
    }

    //! Let the library complete one after the other, where that tells more than its own wait. They stay the program's to complete.
    void in_order() const {
        if (site) [[unlikely]]
            look_in_order();
    }

private:
    void begin(int count, const MPI_Request *requests, Awaits awaits);
    void end();
    static void wait_for(std::size_t request);
    static void look_in_order();

    static inline constinit thread_local bool any = false;
    report::Site *site;
};

} // namespace stretto::front
