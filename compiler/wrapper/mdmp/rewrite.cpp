#include "rewrite.h"

#include <algorithm>
#include <utility>

namespace stretto::wrapper::mdmp {

// `use stretto_mdmp` is the program's word that it has directives. There is no such module, so that no other compiler takes the program;
// this one has the calls, and a name that is no longer.
static constexpr std::string_view module_of_calls = "mdmp_calls  ";

namespace {

// A text of Fortran that C reads.
std::string literal(std::string_view text) {
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"') quoted += c;
        quoted += c == '\n' || c == '\t' ? ' ' : c;
    }
    return quoted + "\"//char(0)";
}

class Writer {
public:
    Writer(const Source &source, const Program &program) : source_(source), program_(program) {}

    std::string write() {
        std::size_t row = 0;
        for (const Placed &placed : program_.directives) {
            for (; row < placed.first; row++) copy(row);
            write_directive(placed);
            row = placed.last + 1;
        }
        for (; row < source_.lines.size(); row++) copy(row);
        return std::move(output_);
    }

private:
    bool fixed() const { return source_.form == Form::fixed; }

    // --- lines

    void put(const std::string &text, std::size_t file, std::size_t number) {
        if (file != file_ || number != number_)
            output_ += "# " + std::to_string(number) + " \"" + source_.files[file] + "\"\n";
        output_ += text + '\n';
        file_ = file;
        number_ = number + 1;
    }

    void copy(std::size_t row) {
        const Line &line = source_.lines[row];
        std::string text = line.text;
        for (const Place &use : program_.uses)
            if (use.row == row) text.replace(use.column, module_of_calls.size(), module_of_calls);
        put(text, line.file, line.number);
    }

    // A statement of ours, as one at this row; `before`: so many lines before it.
    void statement(const std::string &text, std::size_t row) {
        const Line &line = source_.lines[row];
        if (!fixed()) return put(text, line.file, line.number);
        std::vector<std::string> all;
        append_wrapped(all, "      " + text);
        put_all(all, row);
    }

    void put_all(const std::vector<std::string> &all, std::size_t row, bool one_before = false) {
        const Line &line = source_.lines[row];
        std::size_t number = line.number - (one_before && line.number > 1);
        for (const std::string &text : all) put(text, line.file, number++);
    }

    // What does not fit goes on in a line of its own: in fixed form anything may be cut there.
    void append_wrapped(std::vector<std::string> &all, std::string text) const {
        const std::size_t width = fixed() && source_.width ? source_.width : std::string::npos;
        while (text.size() > width) {
            all.push_back(text.substr(0, width));
            text = "     &" + text.substr(width);
        }
        all.push_back(std::move(text));
    }

    // A statement around what the user wrote in a range, which stays in its rows and columns where it fits.
    void place(const std::string &before, const Text &text, Range range, const std::string &behind) {
        place_behind({}, before, text, range, behind);
    }

    // With a line before it, if any, in which the statement begins.
    void place_behind(const std::string &line_before, const std::string &before, const Text &text, Range range,
                      const std::string &behind) {
        const std::string start = fixed() ? "      " : "", go_on = fixed() ? "     &" : "",
                          goes_on = fixed() ? "" : " &";
        std::vector<std::string> all;
        if (!line_before.empty()) all.push_back(start + line_before + goes_on);
        std::string line = (all.empty() ? start : go_on) + before;
        std::size_t row = text.places[range.begin].row;
        const std::size_t first_row = row;
        bool empty = false; // a comment between two lines of the directive
        for (std::size_t i = range.begin; i < range.end; i++) {
            const Place where = text.places[i];
            for (; row < where.row; row++) {
                append_wrapped(all, empty ? "" : line + goes_on);
                line = go_on;
                empty = true;
            }
            if (line.size() < where.column) line.resize(where.column, ' ');
            line += text.chars[i];
            empty = false;
        }
        append_wrapped(all, line + behind);
        put_all(all, first_row, !line_before.empty());
    }

    // --- directives

    // A name for a procedure in this directive: what it calls itself, unless it uses the name for something else.
    std::string free_name(const Directive &directive, const std::string &wanted) const {
        std::string name = wanted;
        for (char last = 'z'; uses(directive, name) && last >= 'a'; last--) name.back() = last;
        return name;
    }
    static bool uses(const Directive &directive, const std::string &name) {
        const std::string all = lower(directive.text.chars);
        for (std::size_t at = all.find(name, directive.name.end); at != std::string::npos; at = all.find(name, at + 1))
            if (!is_name(all[at - 1]) && (at + name.size() == all.size() || !is_name(all[at + name.size()])))
                return true;
        return false;
    }

    void write_directive(const Placed &placed) {
        const Directive &directive = placed.directive;
        const std::size_t row = directive.text.places[directive.name.begin].row;
        begin(placed, row);
        if (directive.has_section())
            write_communication(directive);
        else
            write_region(directive);
        if (placed.ends_exchange) statement("call stretto_mdmp_exchange(stretto_mdmp_at)", row);
        statement("end block", row);
    }

