#include "trace/page.h"

#include "trace/page_template.h"
#include "trace/template.h"
#include "tune/settings.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <unistd.h>

namespace stretto::report {

namespace {

constexpr std::size_t most_bars = 12, most_reasons = 4;

// --- numbers for people ---------------------------------------------------------------------------------------------

template <class... Values>
std::string print(const char *format, Values... values) {
    char text[64];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string time_text(std::uint64_t nanoseconds) {
    const auto t = static_cast<double>(nanoseconds);
    if (t == 0) return "–";
    if (t < 1e6) return print("%.3g µs", t / 1e3);
    if (t < 1e9) return print("%.3g ms", t / 1e6);
    return t < 1e12 ? print("%.3g s", t / 1e9) : print("%.0f s", t / 1e9);
}

std::string bytes_text(double bytes) {
    static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); unit++) bytes /= 1024;
    return print(bytes < 10 && unit ? "%.1f" : "%.0f", bytes) + " " + units[unit];
}

std::string count_text(std::uint64_t n) {
    std::string digits = std::to_string(n);
    for (std::size_t k = digits.size(); k > 3; k -= 3) digits.insert(k - 3, " ");
    return n ? digits : "–";
}

// --- JSON -----------------------------------------------------------------------------------------------------------

// "<" as well, as it stands in a page.
std::string quote(const std::string &text) {
    std::string quoted = "\"";
    for (const char c : text)
        if (c == '"' || c == '\\')
            quoted += {'\\', c};
        else if (c == '<' || static_cast<unsigned char>(c) < ' ')
            quoted += print("\\u%04x", static_cast<unsigned>(c));
        else
            quoted += c;
    return quoted + '"';
}

std::string json(std::uint64_t n) {
    return std::to_string(n);
}
std::string json(double x) {
    return print("%.9g", x);
}
std::string seconds(std::uint64_t nanoseconds) {
    return print("%.9f", static_cast<double>(nanoseconds) * 1e-9);
}

using Members = std::vector<std::pair<std::string, std::string>>; // name, JSON

std::string object(const Members &members) {
    std::string text;
    for (const auto &[name, value] : members) text += (text.empty() ? "" : ",") + quote(name) + ":" + value;
    return "{" + text + "}";
}

std::string array(const std::vector<std::string> &values) {
    std::string text;
    for (const std::string &value : values) text += (text.empty() ? "" : ",\n") + value;
    return "[" + text + "]";
}

std::string json(const Spread &spread) {
    return object({{"ranks", json(spread.ranks)},
                   {"least_s", seconds(spread.least)},
                   {"median_s", seconds(spread.median())},
                   {"most_s", seconds(spread.most)},
                   {"rank_of_most", json(spread.rank_of_most)}});
}

// --- call sites -----------------------------------------------------------------------------------------------------

// The last two of a path's names say enough.
std::string shortened(const std::string &line) {
    return line.substr(line.rfind('/') + 1);
}

struct Cause {
    std::string function, line; // no function: an access
    Stopped stopped;

    std::string text() const {
        return (function.empty() ? "touched" : function) + " at " + shortened(line) + " (" + count_text(stopped.times) +
               (stopped.times == 1 ? " stop, " : " stops, ") + time_text(stopped.nanoseconds) + ")";
    }
};

struct Row {
    std::string function, line;
    SiteSummary sum;
    std::vector<Cause> causes; // the longest first

    std::uint64_t all() const { return sum.all_waited() + sum.hidden; }
    std::uint64_t messages() const {
        std::uint64_t n = 0;
        for (const Fated &fated : sum.messages) n += fated.messages;
        return n;
    }
    std::uint64_t bytes() const {
        std::uint64_t n = 0;
        for (const Fated &fated : sum.messages) n += fated.bytes;
        return n;
    }
};

// Each object is asked once.
class Lines {
public:
    explicit Lines(const Summary &summary) {
        for (const auto &[name, site] : summary.sites) {
            want(name.place);
            for (const auto &[reason, stopped] : site.reasons) want(reason.place);
        }
        for (auto &[object, offsets] : wanted) {
            std::vector<std::uint64_t> all;
            for (const auto &[offset, line] : offsets) all.push_back(offset);
            const std::vector<std::string> found = source::lines(object, all);
            for (std::size_t k = 0; k < all.size(); k++) offsets[all[k]] = found[k];
        }
    }

