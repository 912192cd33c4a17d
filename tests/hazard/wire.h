// A toy network, and what comes over it.
#pragma once
#include "memory.h"
#include "pages/guard.h"
#include "pages/quiet.h"

#include <deque>
#include <mutex>
#include <random>
#include <vector>

namespace stretto::pages {

//! A toy network: what it still has comes a piece at a time, whenever somebody drives progress.
class Wire {
public:
    struct Piece {
        Guard *guard;
        std::size_t offset;
        std::vector<char> bytes;
    };

    //! As DESIGN.md says: all signals are blocked while it is held.
    class Lock {
        Quiet quiet;
        std::lock_guard<std::mutex> lock{one_lock};
    };

    static void until(Range, bool (*done)(void *), void *what) {
        for (;;) {
            {
                Lock lock;
                if (done(what)) return;
                if (!pieces.empty() && flows) deliver();
            }
            sched_yield();
        }
    }

    //! The message is sent in pieces of so many bytes: byte k of it is content(k). Its first ones are here already.
    static Guard *receive(char *buffer, std::size_t bytes, std::size_t piece, std::size_t here = 0) {
        return receive(buffer, bytes, piece, Coming{.here = here}, bytes);
    }

    //! One that turns out to have so many bytes only.
    static Guard *receive(char *buffer, std::size_t most, std::size_t piece, Coming coming, std::size_t bytes) {
        Lock lock;
        for (std::size_t k = 0; k < coming.here; k++) buffer[k] = content(k);
        Guard *guard = Guard::begin(buffer, most, coming);
        for (std::size_t at = coming.here; at < bytes; at += piece) {
            Piece next{guard, at, {}};
            for (std::size_t k = at; k < std::min(at + piece, bytes); k++) next.bytes.push_back(content(k));
            pieces.push_back(std::move(next));
        }
        return guard;
    }

    static char content(std::size_t k) { return static_cast<char>(k * 2654435761u >> 13 | 1); }

    static void shuffle() {
        std::mt19937 random(1);
        std::shuffle(pieces.begin(), pieces.end(), random);
    }

    static void deliver() {
        const Piece piece = std::move(pieces.front());
        pieces.pop_front();
        arrived &= piece.guard->arrive(piece.offset, piece.bytes.data(), piece.bytes.size());
    }

    static void deliver_all() {
        Lock lock;
        while (!pieces.empty()) deliver();
    }

    static void end(Guard *guard) {
        Lock lock;
        guard->end();
    }

    static void wait_for_edges(Guard *guard) {
        until(
            {}, [](void *g) { return static_cast<Guard *>(g)->edges_arrived(); }, guard);
    }

    static inline std::mutex one_lock;
    static inline volatile std::sig_atomic_t flows = 1;
    static inline std::deque<Piece> pieces;
    static inline bool arrived = true;
};

//! Byte k of this buffer is byte k of the message.
inline testing::AssertionResult is_message(const char *buffer, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k++)
        if (read_from(buffer + k) != Wire::content(k))
            return testing::AssertionFailure()
                   << "byte " << k << " of " << bytes << " is " << int(buffer[k]) << ", not " << int(Wire::content(k));
    return testing::AssertionSuccess();
}

} // namespace stretto::pages
