#include "front/collectives/agreement.h"

#include "front/enter.h"
#include "front/entry.h"
#include "front/operation.h"
#include "front/system/pages.h"
#include "progress/helper.h"
#include "trace/source.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stretto::front {

namespace {

//! \brief What a rank says to another one.
struct Word {
    char call[40];         //!< without _c: both forms match
    char operation[24];    //!< of a reduction
    std::int64_t root;     //!< 0 where there is none
    std::uint64_t gives;   //!< bytes that it has for the other one, by their type signature
    std::uint64_t expects; //!< bytes that it wants of the other one
    std::uint64_t bytes;   //!< that all ranks give alike, 0 where there are none
    std::uint64_t counts;  //!< a hash of those
    std::uint64_t offset;  //!< of the call
    char object[400];      //!< in this file; if that has a longer name, in one that ends so
};
static_assert(sizeof(Word) == 512);

template <std::size_t n>
void write(char (&to)[n], std::string_view text) {
    std::memcpy(to, text.data(), std::min(text.size(), n - 1));
}

std::uint64_t by_signature(const Asked &asked, std::size_t bytes) {
    if (asked.operation == MPI_OP_NULL) return bytes;
    return bytes / asked.arguments.unit * mpi::type_map(asked.element).bytes();
}

// Each rank contributes as many elements, for all.
bool is_symmetric(std::string_view collective) {
    return collective == "allreduce" || collective == "scan" || collective == "exscan";
}

std::size_t gives(const Asked &asked, int to) {
    const std::string_view collective = asked.collective;
    const collective::Arguments &call = asked.arguments;
    const std::size_t own = call.in_place ? call.from[call.rank].bytes() : asked.input.bytes();
    if (collective == "bcast") return call.rank == call.root ? call.bytes : 0;
    if (collective == "scatter") return call.rank == call.root ? call.to[to].bytes() : 0;
    if (collective == "gather") return to == call.root ? own : 0;
    if (collective == "reduce") return to == call.root ? call.bytes : 0;
    if (collective == "allgather") return own;
    if (collective == "alltoall" || collective == "reduce_scatter") return call.to[to].bytes();
    return is_symmetric(collective) ? call.bytes : 0;
}

std::size_t expects(const Asked &asked, int from) {
    const std::string_view collective = asked.collective;
    const collective::Arguments &call = asked.arguments;
    if (collective == "bcast") return from == call.root ? call.bytes : 0;
    if (collective == "scatter")
        return from != call.root ? 0 : call.in_place ? call.to[call.rank].bytes() : asked.output.bytes();
    if (collective == "gather") return call.rank == call.root ? call.from[from].bytes() : 0;
    if (collective == "reduce") return call.rank == call.root ? call.bytes : 0;
    if (collective == "allgather" || collective == "alltoall") return call.from[from].bytes();
    if (collective == "reduce_scatter") return call.to[call.rank].bytes();
    return is_symmetric(collective) ? call.bytes : 0;
}

// By FNV-1a: of the blocks that all ranks know alike, since each gets all of them, or has a part in each.
std::uint64_t hash_of_counts(const Asked &asked) {
    const std::string_view collective = asked.collective;
    std::uint64_t hash = 14695981039346656037u;
    if (collective != "allgather" && collective != "reduce_scatter") return hash;
    const collective::Blocks &blocks = collective == "allgather" ? asked.arguments.from : asked.arguments.to;
    for (int rank = 0; rank < asked.arguments.ranks; rank++)
        hash = (hash ^ by_signature(asked, blocks[rank].bytes())) * 1099511628211u;
    return hash;
}

// A word to each other rank, and one from each.
schedule::Schedule exchange(const collective::Arguments &call, int tag) {
    using schedule::Memory;
    schedule::Builder build;
    build.lane(static_cast<std::size_t>(tag));
    const auto at = [](int rank) { return static_cast<std::size_t>(rank) * sizeof(Word); };
    // A remote group's ranks are all others.
    for (int distance = call.rank == MPI_PROC_NULL ? 0 : 1; distance < call.ranks; distance++) {
        const int before = call.after(-distance), after = call.after(distance);
        build.receive({Memory::output, at(before)}, sizeof(Word), before);
        build.send({Memory::input, at(after)}, sizeof(Word), after);
    }
    return build.finish();
}

// What this rank says to each.
std::vector<Word> words(const Asked &asked, const Begins &begins, CallSite site) {
    Word word{};
    const std::string_view name = begins.call;
    write(word.call, name.substr(0, name.size() - (name.ends_with("_c") ? 2 : 0)));
    if (asked.operation != MPI_OP_NULL) write(word.operation, name_of(asked.operation));
    word.root = asked.arguments.root;
    word.bytes = by_signature(asked, asked.bytes.value_or(0));
    word.counts = hash_of_counts(asked);
    // A return address is one instruction past the call.
    const source::Place place = source::place(static_cast<const char *>(site) - 1);
    const std::string_view object = place.object;
    word.offset = place.offset;
    write(word.object, object.substr(object.size() - std::min(object.size(), sizeof word.object - 1)));
    std::vector<Word> all(static_cast<std::size_t>(asked.arguments.ranks), word);
    for (int rank = 0; rank < asked.arguments.ranks; rank++) {
        Word &to = all[static_cast<std::size_t>(rank)];
        to.gives = by_signature(asked, gives(asked, rank));
        to.expects = by_signature(asked, expects(asked, rank));
    }
    return all;
}

//! \brief By words. Under the lock.
class Exchange final : public Agreement, private schedule::Listener {
public:
    Exchange(const Asked &asked, const Begins &begins, CallSite site)
        : call(begins.call), communicator(asked.communicator), channel(communicator->channel),
          schedule(exchange(asked.arguments, channel->next_word())), said(words(asked, begins, site)),
          heard(said.size()), agrees(said.size()), run({call, site, communicator.get()}, schedule, memories(), *channel,
                                                       {mpi::Channel::agreements}, schedule::Run::usual_window, this) {
        under_way.push_back(this);
        before_failure(look_at_all);
        set_going(run);
        progress::helper::wanted(SIZE_MAX);
    }

