#include "command_line.h"
#include "settings/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace stretto::wrapper {

template <std::size_t N>
static bool is_one_of(std::string_view word, const std::array<std::string_view, N> &all) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

// Options of clang and flang whose value is the next word: what stands there is neither an input nor an option.
static bool has_value(std::string_view word) {
    static constexpr std::array<std::string_view, 49> options = {"-o",
                                                                 "-I",
                                                                 "-D",
                                                                 "-U",
                                                                 "-L",
                                                                 "-l",
                                                                 "-x",
                                                                 "-J",
                                                                 "-module-dir",
                                                                 "-include",
                                                                 "-imacros",
                                                                 "-isystem",
                                                                 "-iquote",
                                                                 "-idirafter",
                                                                 "-iprefix",
                                                                 "-iwithprefix",
                                                                 "-isysroot",
                                                                 "-imultilib",
                                                                 "-cxx-isystem",
                                                                 "-MF",
                                                                 "-MT",
                                                                 "-MQ",
                                                                 "-MJ",
                                                                 "-Xclang",
                                                                 "-Xflang",
                                                                 "-Xlinker",
                                                                 "-Xassembler",
                                                                 "-Xpreprocessor",
                                                                 "-Xopenmp-target",
                                                                 "-Xanalyzer",
                                                                 "-mllvm",
                                                                 "-mmlir",
                                                                 "-target",
                                                                 "-arch",
                                                                 "-T",
                                                                 "-u",
                                                                 "-z",
                                                                 "-e",
                                                                 "-A",
                                                                 "-B",
                                                                 "-F",
                                                                 "-G",
                                                                 "-framework",
                                                                 "-rpath",
                                                                 "--param",
                                                                 "--sysroot",
                                                                 "-aux-info",
                                                                 "-wrapper",
                                                                 "-dumpbase"};
    return is_one_of(word, options);
}

static bool is_object(const std::string &file) {
    const std::string name = fs::path(file).filename();
    static constexpr std::array<std::string_view, 6> kinds = {".o", ".a", ".so", ".lo", ".obj", ".lib"};
    return is_one_of(fs::path(name).extension().string(), kinds) || name.find(".so.") != std::string::npos;
}

static bool stops_before_linking(std::string_view word) {
    static constexpr std::array<std::string_view, 9> options = {
        "-c", "-S", "-fsyntax-only", "-emit-ast", "--precompile", "--compile", "--assemble", "--analyze", "-r"};
    return is_one_of(word, options);
}

static bool is_of_preprocessor_only(std::string_view word) {
    static constexpr std::array<std::string_view, 6> options = {
        "-E", "-M", "-MM", "--preprocess", "--dependencies", "--user-dependencies"};
    return is_one_of(word, options);
}

// "-showme:link" -> "link", as Open MPI's wrappers have it; MPICH's say -link_info.
static std::string shown_by(std::string_view word) {
    if (word == "-show" || word == "-showme" || word == "--showme") return "-show";
    if (word == "-compile-info" || word == "-compile_info") return "compile";
    if (word == "-link-info" || word == "-link_info") return "link";
    for (std::string_view prefix : {"-showme:", "--showme:"}) {
        if (!word.starts_with(prefix)) continue;
        static constexpr std::array<std::string_view, 6> parts = {"command", "compile", "link",
                                                                  "incdirs", "libdirs", "libs"};
        const std::string_view part = word.substr(prefix.size());
        if (!is_one_of(part, parts))
            throw Usage(std::string(word) + ": there are -showme:command, compile, link, incdirs, libdirs and libs");
        return std::string(part);
    }
    return {};
}

static bool is_of_mdmp(std::string_view word) {
    return word == "-fno-mdmp" || word == "-fmdmp" || word.starts_with("-fmdmp=");
}

static bool is_ours(std::string_view word) {
    return word == "--mpi" || word.starts_with("--mpi=") || word.starts_with("-fstretto") || is_of_mdmp(word) ||
           !shown_by(word).empty();
}

static void read_mdmp(CommandLine &line, const std::string &word) {
    line.plain_directives = true;
    if (word == "-fno-mdmp" || word == "-fmdmp=plain") return;
    const std::string meant(nearest(word, {"-fno-mdmp", "-fmdmp=plain"}));
    throw Usage("unknown option " + word +
                (meant.empty() ? ": there are -fmdmp=plain and -fno-mdmp" : ": did you mean " + meant + "?"));
}

