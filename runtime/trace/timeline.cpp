#include "trace/timeline.h"

#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

namespace stretto::trace {

namespace {

struct Event {
    const char *kind;
    int peer;
    std::size_t bytes;
    double begin, end;
};
std::mutex mutex; // a thread waits outside the one lock
constinit std::vector<Event> events;
int rank = 0;
double epoch = 0;

void add(const Event &event) {
    const std::lock_guard lock(mutex);
    events.push_back(event);
}

} // namespace

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void start(int its_rank) {
    rank = its_rank;
    epoch = now();
    events.clear();
}

void message(Direction direction, int peer, std::size_t bytes, double begin) {
    add({direction == Direction::send ? "send" : "receive", peer, bytes, begin, now()});
}

void delta_left(int peer, std::size_t bytes) {
    const double t = now();
    add({"delta_left", peer, bytes, t, t});
}

void delta_came(int peer, std::size_t bytes) {
    const double t = now();
    add({"delta_came", peer, bytes, t, t});
}

void waited(double begin) {
    add({"wait", -1, 0, begin, now()});
}

void write() {
    if (!enabled()) return;
    const std::string path = std::string(settings.trace) + "/rank-" + std::to_string(rank) + ".json";
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::fprintf(stderr, "stretto: STRETTO_TRACE: cannot write %s\n", path.c_str());
        return;
    }
    std::fprintf(file, "{\"rank\":%d,\"epoch\":%.9f,\"events\":[", rank, epoch);
    const char *comma = "";
    for (const Event &e : events) {
        std::fprintf(file, "%s\n{\"kind\":\"%s\",\"begin\":%.9f,\"end\":%.9f", comma, e.kind, e.begin, e.end);
        if (e.peer >= 0) std::fprintf(file, ",\"peer\":%d,\"bytes\":%zu", e.peer, e.bytes);
        std::fprintf(file, "}");
        comma = ",";
    }
    std::fprintf(file, "]}\n");
    std::fclose(file);
}

} // namespace stretto::trace
