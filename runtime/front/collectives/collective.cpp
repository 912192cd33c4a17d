#include "front/collectives/collective.h"

#include "front/arguments.h"
#include "front/collectives/agreement.h"
#include "front/collectives/between_groups.h"
#include "front/collectives/blocking_collective.h"
#include "front/collectives/trials.h"
#include "front/enter.h"
#include "front/entry.h"
#include "front/native_calls.h"
#include "front/operation.h"
#include "front/results.h"
#include "message/copied.h"
#include "pages/memory.h"
#include "progress/helper.h"
#include "settings/settings.h"
#include "tune/which_trigger.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace stretto::front {

// Memories.

namespace {

const void *displaced(const void *address, std::ptrdiff_t bytes) {
    return reinterpret_cast<const void *>(reinterpret_cast<std::intptr_t>(address) + bytes);
}

void copy_elements(const mpi::TypedBuffer &from, const mpi::TypedBuffer &to) {
    std::vector<std::byte> packed(from.bytes());
    from.pack_all(packed.data());
    to.unpack_all(packed.data());
}

bool in_one_piece(const mpi::TypedBuffer &elements) {
    return elements.bytes() == 0 || (elements.map().known() && elements.map().contiguous());
}

} // namespace

// Libraries take no type where there are no elements.
void Side::add(const void *address, MPI_Count count, MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) type = MPI_BYTE;
    blocks.push_back({address, count, type, {address, count, type}});
}

void Side::add_equal(const void *address, MPI_Count count, MPI_Datatype type, int ranks) {
    const std::ptrdiff_t stride = count == 0 ? 0 : static_cast<std::ptrdiff_t>(count) * mpi::type_map(type).extent();
    for (int rank = 0; rank < ranks; rank++) add(displaced(address, rank * stride), count, type);
}

void Side::add_displaced(const void *address, Integers counts, Integers displacements, MPI_Datatype type, int ranks) {
    const std::ptrdiff_t extent = type == MPI_DATATYPE_NULL ? 0 : mpi::type_map(type).extent();
    for (int rank = 0; rank < ranks; rank++)
        add(displaced(address, static_cast<std::ptrdiff_t>(displacements[rank]) * extent), counts[rank], type);
}

void Side::lay_out(bool apart, bool gaps) {
    const auto direct = [](const Block &block) { return in_one_piece(block.elements); };
    const auto begin = [](const Block &block) {
        return reinterpret_cast<std::uintptr_t>(block.elements.contiguous_at(0));
    };
    const bool needs_image = apart || !std::all_of(blocks.begin(), blocks.end(), direct);
    if (!needs_image) {
        base = UINTPTR_MAX;
        for (const Block &block : blocks)
            if (block.elements.bytes()) base = std::min(base, begin(block));
        if (base == UINTPTR_MAX) base = 0;
    }
    with_gaps = needs_image && gaps;
    std::size_t end = 0;
    for (const Block &block : blocks) {
        const std::size_t bytes = with_gaps
                                      ? block.elements.count() * static_cast<std::size_t>(block.elements.map().extent())
                                      : block.elements.bytes();
        if (!needs_image) end = bytes ? begin(block) - base : 0;
        places.push_back({end, end + bytes});
        end += bytes;
    }
    if (!needs_image) {
        programs_base = base;
        return;
    }
    image = std::make_unique_for_overwrite<std::byte[]>(end);
    base = reinterpret_cast<std::uintptr_t>(image.get());
}

void Side::set_apart() {
    if (image || places.empty()) return;
    std::size_t end = 0;
    for (const Range &place : places) end = std::max(end, place.end);
    image = std::make_unique_for_overwrite<std::byte[]>(end);
    base = reinterpret_cast<std::uintptr_t>(image.get());
}

std::optional<Range> Side::span() const {
    if (!programs_base) return {};
    std::size_t end = 0;
    for (const Range &place : places) end = std::max(end, place.end);
    return Range{programs_base, programs_base + end};
}

