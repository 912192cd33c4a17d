#include "table.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
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

void Table::print() const {
    std::vector<std::size_t> widths;
    for (const std::string &title : titles_) widths.push_back(width(title));
    for (const auto &row : rows_)
        for (std::size_t column = 0; column < row.size(); column++)
            widths[column] = std::max(widths[column], width(row[column].text));

    const auto print_row = [&](const std::vector<Cell> &row) {
        for (std::size_t column = 0; column < row.size(); column++) {
            std::cout << "  " << coloured(row[column].text, row[column].colour);
            if (column + 1 < row.size()) std::cout << std::string(widths[column] - width(row[column].text), ' ');
        }
        std::cout << '\n';
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
