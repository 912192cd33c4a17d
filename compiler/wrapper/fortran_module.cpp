#include "fortran_module.h"
#include "cache.h"
#include "failure.h"
#include "process.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <unistd.h>

using stretto::command::Failure;
namespace fs = std::filesystem;

namespace stretto::wrapper {

// flang's module files are text with this in their first line; gfortran's are compressed.
static bool flang_reads(const fs::path &module) {
    std::ifstream input(module, std::ios::binary);
    std::string first;
    return std::getline(input, first) && first.find("!mod$") != std::string::npos;
}

static bool has_modules(const fs::path &folder) {
    std::error_code none;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, none))
        if (entry.path().extension() == ".mod") return true;
    return false;
}

static fs::path folder_with(const std::vector<fs::path> &folders, const char *file) {
    for (const fs::path &folder : folders)
        if (fs::exists(folder / file)) return folder;
    return {};
}

static std::vector<std::string> lines_of(const fs::path &file) {
    std::ifstream input(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(input, line);) lines.push_back(line);
    return lines;
}

// In lower case, without blanks in front.
static std::string plain(const std::string &line) {
    std::string text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    for (char &c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// Makes comments of the procedure's interface around a line (counted from 1). False: there is none around it.
static bool leave_out_interface(std::vector<std::string> &lines, std::size_t number) {
    const auto begin_of = [](const std::string &text) {
        return text.starts_with("subroutine ") || text.starts_with("function ");
    };
    const auto end_of = [](const std::string &text) {
        return text.starts_with("end subroutine") || text.starts_with("end function");
    };
    if (number == 0 || number > lines.size()) return false;
    std::size_t first = number - 1, last = number - 1;
    while (!begin_of(plain(lines[first])))
        if (end_of(plain(lines[first])) || first-- == 0) return false;
    while (!end_of(plain(lines[last])))
        if (++last == lines.size()) return false;
    for (std::size_t i = first; i <= last; i++) lines[i] = "! not for this flang: " + lines[i];
    return true;
}

static bool leave_out_external(std::vector<std::string> &lines, std::size_t number) {
    if (number == 0 || number > lines.size() || !plain(lines[number - 1]).starts_with("external ")) return false;
    lines[number - 1].clear();
    return true;
}

// "/a/mpif-sizeof.h:995:7: error: REAL(KIND=-1) is not a supported type" -> file and line, for every error.
static std::map<fs::path, std::set<std::size_t>> places_of_errors(const std::string &said) {
    std::map<fs::path, std::set<std::size_t>> places;
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t error = line.find(": error: ");
        if (error == std::string::npos || line.find("included here") != std::string::npos) continue;
        const std::size_t column = line.rfind(':', error - 1);
        if (column == std::string::npos || column == 0) continue;
        const std::size_t number = line.rfind(':', column - 1);
        if (number == std::string::npos) continue;
        places[line.substr(0, number)].insert(std::strtoul(line.c_str() + number + 1, nullptr, 10));
    }
    return places;
}

// Leaves out what flang refuses: of the headers in `folder` the interfaces, which are Open MPI's MPI_Sizeof for kinds that it does not
// have; of the module the lines for what mpif.h has declared.
static bool repair(const fs::path &folder, const std::string &said) {
    bool changed = false;
    for (const auto &[file, numbers] : places_of_errors(said)) {
        const fs::path own = folder / file.filename();
        const bool is_module = file.filename() == "mpi.f90";
        if (!is_module && !fs::is_symlink(own)) continue;
        std::vector<std::string> lines = lines_of(own);
        bool here = false;
        for (std::size_t number : numbers)
            here |= is_module ? leave_out_external(lines, number) : leave_out_interface(lines, number);
        if (!here) continue;
        fs::remove(own); // the link, not the MPI's file
        std::ofstream output(own);
        for (const std::string &line : lines) output << line << '\n';
        changed = true;
    }
    return changed;
}

static std::string first_error(const std::string &said) {
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);)
        if (line.find(": error: ") != std::string::npos) return line;
    return said.substr(0, said.find('\n'));
}

// The functions that the MPI's C headers in this folder declare: "int MPI_Send(const void *buf, ...".
static std::set<std::string> functions_in(const fs::path &folder) {
    static const std::regex declared("\\b(MPI_[A-Z]\\w*)\\(");
    std::set<std::string> names;
    for (const char *header : {"mpi.h", "mpi_proto.h"})
        for (const std::string &line : lines_of(folder / header))
            for (std::sregex_iterator each(line.begin(), line.end(), declared), end; each != end; ++each)
                names.insert((*each)[1]);
    return names;
}

// mpif.h, and every procedure by its name: `use mpi, only: MPI_Send` finds it then. Names that only C has do no harm.
static void write_module(const fs::path &folder) {
    std::ofstream module(folder / "mpi.f90");
    module << "module mpi\n  include 'mpif.h'\n";
    for (const std::string &name : functions_in(folder)) module << "  external " << name << '\n';
    module << "end module\n";
}