bool Side::has_some_of_each_block(const RangeSet &missing) const {
    return std::none_of(places.begin(), places.end(),
                        [&](Range place) { return !place.empty() && missing.covers(place); });
}

bool Side::has_some_of_each_other(const RangeSet &missing, int rank, int ranks) const {
    const bool each = places.size() == static_cast<std::size_t>(ranks);
    for (std::size_t k = 0; k < places.size(); k++) {
        const bool is_own = each && k == static_cast<std::size_t>(rank);
        if (!is_own && !places[k].empty() && missing.covers(places[k])) return false;
    }
    return true;
}

Range Side::addresses() const {
    Range all{UINTPTR_MAX, 0};
    for (const Block &block : blocks) {
        if (block.elements.bytes() == 0) continue;
        const auto begin = reinterpret_cast<std::uintptr_t>(block.address);
        const std::size_t extents = block.elements.count() * static_cast<std::size_t>(block.elements.map().extent());
        all = {std::min(all.begin, begin), std::max(all.end, begin + extents)};
    }
    return all.empty() ? Range{0, 0} : all;
}

void Side::settle(bool written) const {
    if (!progress::tasks) return;
    for (const Block &block : blocks) front::settle(block.address, block.count, block.type, written);
}

void Side::fetch() const {
    if (!image) return;
    for (std::size_t k = 0; k < blocks.size(); k++) {
        const mpi::TypedBuffer &elements = blocks[k].elements;
        std::byte *const at = image.get() + places[k].begin;
        if (with_gaps)
            copy_elements(elements, {at, blocks[k].count, blocks[k].type});
        else
            elements.pack_all(at);
    }
}

void Side::deliver() const {
    if (!image) return;
    for (std::size_t k = 0; k < blocks.size(); k++) {
        const mpi::TypedBuffer &elements = blocks[k].elements;
        std::byte *const at = image.get() + places[k].begin;
        if (with_gaps)
            copy_elements({at, blocks[k].count, blocks[k].type}, elements);
        else
            elements.unpack_all(at);
    }
}

std::size_t Side::bytes() const {
    std::size_t sum = 0;
    for (const Range &place : places) sum += place.bytes();
    return sum;
}

collective::Blocks Side::equal() const {
    return collective::Blocks::equal(places.empty() ? 0 : places[0].bytes());
}

collective::Blocks Side::ranges() const {
    return collective::Blocks::of(places);
}

// What is asked for.

bool may_be_ours(const mpi::Communicator &communicator, Form form) {
    using collective::policy, collective::Policy;
    if (policy.ours == Policy::Ours::off || !mpi::there_are_channels()) return false;
    if (!communicator.frames || !communicator.use.frames) return false;
    const mpi::Peer *peer = communicator.farthest;
    if (!peer || !peer->frames) return false;
    // A blocking one gains by what its call leaves to the program's next computation, and by what some rank's code feeds before its call.
    const bool may_be_fed = form == Form::blocking && mpi::job.compiled_collectives;
    if (form == Form::blocking && !may_be_fed && !communicator.use.receives && !communicator.use.sends) return false;
    return form == Form::delta || may_be_fed || policy.ours == Policy::Ours::all || settings.force ||
           peer->frames_plain;
}

std::optional<Asked> Asked::on(MPI_Comm comm, const char *collective, const Begins &begins) {
    if (comm == MPI_COMM_NULL || collective::policy.ours == collective::Policy::Ours::off) return {};
    const progress::Guard guard;
    const auto &c = mpi::communicator(comm);
    if (c->between_groups && (begins.form == Form::delta || !between_groups::can_be_ours(collective))) return {};
    // One that nobody was introduced to: MPI_Comm_idup may not wait.
    if (!c->channel || !may_be_ours(*c, mpi::job.compares ? Form::delta : begins.form)) return {};
    Asked asked{collective, c};
    asked.form = begins.form;
    asked.arguments.ranks = c->size();
    asked.arguments.rank = c->between_groups ? MPI_PROC_NULL : c->rank;
    asked.arguments.lane = c->farthest->eager;
    return asked;
}