    std::string of(const source::Place &place) const {
        const std::string &line = wanted.at(place.object).at(place.offset);
        return line.empty() ? source::text(place) : line;
    }

private:
    void want(const source::Place &place) { wanted[place.object][place.offset]; }
    std::map<std::string, std::map<std::uint64_t, std::string>> wanted;
};

// Several instructions of one line are one cause.
std::vector<Cause> causes(const SiteSummary &site, const Lines &lines) {
    std::vector<Cause> all;
    for (const auto &[reason, stopped] : site.reasons) {
        Cause cause{reason.function, lines.of(reason.place), stopped};
        const auto known = std::find_if(all.begin(), all.end(), [&](const Cause &other) {
            return other.function == cause.function && other.line == cause.line;
        });
        if (known == all.end()) {
            all.push_back(std::move(cause));
            continue;
        }
        known->stopped.times += stopped.times;
        known->stopped.nanoseconds += stopped.nanoseconds;
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Cause &a, const Cause &b) { return a.stopped.nanoseconds > b.stopped.nanoseconds; });
    return all;
}

std::vector<Row> rows(const Summary &summary) {
    const Lines lines(summary);
    std::vector<Row> all;
    for (const auto &[name, site] : summary.sites)
        all.push_back({name.function, name.function == others ? "" : lines.of(name.place), site, causes(site, lines)});
    std::stable_sort(all.begin(), all.end(),
                     [](const Row &a, const Row &b) { return a.sum.all_waited() > b.sum.all_waited(); });
    return all;
}

std::string json(const Row &row) {
    Members became;
    for (std::size_t k = 0; k < fates; k++)
        if (const Fated &fated = row.sum.messages[k]; fated.messages)
            became.push_back({name_of(static_cast<Fate>(k)),
                              object({{"messages", json(fated.messages)}, {"bytes", json(fated.bytes)}})});
    std::vector<std::string> stopped_by;
    for (const Cause &cause : row.causes)
        stopped_by.push_back(object({{"what", quote(cause.function.empty() ? "touch" : cause.function)},
                                     {"line", quote(cause.line)},
                                     {"times", json(cause.stopped.times)},
                                     {"seconds", seconds(cause.stopped.nanoseconds)}}));
    const SiteSummary &sum = row.sum;
    return object({{"function", quote(row.function)},
                   {"line", quote(row.line)},
                   {"for_messages", sum.for_messages ? "true" : "false"},
                   {"calls", json(sum.calls)},
                   {"messages", json(row.messages())},
                   {"bytes", json(row.bytes())},
                   {"hidden_s", seconds(sum.hidden)},
                   {"waited_s", seconds(sum.all_waited())},
                   {"before_match_s", seconds(sum.unmatched)},
                   {"stopped_s", seconds(sum.stopped)},
                   {"stops", json(sum.stops)},
                   {"cost_s", seconds(sum.cost)},
                   {"waited_per_rank", json(sum.waited)},
                   {"stopped_by", array(stopped_by)},
                   {"became", object(became)}});
}

// --- the page -------------------------------------------------------------------------------------------------------

Fields name(const Row &row) {
    return {{{"function", row.function}, {"line", row.line}, {"short_line", shortened(row.line)}}, {}};
}

void separate(std::vector<Fields> &list, bool more_follow) {
    for (Fields &entry : list) entry.texts["separator"] = &entry == &list.back() && !more_follow ? "" : " · ";
}

Fields bar(const Row &row, std::uint64_t most) {
    const auto width = [&](std::uint64_t time) {
        return print("%.2f", 75 * static_cast<double>(time) / static_cast<double>(most));
    };
    Fields fields = name(row);
    fields.texts["hidden"] = time_text(row.sum.hidden);
    fields.texts["waited"] = time_text(row.sum.all_waited());
    fields.texts["hidden_width"] = width(row.sum.hidden);
    fields.texts["waited_width"] = width(row.sum.all_waited());
    return fields;
}

std::vector<Fields> bars(std::vector<Row> rows) {
    std::erase_if(rows, [](const Row &row) { return !row.sum.for_messages || !row.all(); });
    std::stable_sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.all() > b.all(); });
    rows.resize(std::min(rows.size(), most_bars));
    std::vector<Fields> all;
    all.reserve(rows.size());
    for (const Row &row : rows) all.push_back(bar(row, rows.front().all()));
    return all;
}

std::vector<Fields> reasons(const Row &row) {
    std::vector<Fields> all;
    for (std::size_t k = 0; k < std::min(row.causes.size(), most_reasons); k++)
        all.push_back({{{"text", row.causes[k].text()}}, {}});
    return all;
}

