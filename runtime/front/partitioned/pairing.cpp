#include "front/partitioned/pairing.h"

#include "mpi/channel.h"
#include "mpi/job.h"
#include "process/lasting.h"
#include "trace/report.h"
#include "transport/two_sided.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace stretto::front::pairing {

namespace {

// Tags of Job::partitioned: that of what is told, the told ones, and those of two forms of names, which have so many bits for each of their numbers.
constexpr int pairing_tag = 0;
struct Form {
    int first_tag, communicator, tag, ordinal;
};
constexpr std::array forms = {Form{1 << 27, 5, 8, 14}, Form{1 << 26, 5, 15, 6}};

bool has_forms() {
    return mpi::job.tag_bound >= (1 << 28) - 1; // all libraries that we know
}
int last_told() {
    return has_forms() ? forms.back().first_tag - 1 : mpi::job.tag_bound;
}

// Told, and not yet asked for.
struct Waiting {
    int from;
    Told told;
};
constinit std::vector<Waiting> waiting;

// What we tell, until the library has sent it.
struct Telling {
    Told told;
    MPI_Request request = MPI_REQUEST_NULL;
};
constinit std::vector<std::unique_ptr<Telling>> telling;

// By rank in Job::partitioned. Tags are used again late, so that a message of one that was freed meets none of another.
struct Tags {
    std::set<int> in_use;
    int last = pairing_tag;
};
constinit Lasting<std::map<int, Tags>> tags;

void forget_what_has_left() {
    std::erase_if(telling, [](const std::unique_ptr<Telling> &one) {
        int done = 0;
        mpi::library.Test(&one->request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

} // namespace

bool serves(const mpi::Communicator &comm) {
    return comm.partitioned != nullptr;
}

Name next(mpi::Communicator &comm, bool sends, int rank, int tag) {
    const bool to_itself = rank == comm.rank;
    const auto number = static_cast<std::uint64_t>(comm.partitioned->number_of(sends ? rank : comm.rank));
    return {to_itself ? comm.serial : number, tag, comm.partitioned_made[{sends, rank, tag}]++};
}

std::optional<int> tag_of(const Name &name) {
    for (const Form &form : forms) {
        if (!has_forms() || name.communicator >> form.communicator || name.tag >> form.tag ||
            name.ordinal >> form.ordinal)
            continue;
        const int communicator_and_tag = static_cast<int>(name.communicator) << form.tag | name.tag;
        return form.first_tag + (communicator_and_tag << form.ordinal | static_cast<int>(name.ordinal));
    }
    return std::nullopt;
}

int way_to(const mpi::Communicator &comm, int rank) {
    return comm.peers[static_cast<std::size_t>(rank)]->rank;
}

std::optional<int> take_tag(int to) {
    Tags &its = (*tags)[to];
    if (its.in_use.size() >= static_cast<std::size_t>(last_told()) / 2) return std::nullopt;
    do its.last = its.last >= last_told() ? pairing_tag + 1 : its.last + 1;
    while (!its.in_use.insert(its.last).second);
    return its.last;
}

void give_back_tag(int to, int tag) {
    (*tags)[to].in_use.erase(tag);
}

int tell(int to, const Told &told) {
    forget_what_has_left();
    Telling &one = *telling.emplace_back(std::make_unique<Telling>(Telling{told}));
    const report::InLibrary not_ours;
    return mpi::library.Isend(&one.told, sizeof one.told, MPI_BYTE, to, pairing_tag, mpi::job.partitioned,
                              &one.request);
}

std::optional<Told> heard(int from, const Name &name) {
    const report::InLibrary not_ours;
    transport::take_in<Told>(mpi::job.partitioned, pairing_tag, [](int sender, const Told &told) {
        waiting.push_back({sender, told});
    });
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const Waiting &one) { return one.from == from && one.told.name == name; });
    if (found == waiting.end()) return std::nullopt;
    const Told told = found->told;
    waiting.erase(found);
    return told;
}

} // namespace stretto::front::pairing
