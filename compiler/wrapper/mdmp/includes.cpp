#include "includes.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace fs = std::filesystem;

namespace stretto::wrapper::mdmp {

static constexpr int deepest = 20; // more is a file that includes itself

std::string contents(const fs::path &file) {
    std::ifstream input(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

static std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream input(text);
    for (std::string line; std::getline(input, line);) {
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

static std::size_t behind_blanks(const std::string &line, std::size_t at) {
    return std::min(line.find_first_not_of(" \t", at), line.size());
}

// What stands in quotes from here on.
static std::optional<std::string> quoted(const std::string &line, std::size_t at) {
    if (at >= line.size() || (line[at] != '\'' && line[at] != '"' && line[at] != '<')) return {};
    const std::size_t end = line.find(line[at] == '<' ? '>' : line[at], at + 1);
    if (end == std::string::npos) return {};
    return line.substr(at + 1, end - at - 1);
}

// `include 'name'`, `#include "name"` and `#include <name>`.
struct Included {
    std::string name;
    bool may_be_beside; // the file that includes it
};

static std::optional<Included> included(const std::string &line) {
    std::size_t at = behind_blanks(line, 0);
    if (line.starts_with('#')) at = behind_blanks(line, 1);
    static constexpr std::string_view word = "include";
    if (lower(line.substr(std::min(at, line.size()), word.size())) != word) return {};
    at = behind_blanks(line, at + word.size());
    const auto name = quoted(line, at);
    if (!name) return {};
    return Included{*name, line[at] != '<'};
}

struct Found {
    fs::path path;
    bool beside;
};

// As flang looks: beside the file, in the working folder, then where -I says.
static std::optional<Found> find(const Included &wanted, const fs::path &from,
                                 const std::vector<std::string> &folders) {
    std::error_code none;
    const auto is_there = [&](const fs::path &path) { return fs::is_regular_file(path, none); };
    if (wanted.name.starts_with('/'))
        return is_there(wanted.name) ? std::optional<Found>({wanted.name, false}) : std::nullopt;
    if (fs::path path = from.parent_path() / wanted.name; wanted.may_be_beside && is_there(path))
        return Found{path, true};
    if (is_there(wanted.name)) return Found{wanted.name, false};
    for (const std::string &folder : folders)
        if (fs::path path = fs::path(folder) / wanted.name; is_there(path)) return Found{path, false};
    return {};
}

bool mentions_mdmp(const std::string &text, const fs::path &path, const std::vector<std::string> &folders, int depth) {
    if (mentions_mdmp(text)) return true;
    if (depth > deepest) return false;
    for (const std::string &line : lines_of(text))
        if (const auto name = included(line))
            if (const auto file = find(*name, path, folders))
                if (mentions_mdmp(contents(file->path), file->path, folders, depth + 1)) return true;
    return false;
}

namespace {

// `# 12 "name"` and `#line 12 "name"`: what another preprocessor left.
struct Marker {
    std::size_t number;
    std::string file; // empty: as before
};

std::optional<Marker> marker(const std::string &line) {
    if (!line.starts_with('#')) return {};
    std::size_t at = behind_blanks(line, 1);
    if (line.compare(at, 4, "line") == 0) at = behind_blanks(line, at + 4);
    if (at >= line.size() || !std::isdigit(static_cast<unsigned char>(line[at]))) return {};
    char *end = nullptr;
    const std::size_t number = std::strtoul(line.c_str() + at, &end, 10);
    return Marker{number, quoted(line, behind_blanks(line, static_cast<std::size_t>(end - line.c_str()))).value_or("")};
}

class Reader {
public:
    Reader(Source &source, const std::vector<std::string> &folders) : source_(source), folders_(folders) {}

    void read(const std::string &text, const fs::path &path, int depth) {
        std::size_t file = index_of(path), number = 0;
        for (const std::string &line : lines_of(text)) {
            number++;
            if (const auto here = marker(line)) {
                if (!here->file.empty()) file = index_of(here->file);
                number = here->number - 1;
            } else if (!take_included(line, path, depth)) {
                source_.lines.push_back({line, file, number});
            }
        }
    }

private:
    // Takes the place of its line.
    bool take_included(const std::string &line, const fs::path &path, int depth) {
        const auto name = included(line);
        if (!name || depth > deepest) return false;
        const auto file = find(*name, path, folders_);
        if (!file) return false;
        const std::string text = contents(file->path);
        if (!file->beside && !mdmp::mentions_mdmp(text, file->path, folders_, depth + 1)) return false;
        read(text, file->path, depth + 1);
        return true;
    }

    std::size_t index_of(const fs::path &path) {
        for (std::size_t i = 0; i < source_.files.size(); i++)
            if (source_.files[i] == path) return i;
        source_.files.push_back(path);
        return source_.files.size() - 1;
    }

    Source &source_;
    const std::vector<std::string> &folders_;
};

} // namespace

void read_lines(Source &source, const std::string &text, const fs::path &path,
                const std::vector<std::string> &folders) {
    Reader(source, folders).read(text, path, 0);
}

} // namespace stretto::wrapper::mdmp
