// The `stretto` command. A small native program: on a compute node it needs no Python; `try`, `lab`, `bench` and `report` start one.
#include "failure.h"
#include "info.h"
#include "installation.h"
#include "process.h"
#include "run.h"
#include "settings.h"
#include "settings/nearest.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <map>

using namespace stretto::command;

static const char *examples = R"(examples:
  mpirun -n 4 stretto run ./program        a program as it is, with Stretto
  STRETTO=all mpirun -n 4 stretto run --report ./program
                                           and a page that says what was hidden, what was waited for, and why
  stretto try -- mpirun -n 4 ./program     does Stretto help this job, and with which setting?
  stretto info --mpi openmpi               what Stretto decides under that MPI
  stretto lab up 4 --rate 1gbit            four hosts on this machine
  stretto bench pair --mpi openmpi --lab 1gbit
  stretto annotate solver.c                a patch: messages leave inside the loops that fill them

`stretto COMMAND --help` says more.)";

static const std::map<std::string, Form> forms = {
    {"table", Form::table}, {"json", Form::json}, {"markdown", Form::markdown}, {"man", Form::man}};

// What is written in Python, and reads the rest of the command line itself.
struct Tool {
    const char *folder;
    bool needs_packages;    // else the system's Python does
    const char *first = ""; // word of its command line
};
static const std::map<std::string, Tool> tools = {
    {"try", {"tools/try", false}},          {"lab", {"tools/lab", false}},
    {"bench", {"bench/driver", true}},      {"report", {"bench/report", true}},
    {"annotate", {"tools/annotate", true}}, {"tune", {"bench/driver", true, "tune"}},
};

[[noreturn]] static void start_python(const Installation &installation, const Tool &tool, int argc, char **argv) {
    std::vector<std::string> words = {tool.needs_packages ? installation.python() : "python3",
                                      installation.script(tool.folder)};
    if (!std::filesystem::exists(words[1])) throw Failure(words[1] + " is missing: is this installation complete?");
    if (*tool.first) words.emplace_back(tool.first);
    words.insert(words.end(), argv + 2, argv + argc);
    setenv("STRETTO_PREFIX", installation.prefix().c_str(), 1);
    setenv("STRETTO_LIBRARIES", installation.libraries().c_str(), 1);
    setenv("STRETTO_MPIS", installation.mpis().c_str(), 1);
    become(words);
}

// What was typed where an option or a command was expected.
static void suggest(const CLI::App &app, const std::string &typed) {
    std::vector<std::string> candidates;
    const bool option = typed.rfind('-', 0) == 0;
    if (option) {
        for (const CLI::Option *known : app.get_options())
            for (const std::string &name : known->get_lnames()) candidates.push_back("--" + name);
    } else {
        for (const CLI::App *known : app.get_subcommands(nullptr)) candidates.push_back(known->get_name());
    }
    const std::string name = app.get_parent() ? "stretto " + app.get_name() : app.get_name();
    std::cerr << name << ": " << (option ? "unknown option " : "unknown command ") << typed;
    if (const std::string_view near = stretto::nearest(typed, candidates); !near.empty())
        std::cerr << ": did you mean " << near << "?";
    std::cerr << "\ntry `" << name << " --help`\n";
}

// Where, in `stretto run [--mpi NAME] [--report[=FILE]] [--] program args`, the program stands: what follows is not for us to read.
static int program_position(int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--") return i;
        if (word == "--mpi")
            i++;
        else if (word[0] != '-')
            return i;
    }
    return argc;
}

