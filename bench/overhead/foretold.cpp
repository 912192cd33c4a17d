// foretold: the bytes that the runtime gives a delta of an annotated message (runtime/tune/delta_size.h), as one line of JSON. No MPI.
//
//     foretold BYTES RATE SECONDS      a message of so many bytes; a link of so many bytes per second; seconds in which one was computed
//
//   model     at first, of message and link alone
//   learnt    once messages have been computed in so many seconds
#include "tune/delta_size.h"

#include <cstdio>
#include <cstdlib>

namespace {

// What every link that frames takes at least: it bounds no delta that the model wants.
constexpr std::size_t eager = 16320;
constexpr int messages = 16;

} // namespace

int main(int argc, char **argv) {
    using namespace stretto::tune;
    const double total = argc == 4 ? std::atof(argv[1]) : 0, rate = argc == 4 ? std::atof(argv[2]) : 0;
    const double seconds = argc == 4 ? std::atof(argv[3]) : 0;
    if (total < 1 || rate <= 0 || seconds <= 0) {
        std::fprintf(stderr, "foretold: want BYTES RATE SECONDS, all above 0\n");
        return 2;
    }
    const auto bytes = static_cast<std::size_t>(total);
    const stretto::CallSite site = argv; // any
    const std::size_t model = delta_bytes(bytes, 0, eager, rate, site);
    for (int k = 0; k < messages; k++) learn(site, bytes, seconds);
    std::printf("{\"model\":%zu,\"learnt\":%zu}\n", model, delta_bytes(bytes, 0, eager, rate, site));
    return 0;
}
