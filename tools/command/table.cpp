#include "table.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace stretto::command {

static bool in_colour() {
    static const bool answer = [] {
        const char *objection = std::getenv("NO_COLOR");
        const char *terminal = std::getenv("TERM");
        return isatty(STDOUT_FILENO) && !(objection && *objection) &&
               !(terminal && std::string_view(terminal) == "dumb");
    }();
    return answer;
}

std::string coloured(std::string_view text, Colour colour) {
    static constexpr const char *codes[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[31m"};
    if (!in_colour() || colour == Colour::none) return std::string(text);
    return codes[static_cast<int>(colour)] + std::string(text) + "\033[0m";
}

// Columns that a UTF-8 text takes: its bytes but for continuation bytes.
static std::size_t width(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Of the terminal; 0: there is none, and lines are as long as they are.
static std::size_t columns() {
    winsize size{};
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::vector<std::string> wrapped(const std::string &text, std::size_t most) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > most) lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
}

void Table::print() const {
    std::vector<std::size_t> widths;
    for (const std::string &title : titles_) widths.push_back(width(title));
    for (const auto &row : rows_)
        for (std::size_t column = 0; column < row.size(); column++)
            widths[column] = std::max(widths[column], width(row[column].text));

    // On a terminal the last column, which explains, goes on below where it is too long; unless hardly a word would fit.
    std::size_t before = 2;
    for (std::size_t column = 0; column + 1 < widths.size(); column++) before += widths[column] + 2;
    const bool wraps = columns() >= before + 24;
    const auto print_row = [&](const std::vector<Cell> &row) {
        for (std::size_t column = 0; column + 1 < row.size(); column++)
            std::cout << "  " << coloured(row[column].text, row[column].colour)
                      << std::string(widths[column] - width(row[column].text), ' ');
        const Cell &last = row.back();
        const auto lines = wraps ? wrapped(last.text, columns() - before) : std::vector{last.text};
        for (std::size_t k = 0; k < lines.size(); k++)
            std::cout << (k ? std::string(before, ' ') : "  ") << coloured(lines[k], last.colour) << '\n';
    };
    if (std::any_of(titles_.begin(), titles_.end(), [](const std::string &title) { return !title.empty(); })) {
        std::vector<Cell> titles;
        for (const std::string &title : titles_) titles.emplace_back(title, Colour::faint);
        print_row(titles);
    }
    for (const auto &row : rows_) print_row(row);
}

void print_heading(std::string_view text) {
    std::cout << coloured(text, Colour::bold) << '\n';
}

} // namespace stretto::command
