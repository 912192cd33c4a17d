// The MPI library of a simulated world: as much of MPI as libstretto and the programs of the tests call, with MPICH's handles. What is not here
// says its name and ends the process (generated: missing.c).
#include "world.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

using namespace simulation;

namespace {

Communicator &comm_of(MPI_Comm comm) {
    return world->communicator(comm);
}

// MPI_Type_vector, the one derived type that programs have: blocks of elements at one distance from each other.
struct Vector {
    int blocks, length, stride;
    MPI_Datatype element;
};
constexpr int first_vector = 0x4d000000;
std::vector<Vector> vectors;

const Vector *vector_of(MPI_Datatype type) {
    const auto index = static_cast<std::size_t>(static_cast<unsigned>(type) - first_vector);
    return index < vectors.size() ? &vectors[index] : nullptr;
}

// MPICH's predefined types have their size in their number.
std::size_t size_of(MPI_Datatype type) {
    if (const Vector *its = vector_of(type))
        return static_cast<std::size_t>(its->blocks) * static_cast<std::size_t>(its->length) * size_of(its->element);
    return (static_cast<unsigned>(type) >> 8) & 0xff;
}

std::size_t extent_of(MPI_Datatype type) {
    const Vector *its = vector_of(type);
    if (!its) return size_of(type);
    return its->blocks ? static_cast<std::size_t>((its->blocks - 1) * its->stride + its->length) * size_of(its->element)
                       : 0;
}

// From memory laid out by a type into one piece, or back, as many bytes as there are.
template <class Copy>
void each_block(MPI_Datatype type, int n, std::size_t bytes, Copy copy) {
    const Vector *its = vector_of(type);
    if (!its) return copy(0, 0, bytes);
    const std::size_t element = size_of(its->element), block = static_cast<std::size_t>(its->length) * element;
    std::size_t at = 0;
    for (int k = 0; k < n; k++)
        for (int b = 0; b < its->blocks && at < bytes; b++) {
            const std::size_t from =
                static_cast<std::size_t>(k) * extent_of(type) + static_cast<std::size_t>(b * its->stride) * element;
            const std::size_t part = std::min(block, bytes - at);
            copy(from, at, part);
            at += part;
        }
}

std::vector<std::byte> packed(const void *data, int n, MPI_Datatype type) {
    std::vector<std::byte> all(static_cast<std::size_t>(n) * size_of(type));
    each_block(type, n, all.size(), [&](std::size_t from, std::size_t at, std::size_t bytes) {
        if (bytes) std::memcpy(all.data() + at, static_cast<const std::byte *>(data) + from, bytes);
    });
    return all;
}

[[noreturn]] void fail(const char *what) {
    std::fprintf(stderr, "simulation: rank %d: %s\n", world->current, what);
    std::abort();
}

template <class T>
void reduce_as(const void *in, void *inout, std::size_t n, MPI_Op op) {
    const T *a = static_cast<const T *>(in);
    T *b = static_cast<T *>(inout);
    for (std::size_t k = 0; k < n; k++)
        b[k] = op == MPI_MIN   ? std::min(a[k], b[k])
               : op == MPI_MAX ? std::max(a[k], b[k])
                               : static_cast<T>(a[k] + b[k]);
}

void differ_as_bits(const void *in, void *inout, std::size_t n) {
    for (std::size_t k = 0; k < n; k++)
        static_cast<unsigned char *>(inout)[k] ^= static_cast<const unsigned char *>(in)[k];
}

void reduce(const void *in, void *inout, std::size_t n, MPI_Datatype type, MPI_Op op) {
    if (op == MPI_BXOR) return differ_as_bits(in, inout, n * size_of(type));
    if (op != MPI_MIN && op != MPI_MAX && op != MPI_SUM) fail("an operation that the simulation has not");
    if (type == MPI_INT)
        reduce_as<int>(in, inout, n, op);
    else if (type == MPI_LONG || type == MPI_INT64_T)
        reduce_as<long>(in, inout, n, op);
    else if (type == MPI_DOUBLE)
        reduce_as<double>(in, inout, n, op);
    else
        fail("a type that the simulation does not reduce");
}

// A collective call by each rank's n-th one on this communicator.
std::shared_ptr<Meeting> together(MPI_Comm comm, const void *in, void *out,
                                  const std::function<void(Meeting &, const Communicator &)> &all) {
    return world->meet(comm, in, out, all);
}

int wait_for(const std::shared_ptr<Meeting> &meeting) {
    world->wait([&] { return world->is_over(*meeting); });
    return MPI_SUCCESS;
}

int later(const std::shared_ptr<Meeting> &meeting, MPI_Request *request) {
    Request its{.kind = Request::meeting};
    its.met = [meeting] { return world->is_over(*meeting); };
    *request = world->new_request(std::move(its));
    return MPI_SUCCESS;
}

std::shared_ptr<Meeting> gather_to_all(const void *in, std::size_t bytes, void *out, MPI_Comm comm) {
    return together(comm, in, out, [bytes](Meeting &meeting, const Communicator &) {
        const std::size_t n = meeting.in.size();
        std::vector<std::byte> all(n * bytes);
        for (std::size_t k = 0; k < n; k++) {
            const void *its =
                meeting.in[k] == MPI_IN_PLACE ? static_cast<std::byte *>(meeting.out[k]) + k * bytes : meeting.in[k];
            if (bytes) std::memcpy(all.data() + k * bytes, its, bytes);
        }
        for (void *to : meeting.out)
            if (!all.empty()) std::memcpy(to, all.data(), all.size());
    });
}

struct Attributes {
    int tag_bound = (1 << 28) - 1;
} attributes;

int level = MPI_THREAD_SINGLE;

bool finish_one(MPI_Request *request, MPI_Status *status, int *error) {
    return world->finish(request, status, error);
}

// Done with each request that is done; how many.
int finish_some(int n, MPI_Request *requests, int *which, MPI_Status *statuses, int *error) {
    int some = 0;
    bool any_active = false;
    for (int k = 0; k < n; k++) {
        if (requests[k] == MPI_REQUEST_NULL || !world->request(requests[k]).active) continue;
        any_active = true;
        MPI_Status status{};
        int its = MPI_SUCCESS;
        if (!finish_one(&requests[k], &status, &its)) continue;
        if (statuses != MPI_STATUSES_IGNORE) {
            statuses[some] = status;
            statuses[some].MPI_ERROR = its;
        }
        if (its != MPI_SUCCESS) *error = MPI_ERR_IN_STATUS;
        which[some++] = k;
    }
    return any_active ? some : MPI_UNDEFINED;
}

bool all_done(int n, const MPI_Request *requests) {
    return std::all_of(requests, requests + n, [](MPI_Request one) {
        if (one == MPI_REQUEST_NULL) return true;
        Request &its = world->request(one);
        return !its.active || its.done || (its.kind == Request::meeting && its.met());
    });
}

int finish_all(int n, MPI_Request *requests, MPI_Status *statuses) {
    int error = MPI_SUCCESS;
    for (int k = 0; k < n; k++) {
        int its = MPI_SUCCESS;
        finish_one(&requests[k], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k], &its);
        if (statuses != MPI_STATUSES_IGNORE) statuses[k].MPI_ERROR = its;
        if (its != MPI_SUCCESS) error = MPI_ERR_IN_STATUS;
    }
    return error;
}

