#include "info.h"
#include "failure.h"
#include "kernel.h"
#include "mpi.h"
#include "process.h"
#include "settings.h"
#include "settings/settings.h"
#include "table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using nlohmann::json;
using ordered = nlohmann::ordered_json;

namespace stretto::command {

// How the ranks of a job find out about each other; printed, and worth knowing when nothing is framed.
static const char *peers = "At MPI_Init all ranks of MPI_COMM_WORLD tell each other whether they run this version of "
                           "Stretto, and each learns, by "
                           "sending to one peer of each class, up to which size a message leaves without being "
                           "received. `stretto info --mpi NAME` "
                           "shows the result.";

static ordered as_json(const Installation &installation) {
    ordered all;
    all["version"] = STRETTO_VERSION;
    all["prefix"] = installation.prefix();
    all["mpis"] = json::array();
    for (const Mpi &mpi : known_mpis(installation))
        all["mpis"].push_back(ordered{{"name", mpi.name},
                                      {"version", mpi.version},
                                      {"library", mpi.library},
                                      {"mpirun", mpi.mpirun},
                                      {"libstretto", mpi.libstretto.empty() ? json() : json(mpi.libstretto)}});
    all["kernel"] = {{"release", kernel_release()}, {"features", json::array()}};
    for (const Feature &feature : kernel_features())
        all["kernel"]["features"].push_back(ordered{{"name", feature.name},
                                                    {"used_for", feature.used_for},
                                                    {"there", feature.there},
                                                    {"why_not", feature.why_not}});
    for (const PageChoice &choice : page_choices())
        all["pages"][choice.setting] = {{"mechanism", choice.mechanism}, {"why", choice.why}};
    for (const Limit &limit : limits()) all["limits"][limit.name] = limit.value;
    for (const SettingRow &row : setting_rows())
        all["settings"][row.variable] = {{"default", row.usual}, {"value", value_of(row)}};
    all["peers"] = peers;
    return all;
}

void print_info(const Installation &installation, bool wants_json) {
    if (wants_json) {
        std::cout << as_json(installation).dump(2) << '\n';
        return;
    }
    print_heading(std::string("Stretto ") + STRETTO_VERSION + " in " + installation.prefix().string());

    print_heading("\nMPI libraries");
    Table mpis({"name", "version", "library", "libstretto"});
    for (const Mpi &mpi : known_mpis(installation))
        mpis.add({{mpi.name},
                  {mpi.version},
                  {mpi.library},
                  mpi.libstretto.empty() ? Cell("not built", Colour::bad) : Cell(mpi.libstretto, Colour::good)});
    if (mpis.empty())
        std::cout << "  none: " << installation.mpis().string() << " is missing (`make setup` writes it)\n";
    else
        mpis.print();

    print_heading("\nKernel: " + kernel_release());
    Table features({"feature", "", "used for", ""});
    for (const Feature &feature : kernel_features())
        features.add({{feature.name},
                      feature.there ? Cell("yes", Colour::good) : Cell("no", Colour::bad),
                      {feature.used_for},
                      {feature.why_not, Colour::faint}});
    features.print();

    print_heading("\nPages");
    Table choices({"side", "mechanism", "forced by", ""});
    for (const PageChoice &choice : page_choices()) {
        const bool works = choice.mechanism != "none" && choice.mechanism != "block";
        choices.add({{choice.side},
                     {choice.mechanism, works ? Colour::good : Colour::bad},
                     {choice.setting},
                     {choice.why, Colour::faint}});
    }
    choices.print();

    print_heading("\nLimits");
    Table numbers({"limit", "value", "meaning"});
    for (const Limit &limit : limits()) numbers.add({{limit.name}, {limit.value}, {limit.meaning, Colour::faint}});
    numbers.print();

    print_heading("\nEnvironment");
    print_settings({}, Form::table);

    print_heading("\nPeers");
    for (const std::string &line : wrapped(peers, 100)) std::cout << "  " << line << '\n';
}

// The command line that starts `program` on this machine, in the words of its MPI.
static std::vector<std::string> launch(const Mpi &mpi, int ranks, const std::string &program,
                                       const std::map<std::string, std::string> &environment) {
    const bool open_mpi = mpi.family.rfind("openmpi", 0) == 0;
    std::vector<std::string> words = {mpi.mpirun, "-n", std::to_string(ranks)};
    if (open_mpi) words.insert(words.end(), {"--oversubscribe", "--bind-to", "none"});
    for (const auto &[name, value] : environment) {
        if (open_mpi)
            words.insert(words.end(), {"-x", name + "=" + value});
        else
            words.insert(words.end(), {"-genv", name, value});
    }
    words.push_back(program);
    return words;
}

static std::string rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", value);
    return text;
}

// One line of each rank, among whatever else a launcher writes.
static std::vector<json> decisions(const std::string &text) {
    std::vector<json> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find("{\"rank\":");
        if (begin == std::string::npos) continue;
        const json decision = json::parse(line.substr(begin), nullptr, false);
        if (!decision.is_discarded()) found.push_back(decision);
    }
    std::sort(found.begin(), found.end(),
              [](const json &a, const json &b) { return a.value("rank", 0) < b.value("rank", 0); });
    return found;
}

void print_decisions(const Installation &installation, const std::string &name, int ranks, bool wants_json) {
    const Mpi mpi = known_mpi(installation, name);
    const std::filesystem::path probe = installation.mpi_program(name, "info_probe");
    if (probe.empty() || mpi.libstretto.empty()) throw Failure("nothing was built for " + name + ": run `make`");
    const std::map<std::string, std::string> root = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                     {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                                     {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                                                     {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    const auto words = launch(mpi, ranks, probe, {{"LD_PRELOAD", mpi.libstretto}, {"STRETTO_INFO", "links"}});
    const Output output = capture(words, 60, root);
    const std::vector<json> found = decisions(output.text);
    if (output.status != 0 || found.empty()) {
        const std::string how =
            output.status < 0 ? "did not end within 60 s" : "ended with " + std::to_string(output.status);
        throw Failure("the probe under " + mpi.version + " " + (output.status ? how : "said nothing") + ":\n" +
                      output.text);
    }
    if (wants_json) {
        std::cout << json(found).dump(2) << '\n';
        return;
    }
    print_heading(mpi.version + ", " + std::to_string(ranks) + " ranks on this machine");
    Table table({"rank", "framing", "peers", "class", "transport", "eager bytes", "bytes/s", "why"});
    for (const json &decision : found) {
        const bool framing = decision.value("framing", false);
        const std::string rank = std::to_string(decision.value("rank", 0)), why = decision.value("why", "");
        const Cell answer = framing ? Cell("yes", Colour::good) : Cell("no", Colour::bad);
        const json classes = decision.value("classes", json::array());
        if (classes.empty()) table.add({{rank}, answer, "", "", "", "", "", {why}});
        for (const json &peer : classes)
            table.add({{rank},
                       answer,
                       {std::to_string(peer.value("peers", 0))},
                       {peer.value("class", "")},
                       {peer.value("transport", "")},
                       {std::to_string(peer.value("eager_bytes", 0L))},
                       {rounded(peer.value("bytes_per_second", 0.0))},
                       {why}});
    }
    table.print();
}

} // namespace stretto::command