    void begin(const Placed &placed, std::size_t row) {
        const Directive &directive = placed.directive;
        const Place where = directive.text.places[directive.name.begin];
        name_ = free_name(directive, lower(said(directive, directive.name)));
        whole_ = free_name(directive, "all");
        std::string names = name_ + "=>stretto_mdmp_" + procedure_of(directive);
        names += ",stretto_mdmp_directive";
        if (placed.ends_exchange) names += ",stretto_mdmp_exchange";
        if (directive.has_section())
            names += "," + whole_ + "=>stretto_mdmp_" + (is_definable(directive) ? "definable" : "whole");
        if (directive.none) names += ",none=>mdmp_none";
        statements({"block", "use mdmp_calls,only:" + names, "integer(8),save::stretto_mdmp_at=0",
                    directive.has_section() ? "integer(8)::stretto_mdmp_of(3)" : "",
                    is_tested(directive) ? "intrinsic " + test_of(directive) : ""},
                   row);
        statement("call stretto_mdmp_directive(stretto_mdmp_at," + std::to_string(source_.lines[row].number) + "," +
                      std::to_string(where.column + 1) + "," + literal(source_.files[source_.lines[row].file]) + "," +
                      literal(placed.procedure) + "," + literal(directive.said) + ")",
                  row);
    }

    void statements(const std::vector<std::string> &all, std::size_t row) {
        for (const std::string &each : all)
            if (!each.empty()) statement(each, row);
    }

    static std::string said(const Directive &directive, Range range) {
        return directive.text.chars.substr(range.begin, range.end - range.begin);
    }
    static std::string procedure_of(const Directive &directive) {
        if (directive.kind == Directive::region) return "region_begin";
        if (directive.kind == Directive::region_end) return "region_end";
        const std::string way = lower(said(directive, directive.name));
        return directive.count.empty() ? way : way + "_count";
    }

    // A function of the elements that a reduction is of; empty: `+`, of all numbers.
    static std::string test_of(const Directive &directive) {
        if (directive.op == Operation::min || directive.op == Operation::max) return "huge";
        return directive.op >= Operation::bits_and ? "not" : "";
    }
    // Unless the program has something else of this name.
    static bool is_tested(const Directive &directive) {
        return !test_of(directive).empty() && !uses(directive, test_of(directive));
    }
    // What stands before the section in a statement that is never done, but compiled.
    static std::string tested(const Directive &directive) {
        if (is_tested(directive)) return "print*," + test_of(directive) + "(";
        const bool logical = directive.op == Operation::logical_and || directive.op == Operation::logical_or;
        return logical ? "print*,.not.(" : test_of(directive).empty() ? "print*,+(" : "print*,(";
    }

    // Whether the section may be a copy of what has several places, which no address tells: x(index)%part.
    static bool is_definable(const Directive &directive) {
        return directive.kind == Directive::send && directive.base.empty() &&
               said(directive, directive.section).find('(') != std::string::npos;
    }

    void write_communication(const Directive &directive) {
        const Text &text = directive.text;
        // Never done: a type with pointers, which mean nothing to another rank, cannot be printed.
        if (directive.kind == Directive::reduce) // nor can what is no number be added up
            place_behind("if(.false.)", tested(directive), text, directive.section, ")");
        else
            place_behind("if(.false.)", "print*,", text, directive.section, "");
        place("call " + whole_ + "(", text, directive.base.empty() ? directive.section : directive.base,
              ",stretto_mdmp_of)");
        place("call ", edited(directive), {directive.name.begin, directive.end},
              (directive.kind == Directive::reduce ? ",op=" + std::to_string(static_cast<int>(directive.op)) : "") +
                  ",at=stretto_mdmp_at,of=stretto_mdmp_of)");
    }

    void write_region(const Directive &directive) {
        Text text = edited(directive);
        if (directive.comm.empty()) return place("call ", text, directive.name, "(at=stretto_mdmp_at)");
        std::fill(text.chars.begin() + static_cast<std::ptrdiff_t>(directive.name.end),
                  text.chars.begin() + static_cast<std::ptrdiff_t>(directive.comm.begin), ' '); // its name
        text.chars[directive.name.end] = '(';
        place("call ", text, {directive.name.begin, directive.comm.end}, ",at=stretto_mdmp_at)");
    }

    // With a procedure's name, and with names of arguments in place of clauses: no word becomes longer.
    Text edited(const Directive &directive) const {
        Text text = directive.text;
        text.chars.replace(directive.name.begin, name_.size(), name_);
        if (!directive.tag.empty()) text.chars.replace(directive.tag.begin, 3, "ta=");
        if (!directive.comm.empty()) text.chars.replace(directive.comm.begin, 4, "com=");
        if (!directive.root.empty()) text.chars.replace(directive.root.begin, 4, "roo=");
        for (std::size_t i = directive.operation.begin; i < directive.operation.end; i++) text.chars[i] = ' ';
        return text;
    }

    const Source &source_;
    const Program &program_;
    std::string output_;
    std::size_t file_ = static_cast<std::size_t>(-1), number_ = 0; // of the line that comes
    std::string name_, whole_;
};

} // namespace

std::string rewritten(const Source &source, const Program &program) {
    return Writer(source, program).write();
}

} // namespace stretto::wrapper::mdmp