namespace {

// Sums of these do not depend on the order, even where they overflow.
bool is_exact(MPI_Datatype type) {
    const MPI_Datatype exact[] = {
        MPI_CHAR,
        MPI_SIGNED_CHAR,
        MPI_UNSIGNED_CHAR,
        MPI_SHORT,
        MPI_UNSIGNED_SHORT,
        MPI_INT,
        MPI_UNSIGNED,
        MPI_LONG,
        MPI_UNSIGNED_LONG,
        MPI_LONG_LONG,
        MPI_UNSIGNED_LONG_LONG,
        MPI_INT8_T,
        MPI_INT16_T,
        MPI_INT32_T,
        MPI_INT64_T,
        MPI_UINT8_T,
        MPI_UINT16_T,
        MPI_UINT32_T,
        MPI_UINT64_T,
        MPI_BYTE,
        MPI_C_BOOL,
        MPI_AINT,
        MPI_COUNT,
        MPI_OFFSET,
        MPI_2INT,
        MPI_INTEGER,
        MPI_LOGICAL,
        MPI_2INTEGER,
    };
    return std::find(std::begin(exact), std::end(exact), type) != std::end(exact);
}

// Open MPI's collectives that do not block have algorithms of their own (docs/collectives.md).
#ifdef OPEN_MPI
constexpr bool slow_if_not_blocking = true;
#else
constexpr bool slow_if_not_blocking = false;
#endif

constexpr const char *programs_own = "one of the program's";

} // namespace

const char *name_of(MPI_Op op) {
    const std::pair<MPI_Op, const char *> predefined[] = {
        {MPI_MAX, "MPI_MAX"},   {MPI_MIN, "MPI_MIN"},   {MPI_SUM, "MPI_SUM"},       {MPI_PROD, "MPI_PROD"},
        {MPI_LAND, "MPI_LAND"}, {MPI_BAND, "MPI_BAND"}, {MPI_LOR, "MPI_LOR"},       {MPI_BOR, "MPI_BOR"},
        {MPI_LXOR, "MPI_LXOR"}, {MPI_BXOR, "MPI_BXOR"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
    };
    for (const auto &[one, name] : predefined)
        if (one == op) return name;
    return programs_own;
}

namespace {

// An operation of MPI's own is for some of its own types. Which ones, only the library knows.
bool adds_up_elements(MPI_Op op, MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    mpi::library.Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) return false;
    struct Tried {
        MPI_Op op;
        MPI_Datatype type;
        bool good;
    };
    static std::vector<Tried> all;
    const progress::Guard guard;
    for (const Tried &one : all)
        if (one.op == op && one.type == type) return one.good;
    alignas(std::max_align_t) std::byte in[64]{}, out[64]{}; // the largest type has 32 bytes
    const mpi::ErrorsReturn returned;
    const bool good = mpi::library.Reduce_local(in, out, 1, type, op) == MPI_SUCCESS;
    return all.emplace_back(Tried{op, type, good}).good;
}

} // namespace

bool is_programs_own(MPI_Op op) {
    return name_of(op) == programs_own;
}

collective::Facts Asked::facts(int number) const {
    const bool does_not_block = form == Form::non_blocking || form == Form::persistent;
    return {collective,
            bytes,
            arguments.ranks,
            arguments.lane,
            communicator->farthest->rate,
            number,
            mpi::job.relays,
            form == Form::delta,
            slow_if_not_blocking && does_not_block};
}

double Asked::takes() const {
    return takes(std::max(input.bytes(), output.bytes()));
}

double Asked::takes(std::size_t bytes) const {
    return static_cast<double>(bytes) / communicator->farthest->rate;
}

bool Asked::pays() const {
    using collective::policy, collective::Policy;
    const bool asked_for = settings.force || (policy.ours == Policy::Ours::all && form != Form::delta);
    return asked_for || collective::pays(facts());
}