void into(Request &request, void *buffer, int n, MPI_Datatype type) {
    request.buffer = buffer;
    request.bytes = static_cast<std::size_t>(n) * size_of(type);
    if (!vector_of(type)) return;
    auto piece = std::make_shared<std::vector<std::byte>>(request.bytes);
    request.buffer = piece->data();
    request.unpack = [=](std::size_t bytes) {
        each_block(type, n, bytes, [&](std::size_t to, std::size_t at, std::size_t part) {
            std::memcpy(static_cast<std::byte *>(buffer) + to, piece->data() + at, part);
        });
    };
}

Request receive_of(void *buffer, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm) {
    const Communicator &its = comm_of(comm);
    Request request{.kind = Request::receive};
    into(request, buffer, n, type);
    request.context = its.context;
    request.peer = source, request.tag = tag;
    request.from_world = source < 0 ? source : its.world.at(static_cast<std::size_t>(source));
    return request;
}

void tell(const Message &message, MPI_Comm comm, MPI_Status *status) {
    if (status == MPI_STATUS_IGNORE) return;
    const Communicator &its = comm_of(comm);
    status->count_lo = static_cast<int>(message.data.size());
    status->count_hi_and_cancelled = 0;
    status->MPI_TAG = message.tag;
    status->MPI_SOURCE = local_rank(its, message.from);
}

