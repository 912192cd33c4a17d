#include "trace/page.h"

#include "settings/settings.h"
#include "trace/demangle.h"
#include "trace/page_template.h"
#include "trace/places.h"
#include "trace/quantities.h"
#include "trace/template.h"
#include "trace/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <tuple>
#include <unistd.h>

namespace stretto::report {

namespace {

constexpr std::size_t most_bars = 8, most_reasons = 4;
constexpr std::size_t most_shown = 12; // call sites; the rest is folded

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

// A place or a call that has to do with a site's time.
struct Part {
    std::string function, line, place; // no function: an access
    Stopped time;
};

struct Row {
    SiteName site;
    std::string line, place, full;
    SiteSummary sum;
    std::vector<Part> stopped_by, waited_in, waited_for; // the longest first

    std::uint64_t all() const { return sum.all_waited() + sum.hidden + sum.cost; }
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
    std::uint64_t for_others() const {
        std::uint64_t time = 0;
        for (const Part &part : waited_for) time += part.time.nanoseconds;
        return time;
    }
    //! It completes what other calls began, and does little else.
    bool completes() const { return for_others() > 10 * all(); }
};

// Several instructions of one line are one part.
void add(std::vector<Part> &parts, const Part &part) {
    const auto known = std::find_if(parts.begin(), parts.end(), [&](const Part &other) {
        return other.function == part.function && other.place == part.place;
    });
    if (known == parts.end()) {
        parts.push_back(part);
        return;
    }
    known->time.times += part.time.times;
    known->time.nanoseconds += part.time.nanoseconds;
}

void sort(std::vector<Part> &parts) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part &a, const Part &b) { return a.time.nanoseconds > b.time.nanoseconds; });
}

std::vector<Part> parts(const std::map<Reason, Stopped> &reasons, const Places &places) {
    std::vector<Part> all;
    for (const auto &[reason, time] : reasons)
        add(all, {reason.function, places.line(reason.place), places.brief(reason.place), time});
    sort(all);
    return all;
}

// For which sites' messages each other site has waited.
std::map<SiteName, std::vector<Part>> waited_for(const Summary &summary, const Places &places) {
    std::map<SiteName, std::vector<Part>> all;
    for (const auto &[name, site] : summary.sites)
        for (const auto &[reason, time] : site.completions)
            add(all[{reason.function, reason.place}],
                {name.function, places.line(name.place), places.brief(name.place), time});
    for (auto &[name, its_parts] : all) sort(its_parts);
    return all;
}

Where at_line(const Places &places) {
    return [&](const source::Place &place) { return places.short_line(place); };
}

Where with_callers(const Places &places) {
    return [&](const source::Place &place) { return places.brief(place); };
}

// Those first that matter most; what stands for many is last.
std::vector<Row> rows(const Summary &summary, const Places &places) {
    const std::map<SiteName, std::vector<Part>> others_parts = waited_for(summary, places);
    std::vector<Row> all;
    for (const auto &[name, site] : summary.sites) {
        Row row{name, "", "", "", site, parts(site.reasons, places), parts(site.completions, places), {}};
        if (name.function != others) {
            row.line = places.line(name.place);
            row.place = places.text(name.place);
            row.full = places.full(name.place);
        }
        if (const auto found = others_parts.find(name); found != others_parts.end()) row.waited_for = found->second;
        all.push_back(std::move(row));
    }
    std::stable_sort(all.begin(), all.end(), [](const Row &a, const Row &b) {
        const auto key = [](const Row &row) {
            return std::tuple(row.site.function != others, row.all(), row.for_others());
        };
        return key(a) > key(b);
    });
    return all;
}

// --- numbers for programs -------------------------------------------------------------------------------------------

std::string json(const std::vector<Part> &parts, const char *without_function) {
    std::vector<std::string> all;
    all.reserve(parts.size());
    for (const Part &part : parts)
        all.push_back(object({{"what", quote(part.function.empty() ? without_function : part.function)},
                              {"line", quote(part.line)},
                              {"times", json(part.time.times)},
                              {"seconds", seconds(part.time.nanoseconds)}}));
    return array(all);
}

std::string json(const std::vector<source::Frame> &frames) {
    std::vector<std::string> all;
    all.reserve(frames.size());
    for (const source::Frame &frame : frames)
        all.push_back(object({{"function", quote(source::demangle(frame.function))}, {"line", quote(frame.line)}}));
    return array(all);
}