bool Asked::adds_up(MPI_Op op, MPI_Datatype type) {
    if (op == MPI_OP_NULL || op == MPI_NO_OP || op == MPI_REPLACE || type == MPI_DATATYPE_NULL) return false;
    calls_program = is_programs_own(op);
    if (!calls_program && !adds_up_elements(op, type)) return false;
    // A delta reduction adds in the order that its function documents. Elsewhere a function of the program gets as many elements at once as
    // the library would give it: it may be right for whole records only.
    keeps_order = (calls_program || !is_exact(type)) && !collective::policy.reorders && form != Form::delta;
    if (keeps_order && !mpi::job.compares) return false;
    const mpi::TypeMap &map = mpi::type_map(type);
    if (!map.known() || map.bytes() == 0) return false;
    // Elements lie in their extents, so that each can be added up where it is.
    for (const mpi::Segment &segment : map.segments())
        if (segment.offset < 0 || segment.offset + static_cast<std::ptrdiff_t>(segment.bytes) > map.extent())
            return false;
    if (map.lower_bound() != 0) return false;
    int commutes = 1;
    mpi::library.Op_commutative(op, &commutes);
    operation = op;
    element = type;
    arguments.commutes = commutes != 0;
    arguments.unit = static_cast<std::size_t>(map.extent());
    return true;
}

// Handles that the program may free while a collective uses them.

namespace {

template <class Handle>
class Kept {
public:
    void keep(Handle handle) {
        if (One *one = find(handle))
            one->users++;
        else
            all.push_back({handle, 1, false});
    }
    void let_go(Handle handle, int (*free)(Handle *)) {
        One *one = find(handle);
        if (--one->users > 0) return;
        if (one->freed) free(&one->handle);
        *one = all.back();
        all.pop_back();
    }
    //! The program frees it: later, if it is in use.
    bool frees_later(Handle handle) {
        One *one = find(handle);
        if (one) one->freed = true;
        return one;
    }

private:
    struct One {
        Handle handle;
        int users;
        bool freed;
    };
    One *find(Handle handle) {
        for (One &one : all)
            if (one.handle == handle) return &one;
        return nullptr;
    }
    std::vector<One> all;
};

constinit Kept<MPI_Op> operators;
constinit Kept<MPI_Datatype> types;

// Schedules do not know whose they are: any call with the same arguments uses the same.
struct Built {
    const collective::Algorithm *algorithm;
    collective::Arguments arguments;
    std::shared_ptr<const schedule::Schedule> schedule;
};
constinit std::vector<Built> built; // the one used last comes first
constexpr std::size_t most_built = 32;
constexpr double soonest_look = 250e-6; // seconds
constexpr double enough_hops = 8;       // of a lane, that a message takes
constexpr double fewest_looks = 16;     // while a message travels
constexpr std::size_t fed_window = 256;

std::shared_ptr<const schedule::Schedule> schedule_of(const collective::Algorithm &algorithm,
                                                      const collective::Arguments &arguments) {
    const auto same = [&](const Built &one) { return one.algorithm == &algorithm && one.arguments == arguments; };
    if (const auto at = std::find_if(built.begin(), built.end(), same); at != built.end()) {
        std::rotate(built.begin(), at, at + 1);
        return built.front().schedule;
    }
    if (built.size() == most_built) built.pop_back();
    built.insert(built.begin(),
                 {&algorithm, arguments, std::make_shared<const schedule::Schedule>(algorithm.build(arguments))});
    return built.front().schedule;
}

} // namespace

void set_going(schedule::Run &run) {
    native_calls::begin();
    if (run.complete()) return;
    progress::add(run);
    if (mpi::job.relays) native_calls::look();
}

void is_over(schedule::Run &run) {
    progress::remove(run);
    native_calls::end();
}

int Op_free(MPI_Op *op) {
    {
        const progress::Guard guard;
        if (operators.frees_later(*op)) {
            *op = MPI_OP_NULL;
            return MPI_SUCCESS;
        }
    }
    return mpi::library.Op_free(op);
}

