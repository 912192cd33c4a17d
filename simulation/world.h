#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <ucontext.h>
#include <vector>

//! \brief Many ranks in one process and one thread: a simulated MPI library over a simulated network, in virtual time.
//!
//! Each rank is a fiber with a clock of its own. The one whose clock is least runs, until a call of the library takes it beyond another's.
//! What a call takes, and how long a message is on its way, comes from a seed: the same seed repeats the same order of everything.
//! A rank's library moves only while that rank is in a call, as most do: a rendezvous, or the end of a synchronous send, needs both ranks there.
namespace simulation {

class Random {
public:
    explicit Random(std::uint64_t seed) : state(seed) {}
    std::uint64_t next() { // splitmix64
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t n) { return next() % n; }
    double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    bool chance(double p) { return real() < p; }

private:
    std::uint64_t state;
};

//! What the network and the library are like. Seconds and bytes.
struct Model {
    double latency = 20e-6, jitter = 0; //!< of a message on its way, and the most that is added by chance
    double rate = 1e9;                  //!< bytes per second, from one rank to another
    double call = 0.2e-6, stall = 0;    //!< of a call of the library; and the most that one in eight takes besides
    std::size_t eager = 65536;          //!< larger ones wait for their receive
    bool one_node = false;              //!< all ranks share memory; else each is on a node of its own
    bool completes = true;              //!< an eager send is complete at once; else when the receiver has it
    enum Fault {
        none,
        twice,
        overtakes,
        lost,
        unsaid
    } fault = none; //!< so that one sees the checks find it: of one message in fifty
};

//! A message, from its send on until it is received.
struct Message {
    int from, to, context, tag;
    std::vector<std::byte> data;
    bool waits_for_receive = false; // rendezvous
    int send = 0;                   // request of the sender, 0: it is complete
    int receive = 0;                // request that it has matched
};

struct Request {
    enum Kind { send, receive, meeting } kind = send;
    bool active = true, done = false, orphan = false, persistent = false, cancelled = false;
    // of a receive, and what a persistent one starts anew
    void *buffer = nullptr;
    std::size_t bytes = 0;
    int context = 0, peer = 0, tag = 0, from_world = 0; // wanted
    int source = MPI_PROC_NULL, its_tag = MPI_ANY_TAG, error = MPI_SUCCESS;
    std::size_t received = 0;
    std::function<void(std::size_t)> unpack{};      // what came in one piece, to where its type says
    std::function<std::vector<std::byte>()> pack{}; // a persistent send's data
    std::function<bool()> met{};                    // of a collective: is it done?
};

struct Communicator {
    int context;
    std::vector<int> world; // rank of the world by rank
};

//! Of a rank of the world; MPI_PROC_NULL if it is not in `comm`.
int local_rank(const Communicator &comm, int world_rank);

//! A collective call under way.
struct Meeting {
    std::size_t arrived = 0;
    double last = 0; // when the last rank came
    std::vector<const void *> in;
    std::vector<void *> out;
    int made = 0; // a communicator
    bool finished = false;
};

struct Event {
    enum Kind {
        comes,
        may_come,
        bytes_come,
        has_come
    } kind; // the message; that its receive is there; its bytes; that it was received
    std::shared_ptr<Message> message;
};

struct Rank {
    int number = 0;
    double clock = 0;
    ucontext_t context{};
    std::vector<std::byte> stack;
    bool ended = false;
    std::string doing;  // what it is in, where it hangs
    bool waits = false; // for what may come; since when
    double waits_from = 0;
    double expects = 1e300;   // when something comes that is in no inbox: the end of a collective
    bool sees_time = false;   // it has looked at the clock since it had nothing to do: perhaps it waits for an instant
    unsigned idle = 0;        // looks in a row at which nothing had come
    std::uint64_t ticket = 0; // among ranks whose clocks are equal
    std::uint64_t coming = 0, looks = 0; // World's then; its steps since
    double out_free = 0, in_free = 0;    // when its link is free, each way
    std::multimap<double, Event> inbox;
    std::deque<std::shared_ptr<Message>> unexpected;
    std::deque<int> posted;                 // requests
    std::map<int, unsigned> meetings;       // that it has had, by context
    std::list<std::function<bool()>> hooks; // that its library calls whenever it looks, until one says that it is done
    bool in_hooks = false;
};

class World {
public:
    World(int ranks, const Model &model);

    //! Runs one function on each rank until all have returned. False: nothing can move any more; what hangs is told.
    bool run(const std::function<void(int rank)> &each, std::uint64_t seed);

    //! The current rank goes on later: a call has taken so long, or it computes.
    void spend(double seconds);
    //! It has nothing to do until something comes.
    void idle();
    //! Calls of the library: time passes, and what has come is taken in.
    void enter();
    template <class Done>
    void wait(Done done) {
        for (enter(); !done(); enter()) idle();
    }

    //! The request is a new one, or a persistent one that starts.
    int isend(std::vector<std::byte> data, int to, int tag, const Communicator &comm, bool synchronous,
              int request = 0);
    void start_receive(int handle);
    int new_request(Request request);
    Request &request(int handle);
    bool finish(MPI_Request *handle, MPI_Status *status, int *error); // if it is done
    std::shared_ptr<Message> find(int source, int tag, const Communicator &comm, bool take);
    std::shared_ptr<Meeting> meet(int comm, const void *in, void *out,
                                  const std::function<void(Meeting &, const Communicator &)> &all);
    bool is_over(const Meeting &meeting);
    void cancel(int handle);
    void receive_matched(const std::shared_ptr<Message> &message, int handle);

    int new_communicator(Communicator communicator); //!< by the handle of one that was freed, if there is one
    void free_communicator(int handle) { free_communicators.push_back(handle); }
    Communicator &communicator(int handle);

    Rank &me() { return *ranks[static_cast<std::size_t>(current)]; }
    const Rank &me() const { return *ranks[static_cast<std::size_t>(current)]; }
    double now() const { return running ? me().clock : latest; }
    //! What is left although all that was sent should have been received, or "".
    std::string leftover() const;
    std::vector<int> contexts; //!< of the program: what comes on others may stay

    Model model;
    Random random{1};
    int current = 0;
    bool running = false;
    std::uint64_t steps = 0;

private:
    void go_on();
    void leave();
    int first_in_line();
    void something_comes();
    bool is_quiet();
    void switch_to(int rank);
    void line_up(Rank &rank);
    void wake(Rank &rank, double when);
    void arrive(Event event);
    void send_event(int from, int to, std::size_t bytes, Event event);
    void take(const std::shared_ptr<Message> &message, int handle);
    void complete(int handle);

    std::vector<std::unique_ptr<Rank>> ranks;
    std::vector<double> last_arrivals; // from one to another: messages come in order, as on one connection
    std::set<std::tuple<double, std::uint64_t, int>> line; // of ranks that are not running and have not ended
    std::vector<std::unique_ptr<Request>> requests;
    std::vector<int> free_requests;
    std::vector<Communicator> communicators;
    std::vector<int> free_communicators;
    std::map<std::pair<int, unsigned>, std::shared_ptr<Meeting>> meetings;
    std::function<void(int)> each;
    ucontext_t back{};
    std::uint64_t quiet = 0;  // steps since anything came
    std::uint64_t coming = 0; // how often anything has
    double latest = 0;
    bool hangs = false;
    friend void fiber();
};

extern World *world;

} // namespace simulation
