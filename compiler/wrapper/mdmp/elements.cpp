#include "elements.h"

#include <cctype>
#include <utility>

namespace stretto::wrapper::mdmp {

namespace {

constexpr std::string_view blanks = " \t";

class Reader {
public:
    Reader(const Source &source, std::vector<Problem> &problems) : source_(source), problems_(problems) {}

    std::vector<Element> read() {
        for (row_ = 0; row_ < source_.lines.size(); row_++) read_line();
        end_directive();
        finish();
        return std::move(elements_);
    }

private:
    bool fixed() const { return source_.form == Form::fixed; }
    const std::string &line(std::size_t row) const { return source_.lines[row].text; }
    std::string number(std::size_t row) const { return std::to_string(source_.lines[row].number); }
    void problem(std::size_t column, std::string what) { problems_.push_back({{row_, column}, std::move(what)}); }

    void read_line() {
        const std::string &text = line(row_);
        if (text.starts_with('#')) return read_preprocessor();
        const std::size_t first = text.find_first_not_of(blanks);
        if (first == std::string::npos) return;
        if (!is_comment(text, first)) return fixed() ? read_fixed() : read_free(first);
        if (const std::size_t begin = directive_begin(text, first); begin != std::string::npos)
            read_directive(first, begin);
        else if (is_compiled(text, first))
            read_other(first);
        else
            look_for_slips(text, first);
    }

    bool is_comment(const std::string &text, std::size_t first) const {
        if (text[first] == '!') return !(fixed() && first == 5);
        return fixed() && (text[0] == 'c' || text[0] == 'C' || text[0] == '*' || text[0] == 'd' || text[0] == 'D');
    }

    // Where the text of a directive begins on this line; npos: this comment is none.
    std::size_t directive_begin(const std::string &text, std::size_t first) const {
        if (lower(text.substr(first + 1, sentinel.size())) != sentinel) return std::string::npos;
        const std::size_t begin = first + 1 + sentinel.size();
        if (begin < text.size() && text[begin] != '&' && blanks.find(text[begin]) == std::string::npos)
            return std::string::npos;
        return begin;
    }

    // `!$ x = 1` and `!$omp`, where they are asked for.
    bool is_compiled(const std::string &text, std::size_t first) const {
        const std::string word = lower(text.substr(first + 1, 4));
        if (source_.openacc && word == "$acc") return true;
        return source_.openmp && (word == "$omp" || word.starts_with("$ ") || (word.starts_with("$&")));
    }

    // What was meant as a directive, and would be ignored.
    void look_for_slips(const std::string &text, std::size_t first) {
        std::string squeezed;
        for (char c : lower(std::string_view(text).substr(first + 1)))
            if (blanks.find(c) == std::string_view::npos) squeezed += c;
        for (std::string_view slip : {"$mdmp", "mdmp$", "$mpdm", "$mdpm", "pragmamdmp", "pragmastretto", "$stretto"})
            if (squeezed.starts_with(slip))
                return problem(first, "this comment is no directive: write !$mdmp, a blank, and the directive");
    }

    void read_preprocessor() {
        end_directive();
        if (!continued_) finish();
        const std::size_t first = row_;
        while (line(row_).ends_with('\\') && row_ + 1 < source_.lines.size()) row_++;
        elements_.push_back({Element::preprocessor, first, row_, {}});
        for (std::size_t i = 0; i < line(first).size(); i++) elements_.back().text.add(line(first)[i], {first, i});
        elements_.back().text.close({first, line(first).size()});
    }

    void read_other(std::size_t first) {
        end_directive();
        finish();
        elements_.push_back({Element::other, row_, row_, {}});
        elements_.back().text.close({row_, first});
    }

    // --- directives

    void read_directive(std::size_t first, std::size_t begin) {
        if (fixed() && first != 0)
            return problem(first, "in fixed form a directive begins in column 1: write !$mdmp or c$mdmp there");
        if (continued_) {
            problem(first, "a directive cannot stand within a statement, which began at line " + number(open_.first) +
                               ": write it before that line or behind the statement");
            return;
        }
        const bool is_continuation = begin < line(row_).size() && line(row_)[begin] == '&';
        if (is_continuation && !in_directive_)
            return problem(begin, "'&' continues a directive, and the line before is none that ends with '&': leave it "
                                  "out, or end that line with '&'");
        if (!in_directive_ || !(is_continuation || directive_continued_)) {
            if (!in_directive_) finish();
            begin_directive(first);
        }
        interrupted_ = true;
        add_code(begin + (is_continuation ? 1 : 0), directive_.text);
        directive_.last = row_;
        directive_continued_ = ampersand_;
        check_width();
        // Without `&` at a line's end, fixed form tells by the next line whether the directive goes on.
        if (!directive_continued_ && !fixed()) close_directive();
    }

    void begin_directive(std::size_t first) {
        end_directive();
        in_directive_ = true;
        quote_ = 0;
        directive_ = {Element::directive, row_, row_, {}};
        directive_.text.close({row_, first});
    }