static void read_transform(CommandLine &line, const std::string &word) {
    static const std::vector<std::string> values = {"off", "send", "receive", "collective", "all"};
    if (word == "-fstretto-check") {
        line.checks = true;
        return;
    }
    if (!word.starts_with("-fstretto="))
        throw Usage("unknown option " + word +
                    ": there are -fstretto=off|send|receive|collective|all and -fstretto-check");
    const std::string value = word.substr(word.find('=') + 1);
    if (std::find(values.begin(), values.end(), value) == values.end()) {
        const std::string_view near = nearest(value, values);
        throw Usage(
            word + ": " +
            (near.empty() ? "one of off, send, receive and all" : "did you mean -fstretto=" + std::string(near) + "?"));
    }
    line.transform = value;
}

// The words of a response file, as clang reads them: quoted as for a shell, but a backslash counts everywhere.
static std::vector<std::string> words_of(const fs::path &file) {
    std::ifstream input(file);
    std::vector<std::string> words;
    std::string word;
    bool open = false; // a word has begun
    char quote = 0;
    for (char c; input.get(c);) {
        if (c == '\\') {
            if (input.get(c)) word += c;
            open = true;
        } else if (quote) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            open = true;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            if (open) words.push_back(word);
            word.clear();
            open = false;
        } else {
            word += c;
            open = true;
        }
    }
    if (open) words.push_back(word);
    return words;
}

static bool is_response_file(const std::string &word) {
    std::error_code none;
    return word.size() > 1 && word[0] == '@' && fs::is_regular_file(word.substr(1), none);
}

// All words of a response file and of those that it names.
static std::vector<std::string> expanded(const std::string &word, int depth = 0) {
    if (!is_response_file(word) || depth > 16) return {word};
    std::vector<std::string> all;
    for (const std::string &inner : words_of(word.substr(1)))
        for (const std::string &each : expanded(inner, depth + 1)) all.push_back(each);
    return all;
}

std::vector<std::string> expanded_words(const std::vector<std::string> &words) {
    std::vector<std::string> all;
    for (const std::string &word : words)
        for (const std::string &each : expanded(word)) all.push_back(each);
    return all;
}

namespace {

class Reader {
public:
    // Takes note of one word. False: it is ours, and not for the compiler.
    bool read(const std::string &word) {
        if (!option_.empty()) {
            const std::string option = std::exchange(option_, std::string());
            return read_value(option, word);
        }
        if (is_ours(word)) {
            read_ours(word);
            return false;
        }
        if (word.size() > 1 && word[0] == '-')
            read_option(word);
        else
            read_input(word);
        return true;
    }

    void read_input(const std::string &file) {
        line.has_input = true;
        if (!is_object(file)) line.sources.push_back(file);
    }

    void finish() {
        if (option_ == "--mpi") throw Usage("--mpi: which one? `stretto info` lists them");
    }

    CommandLine line;

private:
    void read_ours(const std::string &word) {
        if (word == "--mpi")
            option_ = word;
        else if (word.starts_with("--mpi="))
            line.mpi = word.substr(6);
        else if (word.starts_with("-fstretto"))
            read_transform(line, word);
        else if (is_of_mdmp(word))
            read_mdmp(line, word);
        else
            line.show = shown_by(word);
    }

    bool read_value(const std::string &option, const std::string &value) {
        if (option == "--mpi") line.mpi = value;
        if (option == "-I" || option == "-J" || option == "-module-dir") line.include_folders.push_back(value);
        if (option == "-l") line.has_input = true;
        return option != "--mpi";
    }

    void read_option(const std::string &word) {
        if (has_value(word)) {
            option_ = word;
            return;
        }
        if (stops_before_linking(word)) line.links = false;
        if (is_of_preprocessor_only(word)) {
            line.preprocesses_only = true;
            line.links = false;
        }
        if (word == "--help" || word == "-help") line.wants_help = true;
        if (word.starts_with("-I") || word.starts_with("-J")) line.include_folders.push_back(word.substr(2));
        if (word.starts_with("-l")) line.has_input = true;
    }

    std::string option_; // whose value comes next
};

} // namespace

CommandLine read_command_line(const std::vector<std::string> &words) {
    Reader reader;
    std::vector<std::string> for_compiler;
    const auto end = std::find(words.begin(), words.end(), "--"); // files only behind it
    for (auto word = words.begin(); word != end; ++word) {
        const std::vector<std::string> all = expanded(*word);
        const bool by_name = is_response_file(*word) && std::none_of(all.begin(), all.end(), is_ours);
        if (by_name) for_compiler.push_back(*word); // a command line has a limit, which its user may know
        for (const std::string &each : all)
            if (reader.read(each) && !by_name) for_compiler.push_back(each);
    }
    // What is to follow the user's words would count as files, too.
    for (auto word = end == words.end() ? end : end + 1; word != words.end(); ++word) {
        for_compiler.push_back(word->starts_with("-") || word->starts_with("@") ? "./" + *word : *word);
        reader.read_input(for_compiler.back());
    }
    reader.finish();
    reader.line.words = std::move(for_compiler);
    return std::move(reader.line);
}

} // namespace stretto::wrapper
