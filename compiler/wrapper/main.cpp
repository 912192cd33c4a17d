// stretto-cc, stretto-c++ (stretto-cxx), stretto-fc: compilers of MPI programs, used as mpicc, mpicxx and mpifort are.
//
// One program under four names, beside `stretto` and not a part of it: it takes any option of a compiler as it is, which a reader of
// commands and options would object to, and it starts 500 times in a configure script, without what `stretto` has to set up.
// Both are made of the same classes (tools/command: Installation, Mpi, process).
#include "command_line.h"
#include "compiler.h"
#include "failure.h"
#include "fortran_module.h"
#include "installation.h"
#include "language.h"
#include "mdmp/sources.h"
#include "mpi_flags.h"
#include "process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

using namespace stretto::wrapper;
using stretto::command::Failure;
using stretto::command::Installation;
using stretto::command::Mpi;

using Words = std::vector<std::string>;

static const char *help = R"(options of Stretto:
  -fstretto=off|send|receive|collective|all
                                  what of the program's communication is moved into its loops (default: all)
  -fstretto-check                 compare at each message's end what left early with what is there
  -fmdmp=plain, -fno-mdmp         MDMP's directives are done at their place, none in a loop (both)
  --mpi NAME                      the MPI, a name from `stretto info` (default: that of the mpicc in $PATH)
  -show                           print the command line, and do nothing
environment: STRETTO_CC, STRETTO_CXX, STRETTO_FC (the clang or flang), STRETTO_MPI

)";

static Language language_of(std::string_view program) {
    for (std::string_view end : {"c++", "cxx"})
        if (program.ends_with(end)) return Language::cxx;
    for (std::string_view end : {"fc", "fort", "f90"})
        if (program.ends_with(end)) return Language::fortran;
    return Language::c;
}

static void append(Words &words, const Words &more) {
    words.insert(words.end(), more.begin(), more.end());
}

// The plugin's options travel in the environment: clang takes a plugin's own only with a second option that loads it early.
static std::string plugin_options(const CommandLine &line, const std::filesystem::path &rewritten) {
    Words options;
    if (!rewritten.empty()) options.push_back("-stretto-rewritten=" + rewritten.string());
    if (line.transform != "all") options.push_back("-stretto-what=" + line.transform);
    if (line.checks) options.emplace_back("-stretto-check");
    if (line.plain_directives) options.emplace_back("-stretto-mdmp-plain");
    const char *more = std::getenv("STRETTO_PASS_OPTIONS");
    std::string all = more && *more && !options.empty() ? more : "";
    for (const std::string &option : options) all += (all.empty() ? "" : " ") + option;
    return all;
}