// Links to the MPI's headers and its module mpi. Where flang makes none, a file why_not says so.
static void make(const fs::path &folder, const fs::path &headers, const Compiler &compiler) {
    fs::create_directories(folder);
    for (const fs::directory_entry &entry : fs::directory_iterator(headers))
        if (entry.path().extension() == ".h") fs::create_symlink(entry.path(), folder / entry.path().filename());
    write_module(folder);
    const std::vector<std::string> words = {compiler.path, "-fsyntax-only", "-J" + folder.string(),
                                            "-I" + folder.string(), folder / "mpi.f90"};
    command::Output said = command::capture(words, 300);
    for (int round = 0; round < 3 && said.status == 1 && repair(folder, said.text); round++)
        said = command::capture(words, 300);
    if (said.status == 0) return;
    if (said.status != 1) throw Failure(compiler.name + " did not end as a compiler does on mpif.h:\n" + said.text);
    std::ofstream(folder / "why_not") << first_error(said.text);
}

// What is made of a header; a wrapper that makes it otherwise has another one here.
static const std::string form = STRETTO_VERSION " 2 ";

// Several at once may want it, as in `make -j`: each makes its own, and the first one's stays.
static fs::path made_once(const std::string &name, const fs::path &source, const Compiler &compiler,
                          const std::function<void(const fs::path &folder)> &make) {
    const fs::path cache = cache_folder();
    if (cache.empty()) throw Failure("the module " + name + " needs a folder: set XDG_CACHE_HOME or HOME");
    const std::string key = form + identity(source) + ' ' + identity(compiler.path) + ' ' + compiler.version;
    fs::path folder = cache / "modules" / short_name(key);
    if (fs::exists(folder)) return folder;
    const fs::path draft = folder.string() + "." + std::to_string(getpid());
    std::error_code none;
    fs::remove_all(draft, none);
    try {
        make(draft);
        fs::rename(draft, folder, none);
        fs::remove_all(draft, none);
    } catch (const fs::filesystem_error &wrong) {
        fs::remove_all(draft, none);
        throw Failure("cannot write the module " + name + ": " + std::string(wrong.what()) +
                      ": set XDG_CACHE_HOME to a folder");
    } catch (...) {
        fs::remove_all(draft, none);
        throw;
    }
    if (!fs::exists(folder)) throw Failure("cannot write the module " + name + " into " + folder.string());
    return folder;
}

FortranModule fortran_module(const Compiler &compiler, const MpiFlags &flags) {
    const auto of_flang = [](const fs::path &folder) { return flang_reads(folder / "mpi.mod"); };
    if (std::any_of(flags.include_folders.begin(), flags.include_folders.end(), of_flang)) return {flags.compile, ""};

    FortranModule module;
    const fs::path headers = folder_with(flags.include_folders, "mpif.h");
    if (headers.empty()) {
        module.why_not = "this MPI has no mpif.h to make it of";
    } else {
        const fs::path folder = made_once("mpi", headers / "mpif.h", compiler,
                                          [&](const fs::path &made) { make(made, headers, compiler); });
        module.compile.push_back("-I" + folder.string());
        const std::vector<std::string> why = lines_of(folder / "why_not");
        if (!why.empty()) module.why_not = compiler.name + " cannot read its mpif.h: " + why.front();
    }
    for (const std::string &word : flags.compile) // flang looks for modules wherever -I says
        if (word.starts_with("-I") ? !has_modules(word.substr(2)) : word.starts_with("-D") || word.starts_with("-U"))
            module.compile.push_back(word);
    return module;
}

fs::path module_of_mdmp(const command::Installation &installation, const Compiler &compiler) {
    const fs::path source = installation.header("mdmp_calls.F90");
    if (!fs::exists(source)) return {};
    return made_once("mdmp_calls", source, compiler, [&](const fs::path &folder) {
        fs::create_directories(folder);
        const command::Output said =
            command::capture({compiler.path, "-fsyntax-only", "-J" + folder.string(), source}, 300);
        if (said.status != 0) throw Failure(compiler.name + " did not compile " + source.string() + ":\n" + said.text);
    });
}

// The modules that a source uses.
static std::set<std::string> used_by(const fs::path &source) {
    std::set<std::string> modules;
    for (const std::string &line : lines_of(source)) {
        std::string text = plain(line);
        if (!text.starts_with("use")) continue;
        text = text.substr(3);
        if (const std::size_t colons = text.find("::"); colons != std::string::npos) text = text.substr(colons + 2);
        const auto begin = text.find_first_not_of(" \t");
        if (begin == std::string::npos) continue;
        const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_name);
        modules.insert(std::string(text.begin() + static_cast<std::ptrdiff_t>(begin), end));
    }
    return modules;
}

std::string explanation(const CommandLine &line, const Compiler &compiler, const command::Mpi &mpi,
                        const MpiFlags &flags, const FortranModule &module) {
    std::vector<fs::path> folders = flags.include_folders;
    folders.insert(folders.end(), line.include_folders.begin(), line.include_folders.end());
    folders.emplace_back(".");
    const auto is_there = [&](const char *file) {
        return std::any_of(folders.begin(), folders.end(),
                           [&](const fs::path &each) { return flang_reads(each / file); });
    };
    for (const std::string &source : line.sources) {
        const std::set<std::string> modules = used_by(source);
        if (modules.contains("mpi_f08") && !is_there("mpi_f08.mod"))
            return source + " uses the module mpi_f08, and this MPI (" + mpi.name +
                   ") was not built for flang: use the module mpi, or an MPI built by " + compiler.name;
        if (modules.contains("mpi") && !module.why_not.empty() && !is_there("mpi.mod"))
            return source + " uses the module mpi, and none could be made for " + compiler.name + ": " + module.why_not;
    }
    return {};
}

} // namespace stretto::wrapper
