// MPI begins with an object at namespace scope and ends with it, or in a function of atexit: both send. Prints OK.
#include "exchange.h"

#include <cstdio>
#include <unistd.h>

static void check(int wrong) {
    if (!wrong) return;
    std::fputs("messages before or after main were wrong\n", stderr);
    _exit(3);
}

static void end() {
    check(exchange());
    MPI_Finalize();
}

struct Session {
    Session() {
        MPI_Init(nullptr, nullptr);
        check(exchange());
    }
    ~Session() {
        if (!ended) end();
    }
    bool ended = false;
};

static Session session;

int main(int argc, char **) {
    check(exchange());
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::puts("OK");
    std::fflush(stdout);
    if (argc > 1) {
        session.ended = true;
        std::atexit(end);
    }
}