// As a shell would read it again.
static std::string in_shell_quotes(const std::string &word) {
    if (!word.empty() && word.find_first_of(" \t\n'\"\\$`&|;<>()*?[]#~!{}") == std::string::npos) return word;
    std::string text = "'";
    for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

static void print(const Words &words) {
    for (std::size_t i = 0; i < words.size(); i++) std::cout << (i ? " " : "") << in_shell_quotes(words[i]);
    std::cout << '\n';
}

// What follows `option` in those words that begin with it.
static Words without_option(const Words &words, std::string_view option) {
    Words rest;
    for (const std::string &word : words)
        if (word.compare(0, option.size(), option) == 0) rest.push_back(word.substr(option.size()));
    return rest;
}

static void show_part(const std::string &part, const Compiler &compiler, const Words &compile, const Words &link) {
    if (part == "command") print({compiler.name});
    if (part == "compile") print(compile);
    if (part == "link") print(link);
    if (part == "incdirs") print(without_option(compile, "-I"));
    if (part == "libdirs") print(without_option(link, "-L"));
    if (part == "libs") print(without_option(link, "-l"));
}

// MDMP's directives. Where there is no plugin for them <stretto/mdmp.h> is an error: they would be ignored.
static Words for_directives(Language language, const CommandLine &line, const Installation &installation,
                            const Compiler &compiler) {
    const auto is_assembly = [](const std::string &source) { return source.ends_with(".s"); };
    if (language == Language::fortran || std::all_of(line.sources.begin(), line.sources.end(), is_assembly)) return {};
    Words words = {"-idirafter", installation.headers().string()};
    if (compiler.directives.empty())
        words.push_back("-DSTRETTO_MDMP_NO_PLUGIN");
    else if (line.preprocesses_only) // pragmas stay as they are
        words.push_back("-DSTRETTO_MDMP_DIRECTIVES");
    else
        words.push_back("-fplugin=" + compiler.directives.string());
    return words;
}

// What flang finds of modules: mpi and mdmp_calls.
static FortranModule fortran_modules(const Installation &installation, const Compiler &compiler,
                                     const MpiFlags &flags) {
    FortranModule modules = fortran_module(compiler, flags);
    const std::filesystem::path mdmp = module_of_mdmp(installation, compiler);
    if (!mdmp.empty()) modules.compile.push_back("-I" + mdmp.string());
    return modules;
}

static int compile(Language language, const Words &arguments) {
    const CommandLine line = read_command_line(arguments);
    const Installation installation;
    const Compiler compiler = find_compiler(installation, language);
    const bool shows = !line.show.empty();

    const bool compiles = !line.sources.empty() && !line.preprocesses_only;
    if (compiles && line.transform != "off") plugin_of(installation, compiler, language); // or it is missing
    Words words = line.words;
    append(words, for_directives(language, line, installation, compiler));

    Mpi mpi;
    MpiFlags flags;
    FortranModule module;
    // As MPI's wrappers: what names no file (--version, -v, -dumpmachine) is for the compiler alone.
    if (line.has_input || (shows && (line.words.empty() || line.show != "-show"))) {
        mpi = choose_mpi(installation, line.mpi);
        flags = flags_of(mpi, language);
        const bool makes_module = language == Language::fortran && (shows || !line.sources.empty());
        if (makes_module) module = fortran_modules(installation, compiler, flags);
        // An option for compiling alone is one too many where flang only links.
        const Words includes = language != Language::fortran ? flags.compile : module.compile;
        Words links;
        if (line.links) {
            append(links, flags_of_libstretto(mpi));
            append(links, flags.link);
        }
        if (shows && line.show != "-show") {
            show_part(line.show, compiler, includes, links);
            return 0;
        }
        append(words, includes);
        append(words, links);
    }

    mdmp::Sources sources;
    if (language == Language::fortran && !shows) sources.rewrite(line, flags.include_folders);
    if (sources.are_wrong()) return 1;
    std::string options;
    words = sources.words(words);
    if (compiles && (line.transform != "off" || (sources.any() && !compiler.plugin.empty()))) {
        // Remarks that match nothing: then the plugin knows lines, also without -g. The user's own -Rpass comes behind, and counts.
        const std::string plugin = plugin_of(installation, compiler, language);
        words.insert(words.begin(), {"-fpass-plugin=" + plugin, "-Rpass=^$"});
        options = plugin_options(line, sources.folder());
    }
    words.insert(words.begin(), compiler.name);

    if (shows) {
        if (!options.empty()) std::cout << "STRETTO_PASS_OPTIONS=" << in_shell_quotes(options) << ' ';
        print(words);
        return 0;
    }
    if (line.wants_help) std::cout << help << std::flush;
    if (!options.empty()) setenv("STRETTO_PASS_OPTIONS", options.c_str(), 1);
    if (language != Language::fortran) stretto::command::become(words);
    const int status = sources.run(words, line);
    if (status == 0) return 0;
    if (const std::string why = explanation(line, compiler, mpi, flags, module); !why.empty())
        std::cerr << "stretto-fc: " << why << '\n';
    return status;
}

int main(int argc, char **argv) {
    const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "stretto-cc";
    try {
        return compile(language_of(program), Words(argv + (argc > 0), argv + argc));
    } catch (const Usage &wrong) {
        std::cerr << program << ": " << wrong.what() << '\n';
        return 2;
    } catch (const Failure &failure) {
        std::cerr << program << ": " << failure.what() << '\n';
        return 1;
    } catch (const std::exception &unforeseen) {
        std::cerr << program << ": " << unforeseen.what() << '\n';
        return 1;
    }
}
