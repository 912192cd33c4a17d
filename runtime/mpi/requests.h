#pragma once
#include "mpi/library.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace stretto::mpi {

//! \brief A request for what has no native one (a delta send, a framed send, a receive served from the probed list): an inactive
//! persistent request, a real and unique handle that every MPI function takes. Out of a pool.
MPI_Request ticket();
void give_back(MPI_Request ticket);
//! Free the pool, before MPI_Finalize.
void free_tickets();

inline std::uint64_t hash(MPI_Request request) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &request, sizeof request);
    return bits * 0x9e3779b97f4a7c15u >> 32;
}

//! \brief From a request's handle to what we know of it. Open addressing: a look-up is one or two cache lines.
template <class Value>
class RequestTable {
public:
    Value *find(MPI_Request request) const {
        if (used == 0) return nullptr;
        for (std::size_t at = home(request);; at = (at + 1) & (slots.size() - 1)) {
            if (!slots[at].value) return nullptr;
            if (slots[at].request == request) return slots[at].value;
        }
    }
    void enter(MPI_Request request, Value &value) {
        if (2 * (used + 1) > slots.size()) grow();
        std::size_t at = home(request);
        while (slots[at].value) at = (at + 1) & (slots.size() - 1);
        slots[at] = {request, &value};
        used++;
    }
    void erase(MPI_Request request) {
        if (used == 0) return;
        const std::size_t mask = slots.size() - 1;
        std::size_t at = home(request);
        while (slots[at].value && slots[at].request != request) at = (at + 1) & mask;
        if (!slots[at].value) return;
        used--;
        // Close the gap: what stands behind it and does not belong there moves up.
        for (std::size_t other = (at + 1) & mask; slots[other].value; other = (other + 1) & mask)
            if (((other - home(slots[other].request)) & mask) >= ((other - at) & mask)) {
                slots[at] = slots[other];
                at = other;
            }
        slots[at] = {};
    }
    std::size_t size() const { return used; }

private:
    struct Slot {
        MPI_Request request{};
        Value *value = nullptr;
    };
    std::size_t home(MPI_Request request) const { return hash(request) & (slots.size() - 1); }
    void grow() {
        std::vector<Slot> old(slots.empty() ? 64 : 2 * slots.size());
        old.swap(slots);
        used = 0;
        for (Slot &slot : old)
            if (slot.value) enter(slot.request, *slot.value);
    }
    std::vector<Slot> slots;
    std::size_t used = 0;
};

} // namespace stretto::mpi
