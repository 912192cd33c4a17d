#include "tune/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>

namespace stretto {

Settings settings;

namespace {

bool is_on(const char *name) {
    const char *value = std::getenv(name);
    return value && *value && std::strcmp(value, "0") != 0;
}

// What cannot be read is reported and left as it was.
template <class Number>
void read(const char *name, Number &number) {
    const char *value = std::getenv(name);
    if (!value || !*value) return;
    if (const std::optional<double> bytes = bytes_asked(value))
        number = static_cast<Number>(*bytes);
    else
        std::fprintf(stderr, "stretto: %s=%s is not a number of bytes (such as 8192 or 8K); ignored\n", name, value);
}

// One of several words. What is none of them is reported, and is as if it was not set.
const char *known_word(const char *name, const char *value, std::span<const char *const> words) {
    std::string all;
    for (const char *word : words) {
        if (std::strcmp(value, word) == 0) return word;
        all += std::string(all.empty() ? "" : ", ") + word;
    }
    std::fprintf(stderr, "stretto: %s=%s is unknown (it may be: %s); ignored\n", name, value, all.c_str());
    return nullptr;
}

const char *read_word(const char *name, std::initializer_list<const char *> words) {
    const char *value = std::getenv(name);
    return value && *value ? known_word(name, value, {words.begin(), words.end()}) : nullptr;
}

// Microseconds, or a word.
double read_helper(const char *name) {
    const char *value = std::getenv(name);
    if (!value || !*value || std::strcmp(value, "auto") == 0) return -1;
    if (std::strcmp(value, "off") == 0) return 0;
    char *end = nullptr;
    const double microseconds = std::strtod(value, &end);
    if (end != value && !*end && microseconds >= 0) return 1e-6 * microseconds;
    std::fprintf(stderr, "stretto: %s=%s is unknown (it may be: auto, off, or a number of microseconds); ignored\n",
                 name, value);
    return -1;
}

} // namespace

std::optional<double> bytes_asked(const char *text) {
    char *end = nullptr;
    double bytes = std::strtod(text, &end);
    switch (std::toupper(static_cast<unsigned char>(*end))) {
    case 'G': // NOLINT(bugprone-branch-clone): it falls into the next
        bytes *= 1024;
        [[fallthrough]];
    case 'M':
        bytes *= 1024;
        [[fallthrough]];
    case 'K':
        bytes *= 1024, end++;
    }
    return end == text || *end || bytes < 0 ? std::nullopt : std::optional(bytes);
}

std::optional<Trigger> trigger_asked(const char *name, const char *word) {
    static constexpr std::array names = {"auto", "annotations", "pages", "plain"};
    const char *known = known_word(name, word, names);
    return known ? std::optional(static_cast<Trigger>(std::find(names.begin(), names.end(), known) - names.begin()))
                 : std::nullopt;
}

std::optional<Use> use_asked(const char *name, const char *word) {
    static constexpr std::array names = {"off", "chunk", "receive", "send", "all"};
    static constexpr Use uses[] = {
        {false, false, false}, {}, {true, true, false}, {true, false, true}, {true, true, true}};
    const char *known = known_word(name, word, names);
    if (!known) return std::nullopt;
    const Use use = uses[std::find(names.begin(), names.end(), known) - names.begin()];
    Use::receives_somewhere |= use.receives;
    return use;
}

void read_settings() {
    settings = {};
    if (const char *word = std::getenv("STRETTO"); word && *word)
        settings.use = use_asked("STRETTO", word).value_or(settings.use);
    settings.off = !settings.use.frames;
    const char *release = read_word("STRETTO_RELEASE", {"matched", "unmatched"});
    settings.unmatched = release && std::strcmp(release, "unmatched") == 0;
    settings.helper = read_helper("STRETTO_HELPER");
    const char *trials = read_word("STRETTO_TRIALS", {"on", "off"});
    settings.trials = !trials || std::strcmp(trials, "off") != 0;
    settings.force = is_on("STRETTO_FORCE");
    settings.counters = is_on("STRETTO_COUNTERS");
    settings.debug = is_on("STRETTO_DEBUG");
    settings.info = is_on("STRETTO_INFO");
    settings.all_links = settings.info && std::strcmp(std::getenv("STRETTO_INFO"), "links") == 0;
    if (settings.force) {
        settings.threshold = 0;
        settings.budget = 0;
        settings.delta = 2048;
        settings.fast_link = 1e300;
    }
    read("STRETTO_DELTA", settings.delta);
    read("STRETTO_THRESHOLD", settings.threshold);
    read("STRETTO_LARGEST", settings.largest);
    read("STRETTO_BUDGET", settings.budget);
    read("STRETTO_FAST_LINK", settings.fast_link);
    // Deltas are multiples of 32 bytes, as fragments are (rule 5).
    if (settings.delta) settings.delta = std::max<std::size_t>(settings.delta / 32 * 32, 256);
    if (const char *word = std::getenv("STRETTO_TRIGGER"); word && *word)
        settings.trigger = trigger_asked("STRETTO_TRIGGER", word).value_or(settings.trigger);
    settings.tracker = read_word("STRETTO_TRACKER", {"userfault", "mprotect", "none"});
    settings.guard = read_word("STRETTO_GUARD", {"userfault", "mprotect", "block"});
    settings.system_calls = read_word("STRETTO_SYSCALLS", {"dispatch", "wrappers"});
    settings.trace = std::getenv("STRETTO_TRACE");
    settings.report = std::getenv("STRETTO_REPORT");
    if (const char *text = std::getenv("STRETTO_COLLECTIVES")) settings.collectives = text;
    // A word of theirs, so that rank 0's counts for all.
    if (is_on("STRETTO_REORDER")) settings.collectives += settings.collectives.empty() ? "reorder" : ",reorder";
    if (settings.report && !*settings.report) settings.report = nullptr;
}

} // namespace stretto