    bool complete() override {
        if (!run.complete()) return false;
        if (std::erase(under_way, this)) is_over(run);
        return true;
    }

    bool with(int rank) const override { return agrees[static_cast<std::size_t>(rank)]; }

private:
    // Somebody fails: because ranks do not agree?
    static void look_at_all() {
        const bool shared = progress::Guard::multiple || progress::Guard::pages;
        if (shared && !progress::Guard::mine) return;
        for (Exchange *one : under_way) one->run.poll();
    }

    schedule::Memories memories() {
        return {reinterpret_cast<const std::byte *>(said.data()), reinterpret_cast<std::byte *>(heard.data())};
    }

    // A word has come, and with it all that its rank said before.
    void result(Range range) override {
        for (auto at = under_way.begin(); *at != this; at++)
            if ((*at)->channel == channel) (*at)->run.poll();
        const std::size_t rank = range.begin / sizeof(Word);
        compare(static_cast<int>(rank));
        agrees[rank] = true;
    }

    void compare(int rank) const {
        const Word &ours = said[static_cast<std::size_t>(rank)], &theirs = heard[static_cast<std::size_t>(rank)];
        const int of_ours = communicator->peers[static_cast<std::size_t>(rank)]->rank;
        const std::string them = name(rank, mpi::job.world_rank[static_cast<std::size_t>(of_ours)]),
                          us = name(communicator->rank, mpi::job.rank);
        const auto bytes = [](std::uint64_t n) { return std::to_string(n) + " bytes"; };
        const struct {
            bool differ;
            std::string they_say, we_say;
        } all[] = {
            {std::strcmp(theirs.call, ours.call) != 0, std::string(" calls ") + theirs.call,
             std::string(" calls ") + ours.call},
            {theirs.root != ours.root, " gives root " + std::to_string(theirs.root),
             " gives root " + std::to_string(ours.root)},
            {std::strcmp(theirs.operation, ours.operation) != 0, std::string(" gives ") + theirs.operation,
             std::string(" gives ") + ours.operation},
            {theirs.gives != ours.expects, " gives " + us + " " + bytes(theirs.gives),
             " expects " + bytes(ours.expects)},
            {theirs.expects != ours.gives, " expects " + bytes(theirs.expects),
             " gives " + them + " " + bytes(ours.gives)},
            {theirs.bytes != ours.bytes, " gives " + bytes(theirs.bytes), " gives " + bytes(ours.bytes)},
            {theirs.counts != ours.counts, " gives counts", " gives others"},
        };
        for (const auto &[differ, they_say, we_say] : all) {
            if (!differ) continue;
            failing = true; // the first of those that are to be told
            fail(call, them + they_say + " at " + place(theirs) + ", " + us + we_say + " at " + place(ours));
        }
    }

    static std::string place(const Word &word) { return source::describe({word.object, word.offset, ""}); }

    // As the program's communicator and, if it is another one, as the world knows it.
    static std::string name(int rank, int in_world) {
        return "rank " + std::to_string(rank) +
               (rank == in_world ? "" : " (" + std::to_string(in_world) + " of MPI_COMM_WORLD)");
    }

    static inline constinit std::vector<Exchange *> under_way;

    const char *const call;
    const std::shared_ptr<mpi::Communicator> communicator;
    const std::shared_ptr<mpi::Channel> channel;
    const schedule::Schedule schedule;
    std::vector<Word> said, heard; // by rank
    std::vector<bool> agrees;
    schedule::Run run;
};

constinit thread_local Exchange *latest = nullptr;

} // namespace

bool agree(const Asked &asked, const Begins &begins) {
    wait_for_matches();
    std::unique_ptr<Exchange> agreement;
    {
        const progress::Guard guard;
        enter();
        agreement = std::make_unique<Exchange>(asked, begins, callers_own());
    }
    if (begins.form == Form::persistent || begins.form == Form::blocking)
        progress::until([&] { return agreement->complete(); });
    else
        latest = agreement.release();
    return !asked.keeps_order && may_be_ours(*asked.communicator, begins.form);
}

std::unique_ptr<Agreement> take_agreement() {
    return std::unique_ptr<Agreement>(std::exchange(latest, nullptr));
}

int begin_compared(MPI_Comm comm, MPI_Request *request, const std::function<int()> &native) {
    std::unique_ptr<Agreement> agreement = take_agreement();
    const auto begin = [&] {
        const Alone alone;
        return native();
    };
    if (!agreement) return begin();
    MPI_Errhandler programs;
    mpi::library.Comm_get_errhandler(comm, &programs);
    mpi::library.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int error = begin();
    mpi::library.Comm_set_errhandler(comm, programs);
    mpi::library.Errhandler_free(&programs);
    if (error != MPI_SUCCESS) {
        progress::until([&] { return agreement->complete(); });
        return raise(*mpi::communicator(comm), error);
    }
    const progress::Guard guard;
    Operation &operation = new_operation();
    operation.native_send = std::exchange(*request, operation.handle);
    operation.collective = std::move(agreement);
    return MPI_SUCCESS;
}

} // namespace stretto::front