    void close_directive() {
        if (!std::exchange(in_directive_, false)) return;
        quote_ = 0;
        elements_.push_back(std::move(directive_));
    }

    // Something else comes.
    void end_directive() {
        if (in_directive_ && std::exchange(directive_continued_, false)) {
            const std::size_t row = directive_.last;
            const std::size_t column = line(row).rfind('&');
            problems_.push_back(
                {{row, column},
                 "this directive goes on, but no line that begins with !$mdmp follows: leave '&' out, or "
                 "begin the next line with !$mdmp"});
            in_directive_ = false; // what is there says no more
            quote_ = 0;
        }
        close_directive();
    }

    void check_width() {
        if (!fixed() || source_.width == 0 || line(row_).size() <= source_.width) return;
        const std::size_t comment = comment_;
        if (comment != std::string::npos && comment <= source_.width) return;
        if (line(row_).find_first_not_of(blanks, source_.width) == std::string::npos) return;
        problem(source_.width, "in fixed form a line ends at column " + std::to_string(source_.width) +
                                   ": go on in the next line, which begins with !$mdmp&");
    }

    // --- statements

    void read_free(std::size_t first) {
        end_directive();
        const std::string &text = line(row_);
        if (!continued_) begin_statement();
        add_code(continued_ && text[first] == '&' ? first + 1 : first, open_.text);
        open_.last = row_;
        continued_ = ampersand_;
        if (!continued_) finish();
    }

    void read_fixed() {
        const std::string &text = line(row_);
        std::size_t begin = 6;
        bool goes_on = false;
        if (const std::size_t tab = text.find('\t'); tab < 6) {
            begin = tab + 1;
            goes_on = begin < text.size() && text[begin] >= '1' && text[begin] <= '9';
            if (goes_on) begin++;
        } else {
            goes_on = text.size() > 5 && text[5] != ' ' && text[5] != '0' && text.find_first_not_of(' ') >= 5;
        }
        end_directive();
        if (goes_on && interrupted_) {
            problems_.push_back({{elements_.back().first, 0},
                                 "a directive cannot stand within a statement, which goes on at line " + number(row_) +
                                     ": write it before or behind the statement"});
            interrupted_ = false;
            return;
        }
        if (!goes_on) {
            finish();
            begin_statement();
            for (std::size_t i = 0; i < std::min(begin, text.size()); i++) // a label
                if (text[i] != '\t') open_.text.add(text[i], {row_, i});
        } else if (!open_any_) {
            begin_statement();
        }
        add_code(begin, open_.text);
        open_.last = row_;
    }

    void begin_statement() {
        interrupted_ = false;
        open_any_ = true;
        quote_ = 0;
        open_ = {Element::statement, row_, row_, {}};
        open_.text.close({row_, 0});
    }

    void finish() {
        continued_ = false;
        if (!std::exchange(open_any_, false)) return;
        elements_.push_back(std::move(open_));
    }

    // The code of this row from `begin` on, without its comment and without `&` at its end, which ampersand_ tells.
    void add_code(std::size_t begin, Text &text) {
        const std::string &all = line(row_);
        std::size_t end = all.size();
        if (fixed() && source_.width && &text != &directive_.text) end = std::min(end, source_.width);
        comment_ = std::string::npos;
        char quote = quote_;
        for (std::size_t i = begin; i < end; i++) {
            if (quote) {
                if (all[i] == quote) quote = 0;
            } else if (all[i] == '\'' || all[i] == '"') {
                quote = all[i];
            } else if (all[i] == '!') {
                comment_ = end = i;
            }
        }
        if (comment_ != std::string::npos && &text != &directive_.text) look_behind_statement(all);
        std::size_t last = end;
        while (last > begin && blanks.find(all[last - 1]) != std::string_view::npos) last--;
        ampersand_ = last > begin && all[last - 1] == '&' && (!fixed() || &text == &directive_.text);
        if (ampersand_) end = last - 1;
        for (std::size_t i = begin; i < end; i++) text.add(all[i], {row_, i});
        text.close({row_, std::max(begin, ampersand_ ? end : last)});
        quote_ = quote;
    }

    void look_behind_statement(const std::string &all) {
        if (lower(std::string_view(all).substr(comment_ + 1, sentinel.size())) == sentinel)
            problem(comment_, "a directive has a line of its own: write it before or behind this statement");
    }

    const Source &source_;
    std::vector<Problem> &problems_;
    std::vector<Element> elements_;
    std::size_t row_ = 0;

    Element open_{}; // the statement that is read
    bool open_any_ = false, continued_ = false;
    char quote_ = 0;         // that is open at the line's end
    bool ampersand_ = false; // of the line just read
    std::size_t comment_ = std::string::npos;

    Element directive_{};
    bool in_directive_ = false, directive_continued_ = false;
    bool interrupted_ = false; // the last that was read is a directive
};

} // namespace

std::vector<Element> elements_of(const Source &source, std::vector<Problem> &problems) {
    return Reader(source, problems).read();
}

} // namespace stretto::wrapper::mdmp
