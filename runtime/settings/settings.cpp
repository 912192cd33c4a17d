#include "settings/settings.h"

#include "settings/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

extern "C" char **environ;

namespace stretto {

constinit Settings settings;

namespace {

constinit std::vector<std::string> about;

constexpr SettingRow rows[] = {
#define SETTING(type, member, initial, ...) {__VA_ARGS__},
#define VARIABLE(...) {__VA_ARGS__},
#include "settings/settings.def"
};

constexpr std::string_view others[] = {
#define OTHERS(begin) begin,
#include "settings/settings.def"
};

// The words of "off|on|<bytes>", and what else it may be: "<bytes>" or nothing.
struct MayBe {
    std::vector<std::string> words;
    std::string value;

    explicit MayBe(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('|'), text.size());
            const std::string_view word = text.substr(0, end);
            if (word.starts_with('<'))
                value = word;
            else
                words.emplace_back(word);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    std::optional<std::size_t> index(std::string_view word) const {
        const auto at = std::find(words.begin(), words.end(), word);
        return at == words.end() ? std::nullopt : std::optional<std::size_t>(at - words.begin());
    }

    std::string listed() const {
        std::string all;
        for (const std::string &word : words) all += (all.empty() ? "" : ", ") + word;
        if (value.empty()) return all;
        const std::string kind = value.substr(1, value.size() - 2);
        return all + (all.empty() ? "" : ", or ") + "a number of " + kind +
               (kind == "bytes" ? ", such as 8192 or 8K" : "");
    }
};

std::string unknown(const char *name, const char *value, const MayBe &may_be) {
    const std::string_view near = nearest(value, may_be.words);
    return std::string(name) + "=" + value + " is unknown (it may be: " + may_be.listed() +
           (near.empty() ? "" : "; did you mean " + std::string(near) + "?") + "); ignored";
}

// --- a value of each type --------------------------------------------------------------------------------------------
//
// read(text, what it may be, where it goes): false where the text is none of these.

bool read(const char *text, const MayBe &may_be, bool &is) {
    constexpr std::array<std::string_view, 3> no = {"off", "no", "false"}, yes = {"on", "yes", "true"};
    std::optional<std::size_t> which = may_be.index(text);
    if (!which && may_be.index("0")) {
        if (std::find(no.begin(), no.end(), text) != no.end()) which = 0;
        if (std::find(yes.begin(), yes.end(), text) != yes.end()) which = 1;
    }
    if (which) is = *which == 1;
    return which.has_value();
}

bool read(const char *text, const MayBe &may_be, Use &use) {
    static constexpr Use uses[] = {
        {false, false, false}, {}, {true, true, false}, {true, false, true}, {true, true, true}};
    const auto which = may_be.index(text);
    if (which) use = uses[*which];
    return which.has_value();
}

template <class Enum>
requires std::is_enum_v<Enum>
bool read(const char *text, const MayBe &may_be, Enum &which) {
    const auto index = may_be.index(text);
    if (index) which = static_cast<Enum>(*index);
    return index.has_value();
}

// Bytes, or what else is a number; of a thread's period, microseconds or a word.
template <class Number>
requires std::is_arithmetic_v<Number>
bool read(const char *text, const MayBe &may_be, Number &number) {
    const bool is_period = may_be.value == "<microseconds>";
    if (is_period && may_be.index(text))
        return number = static_cast<Number>(std::string_view(text) == "off" ? 0 : -1), true;
    const std::optional<double> asked = bytes_asked(text);
    if (asked) number = static_cast<Number>(*asked * (is_period ? 1e-6 : 1));
    return asked.has_value();
}

bool read(const char *text, const MayBe &may_be, const char *&word) {
    if (may_be.words.empty() || may_be.index(text)) return word = text, true;
    return false;
}

template <class Type>
void read_variable(const char *variable, const char *may_be, Type &member) {
    const char *text = std::getenv(variable);
    if (text && *text && !read(text, MayBe(may_be), member)) complain(unknown(variable, text, MayBe(may_be)));
}

const char *may_be(std::string_view variable) {
    return std::find_if(std::begin(rows), std::end(rows),
                        [&](const SettingRow &row) { return row.variable == variable; })
        ->may_be;
}

template <class What>
std::optional<What> asked(const char *name, const char *word, const char *variable) {
    What what{};
    const MayBe words(may_be(variable));
    if (read(word, words, what)) return what;
    std::fprintf(stderr, "stretto: %s\n", unknown(name, word, words).c_str());
    return std::nullopt;
}

void force() {
    settings.threshold = 0;
    settings.budget = 0;
    settings.delta = 2048;
    settings.fast_link = 1e300;
}

} // namespace

const std::vector<std::string> &complaints() {
    return about;
}

void complain(std::string sentence) {
    about.push_back(std::move(sentence));
}

std::span<const SettingRow> setting_rows() {
    return rows;
}

std::vector<std::string> unknown_variables(const char *const *environment) {
    std::vector<std::string> known, found;
    for (const SettingRow &row : rows) known.emplace_back(row.variable);
    for (; *environment; environment++) {
        const std::string_view line = *environment;
        const std::string name(line.substr(0, line.find('=')));
        const bool is_known = std::find(known.begin(), known.end(), name) != known.end() ||
                              std::any_of(std::begin(others), std::end(others),
                                          [&](std::string_view begin) { return name.starts_with(begin); });
        if (!name.starts_with("STRETTO") || is_known) continue;
        const std::string_view near = nearest(name, known);
        found.push_back(name + " is no setting" + (near.empty() ? "" : "; did you mean " + std::string(near) + "?") +
                        " (`stretto settings` lists them)");
    }
    return found;
}

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
    return asked<Trigger>(name, word, "STRETTO_TRIGGER");
}

std::optional<Use> use_asked(const char *name, const char *word) {
    const std::optional<Use> use = asked<Use>(name, word, "STRETTO");
    Use::receives_somewhere |= use && use->receives;
    return use;
}

void read_settings() {
    settings = {};
    read_variable("STRETTO_FORCE", may_be("STRETTO_FORCE"), settings.force);
    if (settings.force) force(); // what others may set otherwise
    about.clear();               // it is read once more
#define SETTING(type, member, initial, variable, usual, may_be, ...) read_variable(variable, may_be, settings.member);
#include "settings/settings.def"
    for (std::string &sentence : unknown_variables(environ)) complain(std::move(sentence));
    settings.off = !settings.use.frames;
    Use::receives_somewhere |= settings.use.receives;
    // Deltas are multiples of 32 bytes, as fragments are (rule 5).
    if (settings.delta) settings.delta = std::max<std::size_t>(settings.delta / 32 * 32, 256);
    // A word of theirs, so that rank 0's counts for all.
    if (settings.reorder) {
        static std::string words;
        words = std::string(settings.collectives) + ",reorder";
        settings.collectives = words.c_str();
    }
}

} // namespace stretto
