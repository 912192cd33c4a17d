#include "mpi_flags.h"
#include "cache.h"
#include "failure.h"
#include "process.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <unistd.h>
#include <utility>

using stretto::command::Failure;
using stretto::command::Installation;
using stretto::command::Mpi;
namespace fs = std::filesystem;

namespace stretto::wrapper {

// The words of a line as `-show` prints it.
static std::vector<std::string> split(const std::string &line) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    for (char c : line + ' ') {
        if (quote || c == '"' || c == '\'') {
            if (!quote)
                quote = c;
            else if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (!std::isspace(static_cast<unsigned char>(c))) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, std::string()));
        }
    }
    return words;
}

// Variables that change what the wrappers of Open MPI and MPICH say.
static std::string variables_of_wrappers() {
    std::string all;
    for (char **variable = environ; *variable; variable++) {
        const std::string_view text = *variable;
        if (text.starts_with("OMPI_") || text.starts_with("MPICH_") || text.starts_with("OPAL_"))
            all += std::string(text) + ' ';
    }
    return all;
}

static MpiFlags read_flags(const std::vector<std::string> &words) {
    MpiFlags flags;
    // The compiler's own name may be several words ("ccache gcc").
    auto word = std::find_if(words.begin(), words.end(), [](const std::string &each) { return each[0] == '-'; });
    for (; word != words.end(); ++word) {
        const bool separate = (*word == "-I" || *word == "-isystem" || *word == "-D" || *word == "-L" ||
                               *word == "-l" || *word == "-Xlinker") &&
                              word + 1 != words.end();
        const std::string option = *word, joined = *word == "-Xlinker" ? "" : *word;
        const std::string text = separate ? joined + *++word : *word;
        if (option.starts_with("-I") || option == "-isystem") {
            const fs::path folder = option == "-isystem" ? *word : text.substr(2);
            flags.include_folders.push_back(folder);
            flags.compile.push_back("-I" + folder.string());
        } else if (option.starts_with("-D") || option.starts_with("-U")) {
            flags.compile.push_back(text);
        } else if (option == "-Xlinker") {
            flags.link.insert(flags.link.end(), {option, text});
        } else if (option == "-pthread") {
            flags.compile.push_back(text);
            flags.link.push_back(text);
        } else if (option.starts_with("-L") || option.starts_with("-l") || option.starts_with("-Wl,") ||
                   option == "-rdynamic" || option[0] == '/') {
            flags.link.push_back(text);
        }
    }
    return flags;
}

static std::vector<std::string> shown_by(const fs::path &wrapper) {
    const std::string line = remembered("-show", wrapper, variables_of_wrappers(), [&] {
        const command::Output said = command::capture({wrapper.string(), "-show"}, 60);
        return said.status == 0 ? said.text.substr(0, said.text.find('\n')) : std::string();
    });
    if (line.empty()) throw Failure(wrapper.string() + " -show: says no command line; is this an MPI's compiler?");
    return split(line);
}

// The library itself, where the file is a linker's script: "INPUT(libmpi.so.12)", as in the wheels of PyPI.
static fs::path behind_script(const fs::path &file) {
    std::ifstream input(file);
    std::string line;
    std::getline(input, line);
    if (!line.starts_with("INPUT(")) return fs::canonical(file);
    const fs::path named = line.substr(6, line.find_first_of(") \t", 6) - 6);
    std::error_code none;
    return fs::canonical(named.is_absolute() ? named : file.parent_path() / named, none);
}

// The file of the MPI library that these flags would link.
static fs::path library_among(const MpiFlags &flags) {
    std::vector<fs::path> folders;
    for (const std::string &word : flags.link)
        if (word.starts_with("-L")) folders.emplace_back(word.substr(2));
    for (const char *usual :
         {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"})
        folders.emplace_back(usual);
    std::error_code none;
    for (const char *name : {"libmpi_abi.so", "libmpich.so", "libmpi.so"}) {
        const std::string option = "-l" + std::string(name).substr(3, std::string_view(name).size() - 6);
        if (std::find(flags.link.begin(), flags.link.end(), option) == flags.link.end()) continue;
        for (const fs::path &folder : folders)
            if (fs::exists(folder / name, none)) return behind_script(folder / name);
    }
    return {};
}

static fs::path beside(const fs::path &mpicc, std::initializer_list<const char *> names) {
    for (const char *name : names)
        if (fs::path path = mpicc.parent_path() / name; command::is_executable(path)) return path;
    return {};
}

// An MPI that the set-up did not see: is it of a kind that libstretto was built for?
static Mpi unknown_mpi(const Installation &installation, const fs::path &mpicc) {
    const fs::path library = library_among(read_flags(shown_by(mpicc)));
    const std::string name =
        library.empty() ? std::string()
                        : remembered("name", library, "", [&] { return command::name_of(installation, library); });
    if (name.empty())
        throw Failure(mpicc.string() + " is of no MPI that Stretto knows" +
                      (library.empty() ? "" : " (" + library.string() + ")") +
                      ": name one with --mpi (`stretto info` lists them)");
    Mpi mpi;
    mpi.name = name;
    mpi.library = library;
    mpi.libstretto = installation.library(name);
    mpi.mpicc = mpicc;
    mpi.mpicxx = beside(mpicc, {"mpicxx", "mpic++", "mpiCC"});
    mpi.mpifort = beside(mpicc, {"mpifort", "mpif90"});
    return mpi;
}

Mpi choose_mpi(const Installation &installation, const std::string &name) {
    if (!name.empty()) return command::known_mpi(installation, name);
    if (const char *named = std::getenv("STRETTO_MPI"); named && *named) return command::known_mpi(installation, named);
    const fs::path mpicc = command::on_path("mpicc");
    if (mpicc.empty()) throw Failure("no mpicc in $PATH: name an MPI with --mpi (`stretto info` lists them)");
    std::error_code none;
    for (const Mpi &mpi : command::known_mpis(installation))
        if (fs::equivalent(mpi.mpicc, mpicc, none)) return mpi;
    return unknown_mpi(installation, mpicc);
}

MpiFlags flags_of(const Mpi &mpi, Language language) {
    const fs::path &wrapper = language == Language::c     ? mpi.mpicc
                              : language == Language::cxx ? mpi.mpicxx
                                                          : mpi.mpifort;
    if (wrapper.empty()) {
        const std::string what = language == Language::c ? "mpicc" : language == Language::cxx ? "mpicxx" : "mpifort";
        throw Failure("this MPI (" + mpi.name + ") has no " + what +
                      ": name another one with --mpi (`stretto info` lists them)");
    }
    return read_flags(shown_by(wrapper));
}

std::vector<std::string> flags_of_libstretto(const Mpi &mpi) {
    if (mpi.libstretto.empty())
        throw Failure("no libstretto was built for " + mpi.name + ": build Stretto where this MPI is installed");
    const std::string folder = mpi.libstretto.parent_path();
    return {"-L" + folder, "-Wl,-rpath," + folder, "-Wl,--push-state,--no-as-needed", "-lstretto", "-Wl,--pop-state"};
}

} // namespace stretto::wrapper
