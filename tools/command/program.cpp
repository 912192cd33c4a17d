#include "program.h"
#include "failure.h"
#include "process.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace stretto::command {

static bool executable(const fs::path &path) {
    return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

static fs::path find(const std::string &name) {
    if (name.find('/') != std::string::npos) {
        if (!fs::exists(name)) throw Failure(name + ": no such program");
        if (!executable(name)) throw Failure(name + ": not a program, or not executable: try chmod +x");
        return name;
    }
    const char *variable = std::getenv("PATH");
    std::istringstream folders(variable ? variable : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path path = fs::path(folder.empty() ? "." : folder) / name; executable(path)) return path;
    const bool here = executable(name);
    throw Failure(name + ": no such program in $PATH" + (here ? ", but there is one here: say ./" + name : ""));
}

// "#!/usr/bin/env python3" -> the path of python3; empty where the file is no script.
static fs::path interpreter(const fs::path &script) {
    std::ifstream file(script);
    std::string line;
    if (!std::getline(file, line) || line.compare(0, 2, "#!") != 0) return {};
    std::istringstream words(line.substr(2));
    std::string word;
    words >> word;
    if (fs::path(word).filename() == "env")
        while (words >> word && (word[0] == '-' || word.find('=') != std::string::npos)) {
        }
    return find(word);
}

// The loader that the program asks for. Reads the ELF header and the program headers (man 5 elf).
static std::string loader(const fs::path &path) {
    const std::string name = path.string();
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr header{};
    file.read(reinterpret_cast<char *>(&header), sizeof header);
    if (file.gcount() < EI_NIDENT || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        throw Failure(name + ": neither an ELF program nor a script that begins with #!");
    Elf64_Ehdr own{};
    std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char *>(&own), sizeof own);
    if (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header.e_machine != own.e_machine)
        throw Failure(name + ": built for another kind of machine than libstretto");

    bool dynamic = false;
    std::string found;
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
        file.read(reinterpret_cast<char *>(&segment), sizeof segment);
        if (!file) throw Failure(name + ": its ELF headers are cut short");
        dynamic |= segment.p_type == PT_DYNAMIC;
        if (segment.p_type == PT_INTERP) {
            found.resize(segment.p_filesz);
            file.seekg(static_cast<std::streamoff>(segment.p_offset));
            file.read(found.data(), static_cast<std::streamsize>(found.size()));
            found.resize(std::strlen(found.c_str()));
        }
    }
    if (found.empty())
        throw Failure(name + ": linked statically" + (dynamic ? " (static-pie)" : "") +
                      ", so libstretto cannot be loaded before it: link it dynamically, or with -lstretto");
    return found;
}

static bool is_mpi_library(std::string_view soname) {
    for (std::string_view name : {"libmpi.so.", "libmpich.so.", "libmpi_abi.so."})
        if (soname.substr(0, name.size()) == name) return true;
    return false;
}

Program examine(const std::string &name) {
    Program program;
    program.path = find(name);
    for (int depth = 0; depth < 4; depth++) {
        const fs::path next = interpreter(program.path);
        if (next.empty()) break;
        program.path = next;
    }
    // The loader itself says what it would load: only it knows its cache, RUNPATHs and LD_LIBRARY_PATH as it reads them.
    const Output listed = capture({loader(program.path), "--list", program.path.string()}, 20, {{"LD_PRELOAD", ""}});
    std::istringstream lines(listed.text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line); // libmpi.so.40 => /lib/x86_64-linux-gnu/libmpi.so.40 (0x00007f…)
        std::string soname, arrow, path;
        words >> soname >> arrow >> path;
        if (arrow != "=>") path = soname; // needed by its path
        program.has_stretto |= fs::path(soname).filename().string().rfind("libstretto.so", 0) == 0;
        if (!is_mpi_library(fs::path(soname).filename().string())) continue;
        if (path == "not") throw Failure(name + ": needs " + soname + ", which is not found: set LD_LIBRARY_PATH");
        program.mpi_library = fs::canonical(path);
    }
    return program;
}

} // namespace stretto::command
