#include "program.h"
#include "failure.h"
#include "process.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace stretto::command {

static fs::path find(const std::string &name) {
    if (name.find('/') != std::string::npos) {
        if (!fs::exists(name)) throw Failure(name + ": no such program");
        if (!is_executable(name)) throw Failure(name + ": not a program, or not executable: try chmod +x");
        return name;
    }
    if (fs::path path = on_path(name); !path.empty()) return path;
    const bool here = is_executable(name);
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

// What the ELF header and the program headers say (man 5 elf).
struct Headers {
    bool foreign = false; // for another kind of machine than this program
    bool dynamic = false;
    std::string loader; // empty where it asks for none
};

static Elf64_Ehdr read_header(const fs::path &path) {
    Elf64_Ehdr header{};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char *>(&header), sizeof header);
    if (file.gcount() < EI_NIDENT || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        throw Failure(path.string() + ": neither an ELF program nor a script that begins with #!");
    return header;
}

static Headers read_headers(const fs::path &path) {
    const Elf64_Ehdr header = read_header(path), own = read_header("/proc/self/exe");
    Headers result;
    result.foreign = header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header.e_machine != own.e_machine;
    if (result.foreign) return result;
    std::ifstream file(path, std::ios::binary);
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
        file.read(reinterpret_cast<char *>(&segment), sizeof segment);
        if (!file) throw Failure(path.string() + ": its ELF headers are cut short");
        result.dynamic |= segment.p_type == PT_DYNAMIC;
        if (segment.p_type == PT_INTERP) {
            result.loader.resize(segment.p_filesz);
            file.seekg(static_cast<std::streamoff>(segment.p_offset));
            file.read(result.loader.data(), static_cast<std::streamsize>(result.loader.size()));
            result.loader.resize(std::strlen(result.loader.c_str()));
        }
    }
    return result;
}

static std::string why_closed(const Headers &headers) {
    if (headers.foreign) return "built for another kind of machine than libstretto";
    if (!headers.loader.empty()) return {};
    return std::string("linked statically") + (headers.dynamic ? " (static-pie)" : "") +
           ", so libstretto cannot be loaded before it: link it dynamically";
}

static bool is_mpi_library(std::string_view soname) {
    for (std::string_view name : {"libmpi.so.", "libmpich.so.", "libmpi_abi.so."})
        if (soname.substr(0, name.size()) == name) return true;
    return false;
}

struct Needed {
    std::string soname, path; // path: "not" where it is not found
};

// The loader itself says what it would load: only it knows its cache, RUNPATHs and LD_LIBRARY_PATH as it reads them.
static std::vector<Needed> needed(const std::string &loader, const fs::path &object) {
    const Output listed = capture({loader, "--list", object.string()}, 20, {{"LD_PRELOAD", ""}});
    std::istringstream lines(listed.text);
    std::vector<Needed> result;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line); // libmpi.so.40 => /lib/x86_64-linux-gnu/libmpi.so.40 (0x00007f…)
        std::string name, arrow, path;
        words >> name >> arrow >> path;
        if (arrow != "=>") path = name; // needed by its path
        result.push_back({fs::path(name).filename(), path});
    }
    return result;
}

fs::path mpi_library_of(const fs::path &object) {
    // What is no program names no loader; the one that we run under does.
    for (const Needed &one : needed(read_headers("/proc/self/exe").loader, object))
        if (is_mpi_library(one.soname) && fs::exists(one.path)) return fs::canonical(one.path);
    return {};
}

Program examine(const std::string &name) {
    Program program;
    program.path = find(name);
    for (int depth = 0; depth < 4; depth++) {
        const fs::path next = interpreter(program.path);
        if (next.empty()) break;
        program.path = next;
    }
    const Headers headers = read_headers(program.path);
    program.closed = why_closed(headers);
    if (!program.closed.empty()) return program;
    for (const Needed &one : needed(headers.loader, program.path)) {
        program.has_stretto |= one.soname.rfind("libstretto.so", 0) == 0;
        if (!is_mpi_library(one.soname)) continue;
        if (one.path == "not")
            throw Failure(name + ": needs " + one.soname + ", which is not found: set LD_LIBRARY_PATH");
        program.mpi_library = fs::canonical(one.path);
    }
    return program;
}

} // namespace stretto::command