std::vector<Fields> became(const Row &row) {
    std::vector<Fields> all;
    for (std::size_t k = 0; k < fates; k++)
        if (const std::uint64_t n = row.sum.messages[k].messages)
            all.push_back({{{"text", count_text(n) + " " + text_of(static_cast<Fate>(k))}}, {}});
    return all;
}

std::string spread_text(const Spread &spread) {
    const std::string most = time_text(spread.most) + " (rank " + std::to_string(spread.rank_of_most) + ")";
    return spread.ranks < 2 ? most : time_text(spread.least) + " · " + time_text(spread.median()) + " · " + most;
}

Fields site(const Row &row) {
    Fields fields = name(row);
    auto &texts = fields.texts;
    texts["calls"] = count_text(row.sum.calls);
    texts["messages"] = count_text(row.messages());
    texts["bytes"] = row.messages() ? bytes_text(static_cast<double>(row.bytes())) : "–";
    texts["hidden"] = time_text(row.sum.hidden);
    texts["waited"] = time_text(row.sum.all_waited());
    texts["unmatched"] = time_text(row.sum.unmatched);
    texts["stopped"] = time_text(row.sum.stopped);
    texts["cost"] = time_text(row.sum.cost);
    texts["spread"] = spread_text(row.sum.waited);
    fields.lists["reasons"] = reasons(row);
    fields.lists["fates"] = became(row);
    separate(fields.lists["reasons"], !fields.lists["fates"].empty());
    separate(fields.lists["fates"], false);
    return fields;
}

Fields library_call(const Row &row) {
    Fields fields = name(row);
    fields.texts["calls"] = count_text(row.sum.calls);
    fields.texts["waited"] = time_text(row.sum.all_waited());
    return fields;
}

bool is_native_send(Fate fate) {
    return fate != Fate::send_framed && std::strncmp(name_of(fate), "send_", 5) == 0;
}

std::vector<Fields> natives(const std::vector<Row> &rows) {
    std::vector<Fields> all;
    for (std::size_t k = 0; k < fates; k++) {
        Fated sum;
        for (const Row &row : rows) {
            sum.messages += row.sum.messages[k].messages;
            sum.bytes += row.sum.messages[k].bytes;
        }
        if (sum.messages && is_native_send(static_cast<Fate>(k)))
            all.push_back({{{"text", text_of(static_cast<Fate>(k))},
                            {"number", count_text(sum.messages)},
                            {"bytes", bytes_text(static_cast<double>(sum.bytes))}},
                           {}});
    }
    return all;
}

// --- the job --------------------------------------------------------------------------------------------------------

std::string command_line() {
    std::array<char, 200> text;
    std::FILE *file = std::fopen("/proc/self/cmdline", "r");
    if (!file) return "";
    std::string words(text.data(), std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    std::replace(words.begin(), words.end(), '\0', ' ');
    return words.substr(0, words.find_last_not_of(' ') + 1);
}

std::string date() {
    const std::time_t now = std::time(nullptr);
    std::tm here{};
    localtime_r(&now, &here); // std::localtime's answer is also the program's other threads'
    char text[64];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &here);
    return text;
}

std::string link_text(const Link &link) {
    return std::to_string(link.peers) + (link.peers == 1 ? " peer, " : " peers, ") +
           bytes_text(static_cast<double>(link.eager)) + " eager, " + bytes_text(link.rate) + "/s; " +
           (link.framed ? "messages leave in deltas" : "ordinary messages stay the library's");
}

// What was set. Where to report to, and which library, is no setting of how.
std::vector<std::pair<std::string, std::string>> settings_made() {
    std::vector<std::pair<std::string, std::string>> made;
    for (char **variable = environ; *variable; variable++) {
        const std::string text = *variable, its_name = text.substr(0, text.find('='));
        if (its_name != "STRETTO" && its_name.rfind("STRETTO_", 0) != 0) continue;
        if (its_name == "STRETTO_REPORT" || its_name == "STRETTO_LIBRARY") continue;
        made.push_back({its_name, text.substr(std::min(its_name.size() + 1, text.size()))});
    }
    std::sort(made.begin(), made.end());
    return made;
}

