#include "mpi/report.h"

#include "mpi/job.h"
#include "settings/settings.h"
#include "trace/page.h"
#include "trace/report.h"
#include "trace/summary.h"
#include "trace/timeline.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

namespace stretto::mpi {

namespace {

// Of its own: on the private one a rank that is behind takes in all that comes (rule 18).
MPI_Comm all;
double begun = 0;

bool is_root() {
    if (!job.has_deltas()) return job.rank == 0 || job.world_rank.size() == 1;
    int rank = 0;
    library.Comm_rank(job.deltas, &rank);
    return rank == 0;
}

// Of a job that ends before it is written nothing stays.
bool can_be_written(const char *path) {
    const bool is_new = access(path, F_OK) != 0;
    std::FILE *file = std::fopen(path, "a");
    if (!file) return false;
    std::fclose(file);
    if (is_new) unlink(path);
    return true;
}

// Were all asked? Nobody waits for who was not.
bool all_asked() {
    if (job.some_report && !job.all_report && is_root())
        std::fprintf(stderr, "stretto: no report: STRETTO_REPORT is set for some ranks only\n");
    return job.all_report;
}

// A binomial tree, so that nobody hears from more than log2(ranks) others.
report::Summary merge_up(report::Summary own) {
    if (all == MPI_COMM_NULL) return own;
    int rank = 0, ranks = 1;
    library.Comm_rank(all, &rank);
    library.Comm_size(all, &ranks);
    for (int step = 1; step < ranks; step *= 2) {
        if (rank & step) {
            std::vector<std::byte> bytes = report::pack(own);
            const unsigned long long n = bytes.size();
            library.Send(&n, 1, MPI_UNSIGNED_LONG_LONG, rank - step, 0, all);
            library.Send(bytes.data(), static_cast<int>(n), MPI_BYTE, rank - step, 0, all);
            break;
        }
        if (rank + step >= ranks) continue;
        unsigned long long n = 0;
        library.Recv(&n, 1, MPI_UNSIGNED_LONG_LONG, rank + step, 0, all, MPI_STATUS_IGNORE);
        std::vector<std::byte> bytes(n);
        library.Recv(bytes.data(), static_cast<int>(n), MPI_BYTE, rank + step, 0, all, MPI_STATUS_IGNORE);
        own.merge(report::unpack(bytes));
    }
    return own;
}

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    library.Get_library_version(text, &length);
    std::string version(text, std::strcspn(text, "\n,"));
    std::replace(version.begin(), version.end(), '\t', ' ');
    const auto two_spaces = [](char a, char b) { return a == ' ' && b == ' '; };
    version.erase(std::unique(version.begin(), version.end(), two_spaces), version.end());
    return version;
}

report::Surroundings surroundings() {
    report::Surroundings here;
    here.library = library_version();
    here.world = job.size;
    here.why_native = job.framing ? "" : *job.why;
    here.seconds = trace::now() - begun;
    for (const LinkClass &c : link_classes())
        here.links.push_back({c.name, c.peers, c.link.eager, c.link.rate, c.frames_plain});
    return here;
}

} // namespace

void agree_on_report() {
    begun = trace::now();
    all = MPI_COMM_NULL;
    if (!all_asked()) return;
    int possible = 1;
    if (is_root() && !can_be_written(settings.report)) {
        std::fprintf(stderr, "stretto: no report: %s cannot be written: %s\n", settings.report, std::strerror(errno));
        possible = 0;
    }
    if (job.has_deltas()) library.Bcast(&possible, 1, MPI_INT, 0, job.deltas);
    if (!possible) return;
    if (job.has_deltas()) library.Comm_dup(job.deltas, &all);
    report::start();
}

void write_report() {
    if (!report::enabled) return;
    report::enabled = false;
    const auto ran = static_cast<std::uint64_t>((trace::now() - begun) * 1e9);
    const report::Summary sum = merge_up(report::summary(job.rank, ran));
    if (all != MPI_COMM_NULL) library.Comm_free(&all);
    if (!is_root()) return;
    const report::Page page = report::page(sum, surroundings());
    if (report::write(settings.report, page.text))
        std::fprintf(stderr, "stretto: %s. The report: %s\n", page.verdict.c_str(), settings.report);
    else
        std::fprintf(stderr, "stretto: the report %s could not be written: %s\n", settings.report,
                     std::strerror(errno));
}

} // namespace stretto::mpi
