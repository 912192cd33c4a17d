#include "compiler.h"
#include "cache.h"
#include "failure.h"
#include "process.h"

#include <cstdlib>
#include <optional>
#include <vector>

using stretto::command::Failure;
using stretto::command::Installation;
namespace fs = std::filesystem;

namespace stretto::wrapper {

// The LLVMs that the plugin is written for, newest first.
static constexpr int llvms[] = {22, 19, 16};

struct Names {
    const char *variable; // that names another one
    const char *kind;     // what `--version` says
    std::vector<std::string> programs;
};

static const Names &names_of(Language language) {
    static const Names c = {"STRETTO_CC", "clang", {"clang"}}, cxx = {"STRETTO_CXX", "clang", {"clang++"}},
                       fortran = {"STRETTO_FC", "flang", {"flang", "flang-new"}};
    return language == Language::c ? c : language == Language::cxx ? cxx : fortran;
}

static fs::path plugin_for(const Installation &installation, int llvm, const char *name = "stretto_pass.so") {
    const fs::path path = installation.libraries() / ("llvm-" + std::to_string(llvm)) / name;
    return fs::exists(path) ? path : fs::path();
}

// "Debian flang-new version 19.1.7 (3~deb12u1)" -> 19; 0 where it is of another kind.
static int llvm_in(const std::string &version, const std::string &kind) {
    const std::size_t at = version.find(" version ");
    if (at == std::string::npos || version.substr(0, at).find(kind) == std::string::npos) return 0;
    return std::atoi(version.c_str() + at + std::string(" version ").size());
}

// What the program says that it is, not what its name says.
static std::optional<Compiler> examined(const Installation &installation, const std::string &name, const Names &names) {
    const fs::path path = name.find('/') == std::string::npos ? command::on_path(name) : fs::path(name);
    if (!command::is_executable(path)) return {};
    Compiler compiler{name, path};
    compiler.version = remembered("--version", path, "", [&] {
        const command::Output said = command::capture({path.string(), "--version"}, 60);
        return said.status == 0 ? said.text.substr(0, said.text.find('\n')) : std::string();
    });
    compiler.llvm = llvm_in(compiler.version, names.kind);
    compiler.plugin = plugin_for(installation, compiler.llvm);
    compiler.directives = plugin_for(installation, compiler.llvm, "stretto_directives.so");
    return compiler;
}

static Compiler named(const Installation &installation, const std::string &name, const Names &names) {
    const std::optional<Compiler> compiler = examined(installation, name, names);
    if (!compiler) throw Failure(std::string(names.variable) + ": " + name + ": no such program");
    if (!compiler->llvm)
        throw Failure(std::string(names.variable) + ": " + name + " is no " + names.kind +
                      " (it says: " + (compiler->version.empty() ? "nothing" : compiler->version) + "): name one, as " +
                      names.variable + "=" + names.programs.front() + "-" + std::to_string(llvms[0]));
    return *compiler;
}

Compiler find_compiler(const Installation &installation, Language language) {
    const Names &names = names_of(language);
    if (const char *name = std::getenv(names.variable); name && *name) return named(installation, name, names);
    std::optional<Compiler> newest; // that has no plugin
    std::vector<std::string> candidates;
    for (int llvm : llvms)
        for (const std::string &program : names.programs) candidates.push_back(program + "-" + std::to_string(llvm));
    candidates.insert(candidates.end(), names.programs.begin(), names.programs.end());
    for (const std::string &candidate : candidates) {
        const std::optional<Compiler> compiler = examined(installation, candidate, names);
        if (!compiler || !compiler->llvm) continue;
        if (!compiler->plugin.empty()) return *compiler;
        if (!newest) newest = compiler;
    }
    if (newest) return *newest;
    const std::string first = names.programs.front();
    throw Failure("no " + first + " in $PATH: install " + names.kind + "-" + std::to_string(llvms[0]) +
                  ", or name one, as " + names.variable + "=/opt/llvm/bin/" + first);
}

// flang-19 is flang-new-19 on Debian.
static std::string usual_name(const Names &names, int llvm) {
    for (const std::string &program : names.programs)
        if (std::string name = program + "-" + std::to_string(llvm); !command::on_path(name).empty()) return name;
    return names.programs.front() + "-" + std::to_string(llvm);
}

fs::path plugin_of(const Installation &installation, const Compiler &compiler, Language language) {
    if (!compiler.plugin.empty()) return compiler.plugin;
    const Names &names = names_of(language);
    std::string others;
    for (int llvm : llvms)
        if (!plugin_for(installation, llvm).empty()) others += (others.empty() ? "" : " or ") + usual_name(names, llvm);
    const std::string number = std::to_string(compiler.llvm);
    const std::string what_to_do = others.empty() ? "build Stretto where llvm-" + number + "-dev is installed"
                                                  : "set " + std::string(names.variable) + " to " + others;
    throw Failure("no plugin was built for LLVM " + number + " of " + compiler.name + " in " +
                  installation.libraries().string() + ": " + what_to_do + ", or compile with -fstretto=off");
}

} // namespace stretto::wrapper
