#include "front/mdmp/region.h"

#include "front/mdmp/apart.h"
#include "front/mdmp/exchange.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <list>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace stretto::front::mdmp {

namespace {

// Of a communicator of the program, whose attribute it is, too: so it ends with it.
struct Owned : Communicator {
    MPI_Comm of = MPI_COMM_NULL;
    std::mutex being_made;
    bool is_made = false;
};

struct Region {
    const stretto_directive *directive;
    const Owned *communicator;
    pthread_t thread;
};

// A library may hold a lock of its own as it calls release(): nobody who has this one calls MPI.
std::mutex mutex;
std::list<Owned> communicators;
std::vector<Region> regions; // of all threads, in the order of their begins

std::atomic<bool> mpi_is_ours = false, mpi_has_ended = false;
std::atomic<int> level = MPI_THREAD_SINGLE; // of MPI, as the program sees it

// --- MPI's begin and end -----------------------------------------------------------------------------------------------------------

// A process that fails does not wait for the others in MPI_Finalize: the launcher ends them.
void finalize_at_exit(int status, void *) {
    int over = 0;
    if (!mpi_is_ours || status != 0 || MPI_Finalized(&over) != MPI_SUCCESS || over) return;
    MPI_Finalize();
}

void check_mpi_goes_on(const Directive &directive) {
    if (mpi_has_ended) fail(directive, "comes after MPI_Finalize");
}

void check_thread(const Directive &directive) {
    if (level >= MPI_THREAD_SERIALIZED) return;
    static thread_local int is_main = -1;
    if (is_main < 0) MPI_Is_thread_main(&is_main);
    if (!is_main)
        fail(directive, "is in a second thread, and MPI was initialized for one: use MPI_Init_thread with "
                        "MPI_THREAD_MULTIPLE, or leave it to the region");
}

// --- communicators -----------------------------------------------------------------------------------------------------------------

// The program frees its communicator.
int release(MPI_Comm, int, void *attribute, void *) {
    auto *const owned = static_cast<Owned *>(attribute);
    MPI_Comm comm = MPI_COMM_NULL, rest = MPI_COMM_NULL, parts = MPI_COMM_NULL;
    {
        const std::lock_guard lock(mutex);
        for (const Region &region : regions)
            if (region.communicator == owned)
                fail({"commregion", *region.directive}, "its communicator is freed, and it has not finished");
        comm = owned->comm;
        rest = owned->rest;
        parts = owned->parts;
        communicators.remove_if([&](const Owned &one) { return &one == owned; });
    }
    if (mpi_has_ended || comm == MPI_COMM_NULL) return MPI_SUCCESS;
    MPI_Comm_free(&parts);
    MPI_Comm_free(&rest);
    return MPI_Comm_free(&comm);
}

int our_keyval(const Directive &directive) {
    static std::mutex one_makes_it;
    static int keyval = MPI_KEYVAL_INVALID;
    const std::lock_guard lock(one_makes_it);
    if (keyval == MPI_KEYVAL_INVALID)
        check(directive, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, &keyval, nullptr));
    return keyval;
}

// By what it is made of, and not by MPI_Comm_dup, which would copy the program's attributes.
void make(const Directive &directive, Owned &owned) {
    MPI_Group group;
    int is_inter = 0, found = 0; // as MPI says it
    int *most_tag = nullptr;
    check(directive, MPI_Comm_group(owned.of, &group));
    for (MPI_Comm *comm : {&owned.comm, &owned.rest, &owned.parts}) {
        check(directive, MPI_Comm_create(owned.of, group, comm));
        check(directive, MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN)); // check() says which directive it was
    }
    MPI_Group_free(&group);
    check(directive, MPI_Comm_test_inter(owned.of, &is_inter));
    owned.is_inter = is_inter;
    check(directive, is_inter ? MPI_Comm_remote_size(owned.of, &owned.size) : MPI_Comm_size(owned.of, &owned.size));
    check(directive, MPI_Comm_rank(owned.of, &owned.rank));
    check(directive, MPI_Comm_get_attr(owned.of, MPI_TAG_UB, &most_tag, &found));
    owned.most_tag = found ? *most_tag : 32767; // MPI 4.1, 9.1.2
    check(directive, MPI_Comm_set_attr(owned.of, our_keyval(directive), &owned));
    owned.is_made = true;
}