std::string json(const Row &row, const Places &places) {
    Members became;
    for (std::size_t k = 0; k < fates; k++)
        if (const Fated &fated = row.sum.messages[k]; fated.messages)
            became.push_back({name_of(static_cast<Fate>(k)),
                              object({{"messages", json(fated.messages)}, {"bytes", json(fated.bytes)}})});
    const SiteSummary &sum = row.sum;
    return object({{"function", quote(row.site.function)},
                   {"line", quote(row.line)},
                   {"place", quote(row.place)},
                   {"frames", json(places.frames(row.site.place))},
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
                   {"stopped_by", json(row.stopped_by, "touch")},
                   {"waited_in", json(row.waited_in, "")},
                   {"waited_for", json(row.waited_for, "")},
                   {"became", object(became)}});
}

std::string json(const Verdict &verdict, const std::string &headline, const Places &places) {
    std::vector<std::string> sites;
    for (const Advice &advice : verdict.sites)
        sites.push_back(object({{"function", quote(advice.site.function)},
                                {"line", quote(places.line(advice.site.place))},
                                {"cause", quote(name_of(advice.cause))},
                                {"seen", quote(seen(advice, with_callers(places)))},
                                {"what_to_do", quote(what_to_do(advice, at_line(places)))}}));
    return object(
        {{"kind", quote(name_of(verdict.finding))},
         {"sentence", quote(headline)},
         {"seconds", seconds(verdict.time)},
         {"of_s", seconds(verdict.of)},
         {"share", json(verdict.of ? static_cast<double>(verdict.time) / static_cast<double>(verdict.of) : 0)},
         {"sites", array(sites)}});
}

// --- the page -------------------------------------------------------------------------------------------------------

Fields name(const Row &row) {
    return {{{"function", row.site.function}, {"place", row.place}, {"full", row.full}}, {}};
}

Fields text(const std::string &text) {
    return {{{"text", text}}, {}};
}

void separate(std::vector<Fields> &list, bool more_follow) {
    for (Fields &entry : list) entry.texts["separator"] = &entry == &list.back() && !more_follow ? "" : " · ";
}

std::string width(std::uint64_t part, std::uint64_t of, double most = 100) {
    return print("%.2f", of ? most * static_cast<double>(part) / static_cast<double>(of) : 0);
}

std::string numbers(const SiteSummary &sum) {
    std::string text;
    const auto add = [&](const char *what, std::uint64_t time) {
        if (time) text += (text.empty() ? "" : " · ") + std::string(what) + " " + time_text(time);
    };
    add("hidden", sum.hidden);
    add(sum.for_messages ? "waited" : "took", sum.all_waited());
    add("cost", sum.cost);
    return text;
}

std::vector<Fields> bars(std::vector<Row> rows) {
    const auto time = [](const Row &row) { return row.sum.hidden + row.sum.all_waited(); };
    std::erase_if(rows, [&](const Row &row) {
        return !row.sum.for_messages || !time(row) || row.completes() || row.site.function == others;
    });
    std::stable_sort(rows.begin(), rows.end(), [&](const Row &a, const Row &b) { return time(a) > time(b); });
    rows.resize(std::min(rows.size(), most_bars));
    std::vector<Fields> all;
    all.reserve(rows.size());
    for (const Row &row : rows) {
        Fields fields = name(row);
        SiteSummary shown = row.sum;
        shown.cost = 0; // has no bar
        fields.texts["times"] = numbers(shown);
        fields.texts["hidden_width"] = width(row.sum.hidden, time(rows.front()), 50);
        fields.texts["waited_width"] = width(row.sum.all_waited(), time(rows.front()), 50);
        all.push_back(std::move(fields));
    }
    return all;
}

std::string times_text(const Part &part, const char *one, const char *many) {
    return " (" + count_text(part.time.times) + " " + (part.time.times == 1 ? one : many) + ", " +
           time_text(part.time.nanoseconds) + ")";
}

void add_first(std::vector<Fields> &texts, const std::vector<Part> &parts, const char *before, const char *one,
               const char *many) {
    for (std::size_t k = 0; k < std::min(parts.size(), most_reasons); k++)
        texts.push_back(text(before + (parts[k].function.empty() ? "touched" : parts[k].function) + " at " +
                             parts[k].place + times_text(parts[k], one, many)));
}

std::vector<Fields> reasons(const Row &row) {
    std::vector<Fields> all;
    add_first(all, row.stopped_by, "", "stop", "stops");
    add_first(all, row.waited_in, "waited in ", "wait", "waits");
    add_first(all, row.waited_for, "waited for ", "wait", "waits");
    return all;
}

std::vector<Fields> became(const Row &row) {
    std::vector<Fields> all;
    for (std::size_t k = 0; k < fates; k++)
        if (const std::uint64_t n = row.sum.messages[k].messages)
            all.push_back(text(count_text(n) + " " + text_of(static_cast<Fate>(k))));
    return all;
}

