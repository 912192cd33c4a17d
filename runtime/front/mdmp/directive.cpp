#include "front/mdmp/directive.h"

#include "mpi/job.h"
#include "progress/progress.h"
#include "trace/source.h"

#include <atomic>

namespace stretto::front::mdmp {

namespace {

// A directive may be wrong where nobody has told yet how a job ends: with STRETTO=off, before MPI_Init, after MPI_Finalize.
void say_how_to_end() {
    static int rank = -1;
    int begun = 0, over = 0;
    mpi::library.Initialized(&begun);
    mpi::library.Finalized(&over);
    const bool goes_on = begun && !over;
    if (goes_on) mpi::library.Comm_rank(MPI_COMM_WORLD, &rank);
    on_failure(rank, goes_on ? mpi::abort_job : nullptr);
}

} // namespace

std::string written(const char *name, const char *text) {
    return text && *text ? std::string(name) + '(' + text + ')' : std::string(name);
}

std::string line_of(const char *file, unsigned line) {
    if (!file || !*file) return "unknown line";
    return line ? file + (':' + std::to_string(line)) : std::string(file);
}

std::string Directive::written() const {
    return mdmp::written(name, given.text);
}

std::string Directive::line() const {
    return line_of(given.file, given.line);
}

std::uint32_t Directive::number() const {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(given.known));
}

void fail(const Directive &directive, const std::string &text) {
    say_how_to_end();
    fail_at(directive.line(), directive.written(), text);
}

void check(const Directive &directive, int error) {
    if (error == MPI_SUCCESS) [[likely]]
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    mpi::library.Error_string(error, text, &length);
    fail(directive, text);
}

Directive introduce(const char *name, stretto_directive &given, CallSite site) {
    mpi::require();
    const Directive directive{name, given};
    const std::atomic_ref<const void *> known(given.known);
    if (known.load(std::memory_order_relaxed)) [[likely]]
        return directive;
    if (given.version > STRETTO_MDMP_VERSION)
        fail(directive, "was compiled for a later Stretto than this one, which knows version " +
                            std::to_string(STRETTO_MDMP_VERSION));
    const progress::Guard guard;
    if (given.file) source::known(site, {given.function ? given.function : "", line_of(given.file, given.line)});
    static std::atomic<std::uintptr_t> numbers = 0;
    const void *nobody = nullptr; // else another thread has introduced it meanwhile
    known.compare_exchange_strong(nobody, reinterpret_cast<const void *>(++numbers));
    return directive;
}

} // namespace stretto::front::mdmp