// Of matched probes.
std::map<int, std::shared_ptr<Message>> held;
int next_held = 0x2c000001;

int hold(const std::shared_ptr<Message> &message) {
    held[next_held] = message;
    return next_held++;
}

int start_matched(void *buffer, int n, MPI_Datatype type, MPI_Message *message) {
    const std::shared_ptr<Message> its = held.at(*message);
    held.erase(*message);
    *message = MPI_MESSAGE_NULL;
    Request request{.kind = Request::receive};
    into(request, buffer, n, type);
    request.context = its->context;
    const int handle = world->new_request(std::move(request));
    world->receive_matched(its, handle);
    return handle;
}

int wait_one(MPI_Request *request, MPI_Status *status) {
    int error = MPI_SUCCESS;
    world->wait([&] { return finish_one(request, status, &error); });
    return error;
}

} // namespace

extern "C" {

// --- time, which is the world's, and what would make two runs differ ---------------------------------------------------

PUBLIC int clock_gettime(clockid_t clock, timespec *time) noexcept {
    if (!world) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    if (world->running && clock == CLOCK_MONOTONIC) world->me().sees_time = true;
    const double now = 1e6 + world->now();
    time->tv_sec = static_cast<time_t>(now);
    time->tv_nsec = static_cast<long>((now - static_cast<double>(time->tv_sec)) * 1e9);
    return 0;
}

PUBLIC int sched_yield() noexcept {
    if (world && world->running) world->idle();
    return 0;
}

PUBLIC int clock_nanosleep(clockid_t clock, int flags, const timespec *time, timespec *) {
    if (!world || !world->running) return static_cast<int>(syscall(SYS_clock_nanosleep, clock, flags, time, nullptr));
    const double seconds = static_cast<double>(time->tv_sec) + 1e-9 * static_cast<double>(time->tv_nsec);
    timespec now;
    clock_gettime(clock, &now);
    const double from = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    world->spend(std::max(0.0, flags == TIMER_ABSTIME ? seconds - from : seconds));
    return 0;
}

PUBLIC int usleep(useconds_t microseconds) {
    if (world && world->running)
        world->spend(1e-6 * microseconds);
    else
        syscall(SYS_sched_yield);
    return 0;
}

PUBLIC ssize_t getrandom(void *buffer, size_t bytes, unsigned) {
    std::memset(buffer, 0x5a, bytes);
    return static_cast<ssize_t>(bytes);
}

PUBLIC int socket(int, int, int) noexcept { // of the lifeline: nobody dies here
    errno = EMFILE;
    return -1;
}

// --- begin and end -----------------------------------------------------------------------------------------------------

PUBLIC int PMPI_Init_thread(int *, char ***, int required, int *provided) {
    *provided = level = required;
    world->enter();
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Init(int *argc, char ***argv) {
    int provided;
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}
PUBLIC int PMPI_Query_thread(int *provided) {
    *provided = level;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Initialized(int *flag) {
    *flag = 1;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Finalized(int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Finalize() {
    return wait_for(together(MPI_COMM_WORLD, nullptr, nullptr, [](Meeting &, const Communicator &) {}));
}
PUBLIC int PMPI_Abort(MPI_Comm, int) {
    fail("MPI_Abort");
}
PUBLIC int PMPI_Get_library_version(char *version, int *length) {
    *length = std::snprintf(version, 64, "MPICH Version: 5.0 (simulated)");
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Error_string(int code, char *text, int *length) {
    *length = std::snprintf(text, MPI_MAX_ERROR_STRING, "error %d", code);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Error_class(int code, int *its) {
    *its = code;
    return MPI_SUCCESS;
}

// --- communicators ------------------------------------------------------------------------------------------------------

PUBLIC int PMPI_Comm_rank(MPI_Comm comm, int *rank) {
    *rank = local_rank(comm_of(comm), world->current);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_size(MPI_Comm comm, int *size) {
    *size = static_cast<int>(comm_of(comm).world.size());
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_remote_size(MPI_Comm comm, int *size) {
    return PMPI_Comm_size(comm, size);
}
PUBLIC int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *twin) {
    static int contexts = 1;
    const auto meeting = together(comm, nullptr, nullptr, [](Meeting &its, const Communicator &of) {
        its.made = world->new_communicator({contexts++, of.world});
    });
    wait_for(meeting);
    *twin = meeting->made;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_split_type(MPI_Comm all, int, int, MPI_Info, MPI_Comm *node) {
    return PMPI_Comm_dup(world->model.one_node ? all : MPI_COMM_SELF, node);
}
PUBLIC int PMPI_Comm_free(MPI_Comm *comm) {
    const MPI_Comm its = *comm;
    wait_for(
        together(its, nullptr, nullptr, [its](Meeting &, const Communicator &) { world->free_communicator(its); }));
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_get_parent(MPI_Comm *parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_test_inter(MPI_Comm, int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Topo_test(MPI_Comm, int *its) {
    *its = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_get_attr(MPI_Comm, int key, void *value, int *flag) {
    *flag = key == MPI_TAG_UB;
    if (*flag) *static_cast<int **>(value) = &attributes.tag_bound;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_get_info(MPI_Comm, MPI_Info *info) {
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Info_get(MPI_Info, const char *, int, char *, int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Info_free(MPI_Info *) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler *handler) {
    *handler = MPI_ERRORS_RETURN;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_call_errhandler(MPI_Comm, int) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Errhandler_free(MPI_Errhandler *) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group) { // a communicator stands for its group
    *group = comm;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Group_free(MPI_Group *) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Group_size(MPI_Group group, int *size) {
    return PMPI_Comm_size(group, size);
}
PUBLIC int PMPI_Group_translate_ranks(MPI_Group from, int n, const int ranks[], MPI_Group to, int other[]) {
    const Communicator its = comm_of(from), theirs = comm_of(to);
    for (int k = 0; k < n; k++) {
        const int rank = its.world.at(static_cast<std::size_t>(ranks[k]));
        const auto found = std::find(theirs.world.begin(), theirs.world.end(), rank);
        other[k] = found == theirs.world.end() ? MPI_UNDEFINED : static_cast<int>(found - theirs.world.begin());
    }
    return MPI_SUCCESS;
}

// --- types --------------------------------------------------------------------------------------------------------------

PUBLIC int PMPI_Type_size(MPI_Datatype type, int *size) {
    *size = static_cast<int>(size_of(type));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_size_x(MPI_Datatype type, MPI_Count *size) {
    *size = static_cast<MPI_Count>(size_of(type));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_size_c(MPI_Datatype type, MPI_Count *size) {
    return PMPI_Type_size_x(type, size);
}
PUBLIC int PMPI_Type_vector(int blocks, int length, int stride, MPI_Datatype element, MPI_Datatype *type) {
    vectors.push_back({blocks, length, stride, element});
    *type = static_cast<MPI_Datatype>(first_vector + vectors.size() - 1);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_commit(MPI_Datatype *) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int integers[],
                                    MPI_Aint[], MPI_Count[], MPI_Datatype types[]) {
    const Vector *its = vector_of(type);
    if (!its) fail("contents of a type that has none");
    integers[0] = its->blocks, integers[1] = its->length, integers[2] = its->stride;
    types[0] = its->element;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_get_contents(MPI_Datatype type, int, int, int, int integers[], MPI_Aint addresses[],
                                  MPI_Datatype types[]) {
    return PMPI_Type_get_contents_c(type, 3, 0, 0, 1, integers, addresses, nullptr, types);
}
PUBLIC int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent) {
    *lower = 0;
    *extent = static_cast<MPI_Aint>(extent_of(type));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent) {
    return PMPI_Type_get_extent(type, lower, extent);
}
PUBLIC int PMPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types, int *combiner) {
    const bool is_vector = vector_of(type);
    *integers = is_vector ? 3 : 0, *addresses = 0, *types = is_vector;
    *combiner = is_vector ? MPI_COMBINER_VECTOR : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count *integers, MPI_Count *addresses, MPI_Count *counts,
                                    MPI_Count *types, int *combiner) {
    const bool is_vector = vector_of(type);
    *integers = is_vector ? 3 : 0, *addresses = *counts = 0, *types = is_vector;
    *combiner = is_vector ? MPI_COMBINER_VECTOR : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *, MPI_Type_delete_attr_function *, int *key, void *) {
    *key = 1;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_set_attr(MPI_Datatype, int, void *) {
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_dup(MPI_Datatype type, MPI_Datatype *twin) {
    *twin = type;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Type_free(MPI_Datatype *type) {
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Pack_size(int n, MPI_Datatype type, MPI_Comm, int *bytes) {
    *bytes = n * static_cast<int>(size_of(type));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Pack(const void *data, int n, MPI_Datatype type, void *to, int, int *at, MPI_Comm) {
    const std::vector<std::byte> all = packed(data, n, type);
    if (!all.empty()) std::memcpy(static_cast<std::byte *>(to) + *at, all.data(), all.size());
    *at += static_cast<int>(all.size());
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Unpack(const void *from, int, int *at, void *data, int n, MPI_Datatype type, MPI_Comm) {
    const std::size_t bytes = static_cast<std::size_t>(n) * size_of(type);
    each_block(type, n, bytes, [&](std::size_t to, std::size_t place, std::size_t part) {
        std::memcpy(static_cast<std::byte *>(data) + to, static_cast<const std::byte *>(from) + *at + place, part);
    });
    *at += static_cast<int>(bytes);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Op_commutative(MPI_Op, int *flag) {
    *flag = 1;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Reduce_local(const void *in, void *inout, int n, MPI_Datatype type, MPI_Op op) {
    reduce(in, inout, static_cast<std::size_t>(n), type, op);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
    const int size = static_cast<int>(size_of(type));
    *count = status->count_lo % size ? MPI_UNDEFINED : status->count_lo / size;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count) {
    status->count_lo = static_cast<int>(count * static_cast<MPI_Count>(size_of(type)));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Test_cancelled(const MPI_Status *status, int *flag) {
    *flag = status->count_hi_and_cancelled & 1;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Status_set_cancelled(MPI_Status *status, int flag) {
    status->count_hi_and_cancelled = flag != 0;
    return MPI_SUCCESS;
}

// Of a program that only names it, so that Stretto sees that it has partitioned messages: it finds Stretto's by dlsym.
PUBLIC int MPI_Psend_init(const void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *) {
    std::abort();
}

// --- messages -----------------------------------------------------------------------------------------------------------

PUBLIC int PMPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request *request) {
    world->enter();
    *request = world->isend(to == MPI_PROC_NULL ? std::vector<std::byte>() : packed(data, n, type), to, tag,
                            comm_of(comm), false);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    world->enter();
    *request = world->isend(to == MPI_PROC_NULL ? std::vector<std::byte>() : packed(data, n, type), to, tag,
                            comm_of(comm), true);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    MPI_Request request;
    PMPI_Isend(data, n, type, to, tag, comm, &request);
    return wait_one(&request, MPI_STATUS_IGNORE);
}
PUBLIC int PMPI_Ssend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    MPI_Request request;
    PMPI_Issend(data, n, type, to, tag, comm, &request);
    return wait_one(&request, MPI_STATUS_IGNORE);
}
PUBLIC int PMPI_Irecv(void *buffer, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request) {
    world->enter();
    *request = world->new_request(receive_of(buffer, n, type, source, tag, comm));
    world->start_receive(*request);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Recv(void *buffer, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Request request;
    PMPI_Irecv(buffer, n, type, source, tag, comm, &request);
    return wait_one(&request, status);
}
PUBLIC int PMPI_Sendrecv(const void *data, int n, MPI_Datatype type, int to, int tag, void *buffer, int m,
                         MPI_Datatype its, int source, int its_tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Request requests[2];
    PMPI_Irecv(buffer, m, its, source, its_tag, comm, &requests[0]);
    PMPI_Isend(data, n, type, to, tag, comm, &requests[1]);
    const int error = wait_one(&requests[0], status);
    wait_one(&requests[1], MPI_STATUS_IGNORE);
    return error;
}
PUBLIC int PMPI_Recv_init(void *buffer, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                          MPI_Request *request) {
    Request its = receive_of(buffer, n, type, source, tag, comm);
    its.active = false, its.persistent = true;
    *request = world->new_request(std::move(its));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Send_init(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request *request) {
    Request its{.kind = Request::send};
    its.pack = [=] { return packed(data, n, type); };
    its.peer = to, its.tag = tag, its.context = comm;
    its.active = false, its.persistent = true;
    *request = world->new_request(std::move(its));
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Start(MPI_Request *request) {
    world->enter();
    Request &its = world->request(*request);
    if (its.kind == Request::receive)
        world->start_receive(*request);
    else
        world->isend(its.pack(), its.peer, its.tag, comm_of(its.context), false, *request);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Request_free(MPI_Request *request) {
    Request &its = world->request(*request);
    its.persistent = false;
    if (its.active && !its.done)
        its.orphan = true;
    else {
        int error;
        its.active = its.done = true;
        world->finish(request, MPI_STATUS_IGNORE, &error);
    }
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Cancel(MPI_Request *request) {
    world->enter();
    world->cancel(*request);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    world->enter();
    const auto message = world->find(source, tag, comm_of(comm), false);
    *flag = message != nullptr;
    if (message) tell(*message, comm, status);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    int flag = 0;
    world->wait([&] {
        const auto message = world->find(source, tag, comm_of(comm), false);
        if (message) tell(*message, comm, status);
        return (flag = message != nullptr) != 0;
    });
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *handle, MPI_Status *status) {
    world->enter();
    const auto message = world->find(source, tag, comm_of(comm), true);
    *flag = message != nullptr;
    if (!message) return MPI_SUCCESS;
    tell(*message, comm, status);
    *handle = hold(message);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *handle, MPI_Status *status) {
    int flag = 0;
    while (PMPI_Improbe(source, tag, comm, &flag, handle, status), !flag) world->idle();
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Imrecv(void *buffer, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    world->enter();
    *request = start_matched(buffer, n, type, message);
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Mrecv(void *buffer, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    MPI_Request request;
    PMPI_Imrecv(buffer, n, type, message, &request);
    return wait_one(&request, status);
}

// --- completion ---------------------------------------------------------------------------------------------------------

PUBLIC int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    world->enter();
    int error = MPI_SUCCESS;
    *flag = finish_one(request, status, &error);
    return error;
}
PUBLIC int PMPI_Wait(MPI_Request *request, MPI_Status *status) {
    return wait_one(request, status);
}
PUBLIC int PMPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    world->enter();
    *flag = all_done(n, requests);
    return *flag ? finish_all(n, requests, statuses) : MPI_SUCCESS;
}
PUBLIC int PMPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
    world->wait([&] { return all_done(n, requests); });
    return finish_all(n, requests, statuses);
}
PUBLIC int PMPI_Testsome(int n, MPI_Request requests[], int *some, int which[], MPI_Status statuses[]) {
    world->enter();
    int error = MPI_SUCCESS;
    *some = finish_some(n, requests, which, statuses, &error);
    return error;
}
PUBLIC int PMPI_Waitsome(int n, MPI_Request requests[], int *some, int which[], MPI_Status statuses[]) {
    int error = MPI_SUCCESS;
    world->wait([&] { return (*some = finish_some(n, requests, which, statuses, &error)) != 0; });
    return error;
}
PUBLIC int PMPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    world->enter();
    bool any_active = false;
    for (int k = 0; k < n; k++) {
        if (requests[k] == MPI_REQUEST_NULL || !world->request(requests[k]).active) continue;
        any_active = true;
        int error = MPI_SUCCESS;
        if (!finish_one(&requests[k], status, &error)) continue;
        *index = k, *flag = 1;
        return error;
    }
    *flag = !any_active, *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PUBLIC int PMPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status) {
    int flag = 0, error = MPI_SUCCESS;
    while (error = PMPI_Testany(n, requests, index, &flag, status), !flag) world->idle();
    return error;
}
PUBLIC int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    world->enter();
    *flag = all_done(1, &request);
    if (!*flag || request == MPI_REQUEST_NULL) return MPI_SUCCESS;
    const Request before = world->request(request);
    Request &its = world->request(request);
    int error = MPI_SUCCESS;
    its.persistent = true; // it stays
    MPI_Request same = request;
    world->finish(&same, status, &error);
    its = before;
    return MPI_SUCCESS;
}
PUBLIC int PMPIX_Request_is_complete(MPI_Request request) {
    return all_done(1, &request);
}
PUBLIC int PMPIX_Async_start(MPIX_Async_poll_function *look, void *, MPIX_Stream) {
    world->me().hooks.push_back([look] { return look(nullptr) == MPIX_ASYNC_DONE; });
    return MPI_SUCCESS;
}

// --- collectives --------------------------------------------------------------------------------------------------------

PUBLIC int PMPI_Barrier(MPI_Comm comm) {
    return wait_for(together(comm, nullptr, nullptr, [](Meeting &, const Communicator &) {}));
}
PUBLIC int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    world->enter();
    return later(together(comm, nullptr, nullptr, [](Meeting &, const Communicator &) {}), request);
}
static std::size_t bytes_of(int n, MPI_Datatype type) {
    return static_cast<std::size_t>(n) * size_of(type);
}

static std::shared_ptr<Meeting> meet_Bcast(void *buffer, std::size_t bytes, int root, MPI_Comm comm) {
    return together(comm, buffer, buffer, [=](Meeting &meeting, const Communicator &) {
        const auto source = static_cast<std::size_t>(root);
        for (std::size_t k = 0; k < meeting.out.size(); k++)
            if (k != source && bytes) std::memcpy(meeting.out[k], meeting.in[source], bytes);
    });
}

static const void *contribution(const Meeting &meeting, std::size_t rank) {
    return meeting.in[rank] == MPI_IN_PLACE ? meeting.out[rank] : meeting.in[rank];
}

enum class To { all, root, scan, exscan, blocks };
static std::shared_ptr<Meeting> meet_reduction(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, To to,
                                               int root, MPI_Comm comm) {
    return together(comm, in, out, [=](Meeting &meeting, const Communicator &) {
        const std::size_t ranks = meeting.in.size(), block = bytes_of(n, type),
                          bytes = to == To::blocks ? ranks * block : block;
        std::vector<std::vector<std::byte>> its(ranks, std::vector<std::byte>(bytes));
        for (std::size_t k = 0; k < ranks; k++)
            if (bytes) std::memcpy(its[k].data(), contribution(meeting, k), bytes);
        std::vector<std::byte> sum = its[0];
        for (std::size_t k = 0; k < ranks; k++) {
            if (to == To::exscan && k > 0) std::memcpy(meeting.out[k], sum.data(), bytes);
            if (k > 0) reduce(its[k].data(), sum.data(), bytes / size_of(type), type, op);
            if (to == To::scan) std::memcpy(meeting.out[k], sum.data(), bytes);
        }
        for (std::size_t k = 0; k < ranks; k++) {
            if (to == To::all || (to == To::root && static_cast<int>(k) == root))
                std::memcpy(meeting.out[k], sum.data(), bytes);
            if (to == To::blocks) std::memcpy(meeting.out[k], sum.data() + k * block, block);
        }
    });
}

static std::shared_ptr<Meeting> meet_alltoall(const void *in, void *out, std::size_t block, MPI_Comm comm) {
    return together(comm, in, out, [=](Meeting &meeting, const Communicator &) {
        const std::size_t n = meeting.in.size();
        for (std::size_t to = 0; to < n; to++)
            for (std::size_t from = 0; from < n; from++)
                std::memcpy(static_cast<std::byte *>(meeting.out[to]) + from * block,
                            static_cast<const std::byte *>(meeting.in[from]) + to * block, block);
    });
}

static std::shared_ptr<Meeting> meet_gather(const void *in, void *out, std::size_t block, int root, MPI_Comm comm) {
    return together(comm, in, out, [=](Meeting &meeting, const Communicator &) {
        for (std::size_t from = 0; from < meeting.in.size(); from++)
            std::memcpy(static_cast<std::byte *>(meeting.out[static_cast<std::size_t>(root)]) + from * block,
                        meeting.in[from], block);
    });
}

static std::shared_ptr<Meeting> meet_scatter(const void *in, void *out, std::size_t block, int root, MPI_Comm comm) {
    return together(comm, in, out, [=](Meeting &meeting, const Communicator &) {
        for (std::size_t to = 0; to < meeting.out.size(); to++)
            std::memcpy(meeting.out[to],
                        static_cast<const std::byte *>(meeting.in[static_cast<std::size_t>(root)]) + to * block, block);
    });
}

#define BOTH(NAME, LATER, PARAMETERS, MEETING)                  \
    PUBLIC int PMPI_##NAME(PARAMETERS) {                        \
        return wait_for(MEETING);                               \
    }                                                           \
    PUBLIC int PMPI_##LATER(PARAMETERS, MPI_Request *request) { \
        world->enter();                                         \
        return later(MEETING, request);                         \
    }
#define COMMA ,
#define BLOCKS const void *in COMMA int n COMMA MPI_Datatype type COMMA void *out COMMA int COMMA MPI_Datatype
#define REDUCTION const void *in COMMA void *out COMMA int n COMMA MPI_Datatype type COMMA MPI_Op op

BOTH(Bcast, Ibcast, void *buffer COMMA int n COMMA MPI_Datatype type COMMA int root COMMA MPI_Comm comm,
     meet_Bcast(buffer, bytes_of(n, type), root, comm))
BOTH(Allgather, Iallgather, BLOCKS COMMA MPI_Comm comm, gather_to_all(in, bytes_of(n, type), out, comm))
BOTH(Alltoall, Ialltoall, BLOCKS COMMA MPI_Comm comm, meet_alltoall(in, out, bytes_of(n, type), comm))
BOTH(Gather, Igather, BLOCKS COMMA int root COMMA MPI_Comm comm, meet_gather(in, out, bytes_of(n, type), root, comm))
BOTH(Scatter, Iscatter, BLOCKS COMMA int root COMMA MPI_Comm comm, meet_scatter(in, out, bytes_of(n, type), root, comm))
BOTH(Allreduce, Iallreduce, REDUCTION COMMA MPI_Comm comm, meet_reduction(in, out, n, type, op, To::all, 0, comm))
BOTH(Reduce, Ireduce, REDUCTION COMMA int root COMMA MPI_Comm comm,
     meet_reduction(in, out, n, type, op, To::root, root, comm))
BOTH(Scan, Iscan, REDUCTION COMMA MPI_Comm comm, meet_reduction(in, out, n, type, op, To::scan, 0, comm))
BOTH(Exscan, Iexscan, REDUCTION COMMA MPI_Comm comm, meet_reduction(in, out, n, type, op, To::exscan, 0, comm))
BOTH(Reduce_scatter_block, Ireduce_scatter_block, REDUCTION COMMA MPI_Comm comm,
     meet_reduction(in, out, n, type, op, To::blocks, 0, comm))

} // extern "C"