std::string spread_text(const Spread &spread) {
    if (!spread.most) return "–";
    const std::string most = time_text(spread.most) + " (rank " + std::to_string(spread.rank_of_most) + ")";
    return spread.ranks < 2 ? most : time_text(spread.least) + " · " + time_text(spread.median()) + " · " + most;
}

// A narrow page shows each with its label, and none that says nothing.
Fields cell(const std::string &label, const std::string &value) {
    return {{{"label", label}, {"value", value}, {"class", value == "–" ? "none" : ""}}, {}};
}

Fields site(const Row &row) {
    Fields fields = name(row);
    fields.lists["cells"] = {cell("hidden", time_text(row.sum.hidden)),
                             cell("waited", time_text(row.sum.all_waited())),
                             cell("before a match", time_text(row.sum.unmatched)),
                             cell("stopped", time_text(row.sum.stopped)),
                             cell("cost", time_text(row.sum.cost)),
                             cell("calls", count_text(row.sum.calls)),
                             cell("messages", count_text(row.messages())),
                             cell("bytes", row.messages() ? bytes_text(static_cast<double>(row.bytes())) : "–"),
                             cell("waited per rank: least · median · most", spread_text(row.sum.waited))};
    fields.lists["reasons"] = reasons(row);
    fields.lists["fates"] = became(row);
    separate(fields.lists["reasons"], !fields.lists["fates"].empty());
    separate(fields.lists["fates"], false);
    return fields;
}

// Calls that complete, and calls of the library: what they took, and what for.
Fields other_call(const Row &row) {
    Fields fields = name(row);
    fields.lists["cells"] = {cell("calls", count_text(row.sum.calls)),
                             cell("time", time_text(row.sum.all_waited() + row.for_others()))};
    std::vector<Fields> its_reasons;
    add_first(its_reasons, row.waited_for, "for ", "wait", "waits");
    separate(its_reasons, false);
    fields.lists["reasons"] = std::move(its_reasons);
    return fields;
}

