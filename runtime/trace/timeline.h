#pragma once
#include "settings/settings.h"

#include <cstddef>

//! \brief When each message was under way and when the program waited: STRETTO_TRACE=folder writes folder/rank-R.json.
namespace stretto::trace {

enum class Direction { send, receive };

//! CLOCK_MONOTONIC, in seconds: the same clock for all ranks of a node, and of the lab.
double now();

inline bool enabled() {
    return settings.trace != nullptr;
}

void start(int rank);
void message(Direction direction, int peer, std::size_t bytes, double begin);
void delta_left(int peer, std::size_t bytes);
void delta_came(int peer, std::size_t bytes);
void waited(double begin);

//! \brief The program waits in MPI as long as this lives.
class Wait {
public:
    Wait() {
        if (enabled()) [[unlikely]]
            begin = now();
    }
    ~Wait() {
        if (enabled()) [[unlikely]]
            waited(begin);
    }

private:
    double begin = 0;
};

void write();

} // namespace stretto::trace
