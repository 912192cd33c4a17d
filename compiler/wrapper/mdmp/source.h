// A Fortran source as the rewriter sees it: lines that know where they come from, and text that knows its columns.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::wrapper::mdmp {

enum class Form { free, fixed };

struct Line {
    std::string text;
    std::size_t file;   // of Source::files
    std::size_t number; // from 1
};

// A source with the included files in it that flang would not find from another folder, or that hold directives.
struct Source {
    std::vector<std::string>
        files; // as messages and debug information are to name them; the first is the source itself
    std::vector<Line> lines;
    Form form = Form::free;
    std::size_t width = 0;                // of fixed form: what stands beyond it does not count
    bool openmp = false, openacc = false; // `!$` and `!$omp`, `!$acc` are statements
};

struct Place {
    std::size_t row;    // of Source::lines
    std::size_t column; // from 0
};

// What a statement or a directive says, over all of its lines, without comments and marks of continuation. Every character has its place.
struct Text {
    std::string chars;
    std::vector<Place> places; // one more than characters: the last is behind them

    void add(char c, Place where);
    // Ends behind this place.
    void close(Place behind);
    bool empty() const { return chars.find_first_not_of(" \t") == std::string::npos; }
};

struct Problem {
    Place where;
    std::string what;
};

// `!$mdmp`, or in fixed form also `c$mdmp` and `*$mdmp`.
constexpr std::string_view sentinel = "$mdmp";

std::string lower(std::string_view text);
bool is_letter(char c);
bool is_name(char c); // of a name behind its first letter

// Whether a source may hold anything of MDMP, without reading it closely.
bool mentions_mdmp(std::string_view text);

} // namespace stretto::wrapper::mdmp