// The first ones, and a part that is folded with the others.
std::vector<Fields> folded(std::vector<Fields> all) {
    std::vector<Fields> parts;
    if (all.empty()) return parts;
    const std::size_t shown = all.size() > most_shown + most_shown / 2 ? most_shown : all.size();
    const auto rest = all.begin() + static_cast<std::ptrdiff_t>(shown);
    parts.push_back({{}, {{"rows", {all.begin(), rest}}}});
    if (rest == all.end()) return parts;
    Fields more{{}, {{"rows", {rest, all.end()}}, {"unfold", {Fields{}}}}};
    more.lists["fold"] = {text(count_text(all.size() - shown) + " more")};
    parts.push_back(std::move(more));
    return parts;
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

// --- how much, where, and what to do --------------------------------------------------------------------------------

// Of all ranks together, in nanoseconds.
struct Totals {
    std::uint64_t ran = 0, hidden = 0, waited = 0, in_library = 0, cost = 0;

    double hidden_share() const {
        return hidden + waited ? static_cast<double>(hidden) / static_cast<double>(hidden + waited) : 0;
    }
    std::uint64_t rest() const { return ran - std::min(ran, hidden + waited + in_library); }
};

Totals totals(const Summary &summary) {
    Totals all{.ran = summary.ran, .hidden = summary.hidden};
    for (const auto &[name, site] : summary.sites) {
        (site.for_messages ? all.waited : all.in_library) += site.all_waited();
        all.cost += site.cost;
    }
    return all;
}

std::string how_much(const Totals &all, std::uint64_t ranks) {
    const std::string text = ranks == 1 ? "1 rank ran " + time_text(all.ran) + ". "
                                        : std::to_string(ranks) + " ranks ran " + time_text(all.ran / ranks) +
                                              " each, " + time_text(all.ran) + " together. ";
    const std::string cost = all.cost ? " Stretto's own work cost " + time_text(all.cost) + "." : "";
    if (all.hidden)
        return text + "Stretto hid " + print("%.0f", 100 * all.hidden_share()) + " % of the " +
               time_text(all.hidden + all.waited) + " that they would have waited for messages." + cost;
    return text +
           (all.waited ? "They waited " + time_text(all.waited) + " for messages." : "No message was waited for.") +
           cost;
}

// Of the time of all ranks.
std::vector<Fields> shares(const Totals &all) {
    const auto share = [&](const char *kind, const char *what, std::uint64_t time) {
        return Fields{{{"kind", kind},
                       {"what", what},
                       {"width", width(time, all.ran)},
                       {"time", time_text(time)},
                       {"percent", percent_text(time, all.ran)}},
                      {}};
    };
    std::vector<Fields> shares = {share("hidden", "hidden: computed while messages came", all.hidden),
                                  share("waited", "waited for messages", all.waited),
                                  share("library", "in calls that are the library's", all.in_library),
                                  share("rest", "computed, and all else", all.rest())};
    std::erase_if(shares, [](const Fields &fields) { return fields.texts.at("time") == "–"; });
    return shares;
}

std::vector<Fields> advised(const Verdict &verdict, const Places &places) {
    std::vector<Fields> all;
    for (const Advice &advice : verdict.sites)
        all.push_back({{{"function", advice.site.function},
                        {"place", places.text(advice.site.place)},
                        {"full", places.full(advice.site.place)},
                        {"numbers", numbers(advice.sum)},
                        {"seen", seen(advice, with_callers(places))},
                        {"what_to_do", what_to_do(advice, at_line(places))}},
                       {}});
    return all;
}

std::string document(const std::vector<Row> &rows, const Summary &summary, const Surroundings &job, const Totals &all,
                     const Places &places, const std::string &verdict) {
    std::vector<std::string> sites, links;
    for (const Row &row : rows) sites.push_back(json(row, places));
    for (const Link &link : job.links)
        links.push_back(object({{"class", quote(link.name)},
                                {"peers", json(static_cast<std::uint64_t>(link.peers))},
                                {"eager_bytes", json(static_cast<std::uint64_t>(link.eager))},
                                {"bytes_per_second", json(link.rate)},
                                {"framed", link.framed ? "true" : "false"}}));
    Members made;
    for (const auto &[its_name, value] : settings_made()) made.push_back({its_name, quote(value)});
    return object({{"verdict", verdict},
                   {"program", quote(command_line())},
                   {"mpi", quote(job.library)},
                   {"world", json(static_cast<std::uint64_t>(job.world))},
                   {"ranks", json(summary.ranks)},
                   {"seconds", json(job.seconds)},
                   {"why_native", quote(job.why_native)},
                   {"threshold_bytes", json(static_cast<std::uint64_t>(settings.threshold))},
                   {"settings", object(made)},
                   {"links", array(links)},
                   {"ran_s", seconds(all.ran)},
                   {"hidden_s", seconds(all.hidden)},
                   {"waited_s", seconds(all.waited)},
                   {"library_s", seconds(all.in_library)},
                   {"cost_s", seconds(all.cost)},
                   {"hidden_share", json(all.hidden_share())},
                   {"waited_per_rank", json(summary.waited)},
                   {"sites", array(sites)}});
}

// Each call site stands in one of the tables.
void add_tables(Fields &fields, const std::vector<Row> &rows) {
    std::vector<Fields> sites, completing, librarys;
    for (const Row &row : rows)
        if (row.completes())
            completing.push_back(other_call(row));
        else if (row.sum.for_messages)
            sites.push_back(site(row));
        else
            librarys.push_back(other_call(row));
    fields.lists["sites"] = folded(std::move(sites));
    fields.lists["completing"] = folded(std::move(completing));
    fields.lists["librarys"] = folded(std::move(librarys));
    if (auto sent = natives(rows); !sent.empty()) fields.lists["natives"].push_back({{}, {{"rows", std::move(sent)}}});
}

} // namespace

Page page(const Summary &summary, const Surroundings &job) {
    const Places places(summary);
    const Conditions conditions{job.why_native, settings.use.receives, settings.threshold};
    const Verdict its_verdict = verdict(summary, conditions);
    const std::string headline = sentence(its_verdict, conditions, with_callers(places));
    const std::vector<Row> all_rows = rows(summary, places);
    const Totals all = totals(summary);
    Fields fields;
    fields.texts = {{"headline", headline},
                    {"how_much", how_much(all, summary.ranks)},
                    {"program", command_line()},
                    {"date", date()},
                    {"json", document(all_rows, summary, job, all, places, json(its_verdict, headline, places))}};
    fields.lists["shares"] = shares(all);
    if (auto sites = advised(its_verdict, places); !sites.empty())
        fields.lists["advised"].push_back({{}, {{"sites", std::move(sites)}}});
    if (auto its_bars = bars(all_rows); !its_bars.empty())
        fields.lists["chart"].push_back({{}, {{"bars", std::move(its_bars)}}});
    add_tables(fields, all_rows);
    fields.lists["facts"] = facts(summary, job);
    return {fill(page_template, fields), headline};
}

bool write(const char *path, const std::string &text) {
    std::FILE *file = std::fopen(path, "w");
    if (!file) return false;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written;
}

} // namespace stretto::report