std::vector<Fields> facts(const Summary &summary, const Surroundings &job) {
    std::vector<Fields> all;
    const auto add = [&](const std::string &what, const std::string &value) {
        all.push_back({{{"name", what}, {"value", value}}, {}});
    };
    add("MPI", job.library);
    add("ranks", std::to_string(summary.ranks) + " of " + std::to_string(job.world) + " with Stretto");
    add("MPI_Init to MPI_Finalize", time_text(static_cast<std::uint64_t>(job.seconds * 1e9)));
    for (const Link &link : job.links) add(link.name == "node" ? "on the same node" : "between nodes", link_text(link));
    if (!job.why_native.empty()) add("nothing in deltas", job.why_native);
    add("STRETTO_THRESHOLD", bytes_text(static_cast<double>(settings.threshold)));
    for (const auto &[its_name, value] : settings_made())
        if (its_name != "STRETTO_THRESHOLD") add(its_name, value);
    return all;
}

double share(std::uint64_t hidden, std::uint64_t waited) {
    return hidden + waited ? static_cast<double>(hidden) / static_cast<double>(hidden + waited) : 0;
}

std::string headline(const Summary &summary, const Surroundings &job, std::uint64_t waited) {
    const std::string ranks = summary.ranks == 1 ? "1 rank" : std::to_string(summary.ranks) + " ranks";
    if (summary.hidden)
        return "Stretto hid " + print("%.0f", 100 * share(summary.hidden, waited)) + " % of the time that " + ranks +
               " would have waited for messages";
    if (!job.why_native.empty()) return "Nothing was hidden: " + job.why_native;
    if (!settings.use.receives) return "Nothing was hidden: receives return early with STRETTO=all or receive only";
    return "Nothing was hidden of what " + ranks + " waited for messages";
}

std::string document(const std::vector<Row> &rows, const Summary &summary, const Surroundings &job,
                     std::uint64_t waited) {
    std::vector<std::string> sites, links;
    for (const Row &row : rows) sites.push_back(json(row));
    for (const Link &link : job.links)
        links.push_back(object({{"class", quote(link.name)},
                                {"peers", json(static_cast<std::uint64_t>(link.peers))},
                                {"eager_bytes", json(static_cast<std::uint64_t>(link.eager))},
                                {"bytes_per_second", json(link.rate)},
                                {"framed", link.framed ? "true" : "false"}}));
    Members made;
    for (const auto &[its_name, value] : settings_made()) made.push_back({its_name, quote(value)});
    return object({{"program", quote(command_line())},
                   {"mpi", quote(job.library)},
                   {"world", json(static_cast<std::uint64_t>(job.world))},
                   {"ranks", json(summary.ranks)},
                   {"seconds", json(job.seconds)},
                   {"why_native", quote(job.why_native)},
                   {"threshold_bytes", json(static_cast<std::uint64_t>(settings.threshold))},
                   {"settings", object(made)},
                   {"links", array(links)},
                   {"hidden_s", seconds(summary.hidden)},
                   {"waited_s", seconds(waited)},
                   {"hidden_share", json(share(summary.hidden, waited))},
                   {"waited_per_rank", json(summary.waited)},
                   {"sites", array(sites)}});
}

} // namespace

std::string page(const Summary &summary, const Surroundings &job) {
    const std::vector<Row> all = rows(summary);
    Fields fields;
    std::uint64_t waited = 0, in_library = 0;
    for (const Row &row : all) {
        (row.sum.for_messages ? waited : in_library) += row.sum.all_waited();
        fields.lists[row.sum.for_messages ? "sites" : "library_calls"].push_back(
            row.sum.for_messages ? site(row) : library_call(row));
    }
    fields.texts["headline"] = headline(summary, job, waited);
    fields.texts["totals"] = "Of all ranks together: hidden " + time_text(summary.hidden) + ", waited for messages " +
                             time_text(waited) + ", in calls that stay the library's " + time_text(in_library);
    fields.texts["program"] = command_line();
    fields.texts["date"] = date();
    fields.lists["natives"] = natives(all);
    fields.lists["facts"] = facts(summary, job);
    if (auto its_bars = bars(all); !its_bars.empty())
        fields.lists["chart"].push_back({{}, {{"bars", std::move(its_bars)}}});
    fields.texts["json"] = document(all, summary, job, waited);
    return fill(page_template, fields);
}

bool write(const char *path, const Summary &summary, const Surroundings &surroundings) {
    const std::string text = page(summary, surroundings);
    std::FILE *file = std::fopen(path, "w");
    if (!file) return false;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written;
}

} // namespace stretto::report