int main(int argc, char **argv) {
    CLI::App app("Stretto: overlap of communication and computation for MPI programs", "stretto");
    app.footer(examples);
    app.set_version_flag("--version", "stretto " STRETTO_VERSION);
    app.require_subcommand(1);

    std::string mpi, report = "stretto-report.html";
    CLI::App *run_command = app.add_subcommand(
        "run", "start an MPI program with Stretto: stretto run [--mpi NAME] [--report[=FILE.html]] [--] program args");
    run_command->add_option("--mpi", mpi,
                            "the MPI of a program that loads it late, as Python does: a name from `stretto info`");
    const CLI::Option *reports =
        run_command
            ->add_option("--report", report, "write one page about all ranks at MPI_Finalize: --report=FILE.html")
            ->expected(0, 1)
            ->capture_default_str();
    run_command->footer(
        "The libstretto that fits the program's MPI is put into LD_PRELOAD, then the program takes this one's place.\n"
        "Without --mpi, a script or a Python has the MPI of its mpi4py or of its launcher. What cannot have Stretto "
        "runs\n"
        "without it, and says why.\n"
        "STRETTO=off turns everything off; `stretto settings` lists the other variables.");

    bool as_json = false;
    int ranks = 2;
    CLI::App *info_command =
        app.add_subcommand("info", "what was found: MPI libraries, kernel, limits, choices and why");
    info_command->add_option("--mpi", mpi, "start a job under this MPI and show what was decided in it");
    info_command->add_option("-n", ranks, "ranks of that job")->check(CLI::Range(1, 64))->capture_default_str();
    info_command->add_flag("--json", as_json, "for programs to read");

    std::vector<std::string> names;
    std::string form = "table";
    CLI::App *settings_command = app.add_subcommand(
        "settings", "the environment variables that Stretto reads: what is set, what may be, what it means");
    settings_command->add_option("names", names, "only these: STRETTO_DELTA, or delta");
    settings_command->add_option("--as", form, "how to print them")->check(CLI::IsMember(forms))->capture_default_str();

    // Their options are Python's business; --help too.
    app.add_subcommand("try", "run a job plain and with several settings, in turns: does Stretto help, and which?");
    app.add_subcommand("lab", "a small cluster on this machine: up, run, exec, hosts, status, down");
    app.add_subcommand("bench", "run a kernel plain, with Stretto and by hand, and compare");
    app.add_subcommand("tune",
                       "how large the pieces of a kernel's messages should be: all sizes, foretold, the runtime's own");
    app.add_subcommand("report", "make one HTML page of results");
    app.add_subcommand("annotate", "add MPIX_Delta_* calls to a source where Stretto's compiler finds a loop for them");

    const Installation installation;
    try {
        const std::string first = argc > 1 ? argv[1] : "";
        if (const auto tool = tools.find(first); tool != tools.end())
            start_python(installation, tool->second, argc, argv);
        if (first.empty()) {
            std::cout << app.help();
            return 2;
        }
        const int own = first == "run" ? program_position(argc, argv) : argc;
        app.parse(own, argv);
        if (*run_command) {
            std::vector<std::string> words(argv + own, argv + argc);
            if (!words.empty() && words[0] == "--") words.erase(words.begin());
            if (words.empty()) throw Failure("no program was given: stretto run ./program");
            run(installation, words, mpi, *reports ? report : "");
        }
        if (*settings_command)
            print_settings(names, forms.at(form));
        else if (mpi.empty())
            print_info(installation, as_json);
        else
            print_decisions(installation, mpi, ranks, as_json);
        return 0;
    } catch (const CLI::Success &wanted) { // --help, --version
        return app.exit(wanted);
    } catch (const CLI::ParseError &wrong) {
        const CLI::App *command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
        std::vector<std::string> unknown = app.remaining(true);
        if (!unknown.empty())
            suggest(*command, unknown.front());
        else
            std::cerr << "stretto: " << wrong.what() << "\ntry `stretto --help`\n";
        return 2;
    } catch (const Failure &failure) {
        const std::string command = argc > 1 ? argv[1] : "";
        std::cerr << "stretto " << command << ": " << failure.what() << '\n';
        return 1;
    } catch (const std::exception &unforeseen) {
        std::cerr << "stretto: " << unforeseen.what() << '\n';
        return 1;
    }
}
