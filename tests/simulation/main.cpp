// Random programs, each in an order of events that its seed gives: many ranks, each with a libstretto of its own, in one process. A program
// that fails is run again from the same state, and made smaller while it still fails.
#include "copies.h"
#include "program.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace simulation;

namespace {

struct Options {
    std::string library;
    int ranks = 3;
    std::uint64_t first = 1, count = 1000, batch = 200;
    bool shows = false;
    Model model;
} options;

std::vector<Functions *> libraries;

// The network of a schedule, and how evenly its calls take time.
Model model_of(std::uint64_t seed) {
    Random random(seed ^ 0xabcdef);
    Model model = options.model;
    model.latency = 1e-6 * static_cast<double>(1 + random.below(40));
    model.jitter = random.chance(0.5) ? 0 : 200e-6 * random.real();
    model.stall = random.chance(0.5) ? 0 : 100e-6 * random.real();
    model.rate = random.chance(0.5) ? 1e10 : 2e8;
    return model;
}

// What went wrong, or "". The last program of all is followed by MPI_Finalize.
std::string run(const Program &program, std::uint64_t seed, bool is_last = false) {
    std::string wrong;
    world->model = model_of(seed);
    begin(program);
    const bool ended = world->run(
        [&](int rank) {
            Functions &mpi = *libraries[static_cast<std::size_t>(rank)];
            perform(program, rank, mpi, wrong, is_last);
            world->me().doing = "MPI_Finalize";
            if (is_last) finalize(mpi);
        },
        seed);
    if (!ended) return wrong + "nothing moves any more\n" + world->leftover();
    if (const std::string left = is_last ? world->leftover() : ""; !left.empty())
        wrong += "behind MPI_Finalize:\n" + left;
    return wrong;
}

struct Child {
    int status = 0;
    std::string text;
};

// What ranks of one node share is a file's memory, which a child would share with us. So it gets a copy.
std::vector<std::pair<char *, std::size_t>> shared_memory() {
    std::vector<std::pair<char *, std::size_t>> all;
    FILE *const maps = std::fopen("/proc/self/maps", "r");
    char line[512];
    while (std::fgets(line, sizeof line, maps)) {
        unsigned long begin = 0, end = 0;
        if (std::strstr(line, "stretto-inbox") && std::sscanf(line, "%lx-%lx", &begin, &end) == 2)
            all.emplace_back(reinterpret_cast<char *>(begin), end - begin);
    }
    std::fclose(maps);
    return all;
}

void copy_shared_memory(const std::vector<std::pair<char *, std::size_t>> &all) {
    for (const auto &[memory, bytes] : all) {
        const std::vector<char> its(memory, memory + bytes);
        if (mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != memory)
            std::abort();
        std::memcpy(memory, its.data(), bytes);
    }
}

// In a child, which begins where this process is.
template <class Work>
Child in_child(Work work) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    std::fflush(nullptr);
    const auto shared = shared_memory();
    for (const auto &[memory, bytes] : shared) madvise(memory, bytes, MADV_DOFORK);
    const pid_t child = fork();
    if (child == 0) {
        copy_shared_memory(shared);
        dup2(ends[1], 1), dup2(ends[1], 2);
        close(ends[0]), close(ends[1]);
        setvbuf(stdout, nullptr, _IOLBF, 0); // where it dies, what was said is known
        const int status = work();
        std::fflush(nullptr);
        _exit(status);
    }
    close(ends[1]);
    Child result;
    char text[4096];
    for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;) result.text.append(text, static_cast<std::size_t>(n));
    close(ends[0]);
    waitpid(child, &result.status, 0);
    return result;
}

// Programs one after the other, from the state that this process is in.
struct Scheduled {
    std::uint64_t seed;
    Program program;
};
using Story = std::vector<Scheduled>;

Child try_again(const Story &story, bool with_end) {
    return in_child([&] {
        for (const auto &[seed, program] : story)
            if (const std::string wrong = run(program, seed, with_end && &program == &story.back().program);
                !wrong.empty()) {
                std::printf("%s", wrong.c_str());
                return 1;
            }
        return 0;
    });
}

// Leaves out programs, and then messages, while it still fails.
void make_smaller(Story &story, bool with_end) {
    for (std::size_t k = story.size() - 1; k-- > 0;) {
        Story fewer = story;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
        if (try_again(fewer, with_end).status != 0) story = std::move(fewer);
    }
    for (bool again = true; again;) {
        again = false;
        for (auto &scheduled : story)
            for (auto &message : scheduled.program.messages) {
                if (message.gone) continue;
                message.gone = true;
                if (try_again(story, with_end).status != 0)
                    again = true;
                else
                    message.gone = false;
            }
    }
}

bool is_last_of_batch(std::uint64_t seed) {
    return (seed - options.first + 1) % options.batch == 0 || seed + 1 == options.first + options.count;
}