int Type_free(MPI_Datatype *type) {
    {
        const progress::Guard guard;
        if (types.frees_later(*type)) {
            *type = MPI_DATATYPE_NULL;
            return MPI_SUCCESS;
        }
    }
    return mpi::library.Type_free(type);
}

// A collective.

Scheduled::Scheduled(Asked &&what, const Begins &begins)
    : asked(std::move(what)), name{begins.call, callers_own(), asked.communicator.get()},
      persistent(begins.form == Form::persistent), agreement(take_agreement()) {
    channel = asked.communicator->channel;
    ticket = persistent ? channel->reserve() : channel->begin();
    asked.arguments.lane = collective::lane_bytes(asked.facts(ticket.number));
    // All lanes leave at once: those of a long message are large, so that the library makes them wait for their receives.
    if (!mpi::job.relays) asked.arguments.most_lanes = schedule::Run::usual_window;
    const collective::Algorithm &algorithm = *asked.algorithm;
    collective::count(algorithm);
    relays = algorithm.relays;
    schedule = schedule_of(algorithm, asked.arguments);
    // As soon as a lane may have come that others wait for, and some times at least while a message travels.
    const double lane_takes = asked.takes(asked.arguments.lane);
    if (relays && (schedule->lanes() > 1 || asked.form == Form::blocking || lane_takes >= soonest_look))
        name.look_within = std::max(std::min(lane_takes, asked.takes() / fewest_looks), soonest_look);
    if (asked.operation != MPI_OP_NULL) {
        operators.keep(asked.operation);
        types.keep(asked.element);
    }
}

Scheduled::~Scheduled() {
    message::copied::held -= copied;
    if (asked.operation != MPI_OP_NULL) {
        operators.let_go(asked.operation, mpi::library.Op_free);
        types.let_go(asked.element, mpi::library.Type_free);
    }
}

trigger::Watch Scheduled::watch(Trigger said, CallSite site) const {
    if (!asked.input.gapless() || asked.input.bytes() == 0 || asked.arguments.in_place) return {};
    const Range memory = *asked.input.span();
    return tune::watch(said, site, pages::pointer(memory.begin), memory.bytes(), asked.communicator->farthest->rate);
}

void Scheduled::prepare() const {
    wait_for_matches();
    if (asked.form != Form::delta) asked.input.settle(false);
    asked.output.settle(true);
}

// Who waits for what we send, or pass on, must not have to wait for the program's next call; nor, hop by hop, for the helper's.
bool Scheduled::can_be_detached() const {
    const std::size_t given = asked.input.bytes(), got = asked.output.bytes();
    const bool gives = given > 0 || asked.arguments.in_place;
    const double each_hop = std::max(asked.takes(asked.arguments.lane), soonest_look);
    const Use &use = asked.communicator->use;
    const bool others_are_served = progress::helper::enabled()
                                       ? !relays || settings.force || asked.takes() >= enough_hops * each_hop
                                       : !relays && !gives;
    return given + got > 0 && !asked.calls_program && others_are_served &&
           (!gives || (use.sends && message::copied::has_room(given))) &&
           (got == 0 || (use.receives && Results::can_be_guarded(*this)));
}

void Scheduled::detach() {
    asked.input.set_apart();
    asked.output.set_apart();
    copied = asked.input.bytes();
    message::copied::held += copied;
}

namespace {

// What MPI_ERRORS_ARE_FATAL would print says less than we. And of a communicator that is freed only the library has the handler.
bool tells_of_errors(const void *communicator) {
    const auto &comm = *static_cast<const mpi::Communicator *>(communicator);
    if (!mpi::is_known(comm)) return false;
    MPI_Errhandler handler;
    mpi::library.Comm_get_errhandler(comm.handle, &handler);
    bool tells = handler != MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
    tells = tells && handler != MPI_ERRORS_ABORT;
#endif
    mpi::library.Errhandler_free(&handler);
    return tells;
}

} // namespace