// Under the lock.
Owned *find(MPI_Comm comm) {
    const auto found =
        std::find_if(communicators.begin(), communicators.end(), [&](const Owned &one) { return one.of == comm; });
    return found != communicators.end() ? &*found : nullptr;
}

// Other threads make others meanwhile: only who wants the same one waits.
const Owned &owned_of(const Directive &directive, MPI_Comm comm) {
    Owned *owned;
    {
        const std::lock_guard lock(mutex);
        owned = find(comm);
        if (!owned) {
            owned = &communicators.emplace_back();
            owned->comm = owned->rest = owned->parts = MPI_COMM_NULL;
            owned->of = comm;
            static unsigned serials = 0;
            owned->serial = ++serials;
        }
    }
    const std::lock_guard lock(owned->being_made);
    if (!owned->is_made) make(directive, *owned);
    return *owned;
}

// --- regions -----------------------------------------------------------------------------------------------------------------------

bool is_own(const Region &region) {
    return pthread_equal(region.thread, pthread_self()) != 0;
}

// Under the lock: the innermost one of this thread; of a thread without one, that of the thread that has opened any.
const Region &innermost(const Directive &directive) {
    const auto own = std::find_if(regions.rbegin(), regions.rend(), is_own);
    if (own != regions.rend()) return *own;
    if (regions.empty())
        fail(directive,
             "is outside a region: begin one (commregion) before it, and end it (commregionfinished) behind it");
    const Region &last = regions.back();
    for (const Region &region : regions)
        if (!pthread_equal(region.thread, last.thread))
            fail(directive,
                 "is in a thread without a region, and several other threads have one: begin one in this thread");
    return last;
}

// Under the lock: is it the communicator of a region that is around a directive of the same thread as this one?
bool is_around(const Region &innermost, const Owned *communicator) {
    return std::any_of(regions.begin(), regions.end(), [&](const Region &region) {
        return region.communicator == communicator && pthread_equal(region.thread, innermost.thread);
    });
}

const Owned &named_or_innermost(const Directive &directive, const MPI_Comm *comm) {
    const std::lock_guard lock(mutex);
    const Region &region = innermost(directive);
    if (!comm) return *region.communicator;
    if (*comm == MPI_COMM_NULL) fail(directive, "its communicator is MPI_COMM_NULL");
    const Owned *const owned = find(*comm);
    if (!owned || !is_around(region, owned))
        fail(directive, "its communicator is that of no region around it: name it there, too (commregion comm(...))");
    return *owned;
}

} // namespace

void begin_mpi(const Directive &directive) {
    check_mpi_goes_on(directive);
    static std::mutex one_does;
    const std::lock_guard lock(one_does);
    int begun = 0;
    check(directive, MPI_Initialized(&begun));
    if (!begun) {
        int provided;
        check(directive, MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
        mpi_is_ours = true;
        on_exit(finalize_at_exit, nullptr);
    }
    int now = MPI_THREAD_SINGLE;
    check(directive, MPI_Query_thread(&now));
    level = now;
}

void begin_region(const Directive &directive, const MPI_Comm *comm) {
    begin_mpi(directive);
    check_nothing_pends(directive);
    check_thread(directive);
    if (comm && *comm == MPI_COMM_NULL) fail(directive, "its communicator is MPI_COMM_NULL");
    const Owned &owned = owned_of(directive, comm ? *comm : MPI_COMM_WORLD);
    const std::lock_guard lock(mutex);
    regions.push_back({&directive.given, &owned, pthread_self()});
}

void end_region(const Directive &directive) {
    check_mpi_goes_on(directive);
    check_nothing_pends(directive);
    wait_for_parts();
    const std::lock_guard lock(mutex);
    const auto own = std::find_if(regions.rbegin(), regions.rend(), is_own);
    if (own == regions.rend()) fail(directive, "there is no region that this thread has begun");
    regions.erase(std::next(own).base());
}

const Communicator &communicator_of(const Directive &directive, const MPI_Comm *comm) {
    check_mpi_goes_on(directive);
    const Owned &owned = named_or_innermost(directive, comm);
    check_thread(directive);
    return owned;
}

bool take_over_mpi() {
    return mpi_is_ours.exchange(false);
}

void end_all_regions() {
    {
        const std::lock_guard lock(mutex);
        if (!regions.empty())
            fail({"commregion", *regions.back().directive},
                 "has not finished where MPI_Finalize is called: end it (commregionfinished)");
    }
    mpi_has_ended = true;
}

} // namespace stretto::front::mdmp
