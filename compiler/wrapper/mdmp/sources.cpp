#include "sources.h"
#include "elements.h"
#include "failure.h"
#include "includes.h"
#include "process.h"
#include "renamed_output.h"
#include "rewrite.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <unistd.h>

using stretto::command::Failure;
namespace fs = std::filesystem;

namespace stretto::wrapper::mdmp {

// As flang tells it by the file's name.
static std::optional<Form> form_by_name(const fs::path &file) {
    static constexpr std::array<std::string_view, 8> fixed = {".f",   ".F",   ".for", ".FOR",
                                                              ".f77", ".fpp", ".FPP", ".F77"};
    static constexpr std::array<std::string_view, 12> free = {".f90", ".F90", ".f95", ".F95", ".f03",  ".F03",
                                                              ".f08", ".F08", ".f18", ".F18", ".ff90", ".ftn90"};
    const std::string kind = file.extension();
    if (std::find(fixed.begin(), fixed.end(), kind) != fixed.end()) return Form::fixed;
    if (std::find(free.begin(), free.end(), kind) != free.end()) return Form::free;
    return {};
}

// Of -ffixed-line-length=132, -ffixed-line-length-132, none and 0.
static std::size_t width_in(const std::string &word, std::size_t otherwise) {
    static constexpr std::string_view option = "-ffixed-line-length";
    if (!word.starts_with(option) || word.size() <= option.size() + 1) return otherwise;
    return std::strtoul(word.c_str() + option.size() + 1, nullptr, 10);
}

static void read_options(Source &source, const std::vector<std::string> &words) {
    source.width = 72;
    for (const std::string &word : words) {
        if (word == "-ffixed-form") source.form = Form::fixed;
        if (word == "-ffree-form") source.form = Form::free;
        if (word == "-fopenmp" || word.starts_with("-fopenmp=")) source.openmp = true;
        if (word == "-fopenacc") source.openacc = true;
        source.width = width_in(word, source.width);
    }
}

// "solver.f90:12:14: error: …", the line, and a mark below the column.
static void tell(const Source &source, const Problem &problem) {
    const Line &line = source.lines[std::min(problem.where.row, source.lines.size() - 1)];
    std::string mark;
    for (std::size_t i = 0; i < problem.where.column; i++)
        mark += i < line.text.size() && line.text[i] == '\t' ? '\t' : ' ';
    std::cerr << source.files[line.file] << ':' << line.number << ':' << problem.where.column + 1
              << ": error: " << problem.what << '\n'
              << line.text << '\n'
              << mark << "^\n";
}

static void tell(const Source &source, std::vector<Problem> problems) {
    std::stable_sort(problems.begin(), problems.end(), [](const Problem &a, const Problem &b) {
        return std::pair(a.where.row, a.where.column) < std::pair(b.where.row, b.where.column);
    });
    for (const Problem &problem : problems) tell(source, problem);
}

static fs::path new_folder() {
    std::string name = fs::temp_directory_path() / "stretto-fc-XXXXXX";
    if (!mkdtemp(name.data())) throw Failure("no folder for sources with directives could be made: set TMPDIR");
    return name;
}

// What is read from standard input cannot be read twice: it comes from a file from now on.
static void refuse_from_standard_input() {
    const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    if (mentions_mdmp(text)) throw Failure("a source with directives of MDMP is compiled from a file: give its name");
    std::FILE *file = std::tmpfile();
    if (!file) throw Failure("no temporary file could be made: set TMPDIR");
    std::fwrite(text.data(), 1, text.size(), file);
    std::rewind(file);
    dup2(fileno(file), STDIN_FILENO);
    std::fclose(file);
}

void Sources::rewrite(const CommandLine &line, const std::vector<fs::path> &folders) {
    std::vector<std::string> all = line.include_folders;
    all.insert(all.end(), folders.begin(), folders.end());
    for (const std::string &file : line.sources) {
        if (file == "-")
            refuse_from_standard_input();
        else
            rewrite_file(line, file, all);
    }
}

Sources::~Sources() {
    std::error_code none;
    if (!folder_.empty()) fs::remove_all(folder_, none);
}

void Sources::rewrite_file(const CommandLine &line, const std::string &file, const std::vector<std::string> &folders) {
    const std::optional<Form> form = form_by_name(file);
    const std::string text = form ? contents(file) : std::string();
    if (!mentions_mdmp(text, file, folders)) return;
    Source source;
    source.form = *form;
    read_options(source, expanded_words(line.words));
    read_lines(source, text, file, folders);
    std::vector<Problem> problems;
    const std::vector<Element> elements = elements_of(source, problems);
    const Program program = read_program(source, elements, problems);
    tell(source, problems);
    wrong_ |= !problems.empty();
    if (!problems.empty() || (program.directives.empty() && program.uses.empty())) return;

    if (folder_.empty()) folder_ = new_folder();
    // A folder for each: flang names what it makes after the file alone.
    const fs::path own = folder_ / std::to_string(rewritten_.size()) / fs::path(file).filename();
    fs::create_directory(own.parent_path());
    std::ofstream output(own);
    output << rewritten(source, program);
    if (!output.flush()) throw Failure("cannot write " + own.string() + ": set TMPDIR to a folder with room");
    rewritten_.emplace_back(file, own);
}

std::vector<std::string> Sources::words(const std::vector<std::string> &words) const {
    if (!any()) return words;
    std::vector<std::string> all = expanded_words(words);
    for (const auto &[users, ours] : rewritten_) std::replace(all.begin(), all.end(), users, ours);
    return all;
}

std::string Sources::by_users_names(std::string text) const {
    for (const auto &[users, ours] : rewritten_)
        for (std::size_t at = text.find(ours); at != std::string::npos; at = text.find(ours, at + users.size()))
            text.replace(at, ours.size(), users);
    return text;
}

// What follows -o.
static std::string output_of(const std::vector<std::string> &words) {
    for (std::size_t i = 0; i + 1 < words.size(); i++)
        if (words[i] == "-o") return words[i + 1];
    return {};
}

int Sources::run(const std::vector<std::string> &words, const CommandLine &line) const {
    if (!any()) return command::run_and_wait(words);
    std::vector<std::string> all = words;
    if (isatty(STDERR_FILENO)) all.insert(all.begin() + 1, "-fcolor-diagnostics"); // flang sees a pipe
    const int status = run_renamed(all, [this](std::string text) { return by_users_names(std::move(text)); });
    const std::string output = output_of(all);
    if (status == 0 && line.preprocesses_only && !output.empty() && output != "-") {
        const std::string text = by_users_names(contents(output));
        std::ofstream(output) << text;
    }
    return status;
}

} // namespace stretto::wrapper::mdmp