void Scheduled::start(schedule::Listener *listener, bool fed) {
    {
        const report::Cost cost(report::current);
        asked.input.fetch();
        if (asked.arguments.in_place) asked.output.fetch();
    }
    const schedule::Memories memories{asked.input.memory(), asked.output.memory(), asked.operation,
                                      asked.element,        asked.arguments.unit,  asked.calls_program};
    delivered = false;
    // Where nobody looks while the library waits elsewhere, all messages are under way from the beginning.
    // What is fed may become ready in any order.
    const std::size_t window = !mpi::job.relays ? SIZE_MAX : fed ? fed_window : schedule::Run::usual_window;
    const bool may_tell = asked.form != Form::delta && !listener && !fed;
    name.tells = may_tell ? tells_of_errors : nullptr;
    run.emplace(name, *schedule, memories, *channel, ticket, window, listener, fed);
    if (agreement) run->look_only_if([this](int rank) { return agreement->with(rank); });
    set_going(*run);
    if (asked.form != Form::blocking) report_begin();
    if (run->complete()) return;
    if (name.look_within > 0) progress::helper::look_within(progress::look_within());
    progress::helper::wanted(name.look_within > 0 ? SIZE_MAX : asked.input.bytes() + asked.output.bytes());
}

bool Scheduled::complete() {
    if (delivered) return true;
    if (!run->complete() || (agreement && !agreement->complete())) return false;
    is_over(*run);
    if (!delivered_by_others && run->error() == MPI_SUCCESS) {
        const report::Cost cost(reported);
        asked.output.deliver();
    }
    report::is_whole(reported);
    return delivered = true;
}

Failure Scheduled::failure() const {
    if (!run || run->error() == MPI_SUCCESS) return {};
    return {run->error(), asked.communicator};
}

// Its time is the program's, until it is waited for.
void Scheduled::report_begin() {
    reported = report::current;
    report::is_ours();
    report::message(reported, report::Fate::collective_lanes, std::max(asked.input.bytes(), asked.output.bytes()));
    report::runs_on(reported);
}

namespace {

// All ranks choose alike. False: none can do it.
bool choose_algorithm(Asked &asked, bool is_persistent) {
    const progress::Guard guard;
    const mpi::Channel &channel = *asked.communicator->channel;
    if (is_persistent && !channel.can_reserve()) return false;
    asked.algorithm = collective::choose(asked.facts(channel.next_number(is_persistent)), asked.arguments);
    return asked.algorithm;
}

} // namespace

std::optional<int> begin(Asked &&asked, const Begins &begins, MPI_Request *request) {
    // This rank has nothing that it could feed, or not from one piece of memory; or all say what they ask for, where they ask for it.
    if (begins.compiled && begins.compiled->feeds && (!asked.input.span() || mpi::job.compares)) return {};
    if (mpi::job.compares && !agree(asked, begins)) return {};
    const bool is_persistent = begins.form == Form::persistent;
    if (!asked.pays() || !choose_algorithm(asked, is_persistent)) return {};
    if (!is_quicker(asked)) {
        if (begins.compiled) begins.compiled->decided = true;
        return {};
    }
    // Where nobody looks while the library waits elsewhere, it begins here or never.
    if (!is_persistent && !mpi::job.relays)
        progress::until([&] { return asked.communicator->channel->is_turn_of_next(); });
    std::unique_ptr<Scheduled> collective;
    {
        const progress::Guard guard;
        enter();
        collective = std::make_unique<Scheduled>(std::move(asked), begins);
    }
    if (!is_persistent) collective->prepare();
    if (begins.compiled) {
        begins.compiled->scheduled = std::move(collective);
        return MPI_SUCCESS;
    }
    if (begins.form == Form::blocking) return carry_out(std::move(collective));
    if (begins.form == Form::delta) {
        *begins.delta = std::move(collective);
        return MPI_SUCCESS;
    }
    const progress::Guard guard;
    if (!is_persistent) collective->start();
    Operation &operation = new_operation();
    operation.active = !is_persistent;
    operation.collective = std::move(collective);
    *request = operation.handle;
    return MPI_SUCCESS;
}

} // namespace stretto::front
