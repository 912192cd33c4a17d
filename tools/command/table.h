// Aligned columns on standard output; in colour where that is a terminal and NO_COLOR (no-color.org) does not object.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::command {

enum class Colour { none, bold, faint, good, bad };

struct Cell {
    std::string text;
    Colour colour = Colour::none;

    Cell(std::string text, Colour colour = Colour::none) : text(std::move(text)), colour(colour) {}
    Cell(const char *text) : text(text) {}
};

std::string coloured(std::string_view text, Colour colour);

class Table {
public:
    explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
    void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.empty(); }
    void print() const;

private:
    std::vector<std::string> titles_;
    std::vector<std::vector<Cell>> rows_;
};

// Lines of at most so many columns, where words are not longer.
std::vector<std::string> wrapped(const std::string &text, std::size_t most);

// The line above a table.
void print_heading(std::string_view text);

} // namespace stretto::command