void report(std::uint64_t seed, const std::string &first) {
    std::printf("FAILED seed %lu\n%s", static_cast<unsigned long>(seed), first.c_str());
    const bool with_end = is_last_of_batch(seed);
    const std::uint64_t of_batch = (seed - options.first) % options.batch;
    Story story;
    Child last;
    for (std::uint64_t before = 0; last.status == 0 && before <= of_batch;
         before = before == of_batch ? of_batch + 1 : std::min(2 * before + 1, of_batch)) {
        story.clear();
        for (std::uint64_t k = seed - before; k <= seed; k++)
            story.push_back({k, Program(k, options.ranks, options.model.completes)});
        last = try_again(story, with_end);
    }
    if (last.status == 0) {
        std::printf("it does not fail again in these programs: perhaps in MPI_Finalize behind them\n");
        return;
    }
    make_smaller(story, with_end);
    last = try_again(story, with_end);
    std::size_t messages = 0;
    for (const auto &scheduled : story)
        for (const auto &message : scheduled.program.messages) messages += !message.gone;
    std::printf("the smallest that fails, %zu messages:\n", messages);
    for (const auto &[its, program] : story)
        std::printf(" seed %lu\n%s", static_cast<unsigned long>(its), program.text().c_str());
    std::printf("%s", last.text.c_str());
    if (WIFSIGNALED(last.status)) std::printf("ended by signal %d\n", WTERMSIG(last.status));
}

int batch(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t seed = first; seed < first + count; seed++) {
        std::printf("seed %lu\n", static_cast<unsigned long>(seed));
        const Program program(seed, options.ranks, options.model.completes);
        if (options.shows) std::printf("%s", program.text().c_str());
        if (const std::string wrong = run(program, seed, is_last_of_batch(seed)); !wrong.empty()) {
            std::printf("%s", wrong.c_str());
            return 1;
        }
    }
    std::printf("steps %lu\n", static_cast<unsigned long>(world->steps));
    return 0;
}

[[noreturn]] void usage(const char *why) {
    std::fprintf(stderr,
                 "%s\nusage: simulate --library libstretto.so [--ranks 3] [--first SEED] [--count N] [--batch N] "
                 "[--eager BYTES] "
                 "[--one-node] [--holds] [--shows] [--fault twice|overtakes|lost|unsaid]\n",
                 why);
    std::exit(2);
}

Model::Fault fault_of(const std::string &word) {
    constexpr std::array names = {"none", "twice", "overtakes", "lost", "unsaid"};
    for (std::size_t k = 0; k < names.size(); k++)
        if (word == names[k]) return static_cast<Model::Fault>(k);
    usage(("no such fault: " + word).c_str());
}

void read_options(int argc, char **argv) {
    for (int k = 1; k < argc; k++) {
        const std::string word = argv[k];
        auto value = [&]() -> const char * {
            if (k + 1 >= argc) usage((word + " needs a value").c_str());
            return argv[++k];
        };
        if (word == "--library")
            options.library = value();
        else if (word == "--ranks")
            options.ranks = std::atoi(value());
        else if (word == "--first")
            options.first = std::strtoull(value(), nullptr, 10);
        else if (word == "--count")
            options.count = std::strtoull(value(), nullptr, 10);
        else if (word == "--batch")
            options.batch = std::strtoull(value(), nullptr, 10);
        else if (word == "--eager")
            options.model.eager = std::strtoull(value(), nullptr, 10);
        else if (word == "--one-node")
            options.model.one_node = true;
        else if (word == "--holds")
            options.model.completes = false;
        else if (word == "--fault")
            options.model.fault = fault_of(value());
        else if (word == "--shows")
            options.shows = true;
        else
            usage(("unknown: " + word).c_str());
    }
    if (options.library.empty()) usage("which library?");
    if (options.ranks < 2 || options.batch == 0) usage("two ranks at least, and one program of a batch");
}

} // namespace

int main(int argc, char **argv) {
    read_options(argc, argv);
    begin_anew(argv, options.ranks);
    set_environment();
    // All that can be framed is, in the smallest pieces.
    for (const char *name : {"STRETTO_FORCE", "STRETTO_REORDER", "STRETTO_COUNTERS"}) setenv(name, "1", 0);
    Model at_first = options.model;
    at_first.fault = Model::none;
    World all(options.ranks, at_first);
    for (void *handle : load_copies(options.library, options.ranks)) libraries.push_back(load(handle));
    if (!all.run([](int rank) { initialize(*libraries[static_cast<std::size_t>(rank)]); }, 0)) {
        std::printf("MPI_Init does not end\n");
        return 1;
    }
    std::printf("MPI_Init took %.1f ms of the world's time\n", all.now() * 1e3);
    for (std::uint64_t seed = options.first; seed < options.first + options.count; seed += options.batch) {
        const std::uint64_t count = std::min(options.batch, options.first + options.count - seed);
        const Child child = in_child([&] { return batch(seed, count); });
        std::uint64_t failed = seed;
        std::string shown, line;
        for (const char c : child.text) {
            line += c;
            if (c != '\n') continue;
            if (line.starts_with("seed "))
                failed = std::strtoull(line.c_str() + 5, nullptr, 10), shown.clear();
            else if (line.starts_with("stretto: counter ") || line.starts_with("steps "))
                std::fputs(line.c_str(), stdout);
            else
                shown += line;
            line.clear();
        }
        if (child.status != 0) {
            if (WIFSIGNALED(child.status)) shown += "ended by signal " + std::to_string(WTERMSIG(child.status)) + "\n";
            report(failed, shown);
            return 1;
        }
    }
    std::printf("%lu schedules\n", static_cast<unsigned long>(options.count));
    return 0;
}
