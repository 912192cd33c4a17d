#include "directive.h"
#include "settings/nearest.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace stretto::wrapper::mdmp {

namespace {

struct Wrong {
    std::size_t at;
    std::string what;
};

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Reader {
public:
    explicit Reader(const Text &text) : chars_(text.chars) { result_.text = text; }

    Directive read() {
        read_name();
        if (result_.kind == Directive::region)
            read_region();
        else if (result_.kind == Directive::region_end)
            read_region_end();
        else
            read_communication();
        return std::move(result_);
    }

private:
    std::size_t behind_blanks(std::size_t at) const {
        while (at < chars_.size() && (chars_[at] == ' ' || chars_[at] == '\t')) at++;
        return at;
    }
    std::size_t behind_name(std::size_t at) const {
        if (at >= chars_.size() || !is_letter(chars_[at])) return at;
        while (at < chars_.size() && is_name(chars_[at])) at++;
        return at;
    }
    std::string of(Range range) const { return chars_.substr(range.begin, range.end - range.begin); }
    std::string word(Range range) const { return lower(of(range)); }
    Range trimmed(Range range) const {
        while (range.begin < range.end && std::isspace(static_cast<unsigned char>(chars_[range.begin]))) range.begin++;
        while (range.begin < range.end && std::isspace(static_cast<unsigned char>(chars_[range.end - 1]))) range.end--;
        return range;
    }
    // The rest of the directive, as it is written.
    std::string rest(std::size_t at) const { return of(trimmed({at, chars_.size()})); }

    std::string usage() const {
        const auto forms = [&](const std::string &before, const std::string &behind) {
            return "write " + name_ + "(" + before + "section" + behind + ") or " + name_ + "(" + before +
                   "element, count" + behind + ")";
        };
        if (result_.kind == Directive::reduce) return forms("+: ", "");
        if (result_.kind == Directive::bcast) return forms("", ", root(rank)");
        return forms("", ", partner");
    }

    // --- the name

    void read_name() {
        const std::size_t begin = behind_blanks(0), end = behind_name(begin);
        static const std::vector<std::string> names = {"commregion", "commregionfinished", "send", "recv", "reduce",
                                                       "bcast"};
        const std::string there_are = "there are commregion, commregionfinished, send, recv, reduce and bcast";
        if (begin == chars_.size()) throw Wrong{begin, "a directive has a name: " + there_are};
        if (begin == end) throw Wrong{begin, "a directive begins with its name: " + there_are};
        result_.name = {begin, end};
        name_ = word(result_.name);
        const auto known = std::find(names.begin(), names.end(), name_);
        if (known == names.end()) throw Wrong{begin, unknown_name(names, there_are)};
        result_.kind = static_cast<Directive::Kind>(known - names.begin());
    }

    std::string unknown_name(const std::vector<std::string> &names, const std::string &there_are) const {
        const std::string what = "there is no directive '" + of(result_.name) + "': ";
        if (name_.starts_with("end")) return what + "write commregionfinished";
        if (name_ == "receive" || name_ == "irecv") return what + "write recv";
        if (name_ == "isend") return what + "write send";
        if (name_ == "reduction" || name_ == "allreduce") return what + "write reduce";
        if (name_ == "broadcast") return what + "write bcast";
        const std::string_view near = nearest(name_, names);
        return what + (near.empty() ? there_are : "did you mean '" + std::string(near) + "'?");
    }

    // --- regions

    void read_region() {
        for (std::size_t at = behind_blanks(result_.name.end); at < chars_.size(); at = behind_blanks(at)) {
            const Range item{at, behind_name(at)};
            const std::size_t bracket = behind_blanks(item.end);
            const bool has_bracket = !item.empty() && bracket < chars_.size() && chars_[bracket] == '(';
            if (has_bracket && word(item) == "comm") {
                const std::size_t close = closing(bracket);
                read_comm(item, {bracket + 1, close});
                at = close + 1;
            } else if (has_bracket && word(item) == "tag") {
                throw Wrong{at, "commregion has no tag: write tag(...) in its send and recv"};
            } else if (item.empty() || has_bracket) {
                throw Wrong{at, "commregion: '" + rest(at) +
                                    "' is no clause and no name: write commregion, "
                                    "commregion comm(communicator) or commregion name"};
            } else if (word(item) == "comm") {
                throw Wrong{at, "comm needs a communicator: write comm(communicator)"};
            } else if (!result_.said.empty()) {
                throw Wrong{at,
                            "commregion has one name, '" + result_.said + "' already: leave '" + of(item) + "' out"};
            } else {
                result_.said = of(item);
                at = item.end;
            }
        }
        result_.end = chars_.size();
    }

    void read_region_end() {
        const std::string more = rest(result_.name.end);
        if (!more.empty())
            throw Wrong{behind_blanks(result_.name.end),
                        "commregionfinished ends the innermost region and takes nothing: leave '" + more + "' out"};
        result_.end = chars_.size();
    }

    // --- send and recv

    void read_communication() {
        const std::size_t open = behind_blanks(result_.name.end);
        if (open == chars_.size()) throw Wrong{open, name_ + " says nothing: " + usage()};
        if (chars_[open] != '(') throw Wrong{open, name_ + " needs '(' here: " + usage()};
        result_.end = closing(open);
        look_behind(result_.end + 1);
        if (trimmed({open + 1, result_.end}).empty()) throw Wrong{result_.end, name_ + " says nothing: " + usage()};
        const std::size_t begin = result_.kind == Directive::reduce ? read_operation(open + 1) : open + 1;
        std::vector<Range> arguments;
        for (const Range &part : at_commas({begin, result_.end})) read_argument(part, arguments);
        take(arguments);
    }

    // `+:`; returns what is behind it.
    std::size_t read_operation(std::size_t begin) {
        const std::size_t colon = find_outside({begin, result_.end}, ':'),
                          comma = find_outside({begin, result_.end}, ',');
        const std::string there_are = "there are " + all_operations();
        if (colon > comma || colon == std::string::npos)
            throw Wrong{behind_blanks(begin), "reduce has no operation: write reduce(+: " +
                                                  of(trimmed({begin, std::min(comma, result_.end)})) +
                                                  "): " + there_are};
        result_.operation = {begin, colon + 1};
        const Range name = trimmed({begin, colon});
        if (name.empty()) throw Wrong{colon, "reduce: the operation is missing before ':': " + there_are};
        result_.op = operation_of(word(name));
        if (result_.op == Operation::none)
            throw Wrong{name.begin, "reduce: there is no operation '" + of(name) + "': " +
                                        (meant_by(word(name)).empty() ? there_are : "write " + meant_by(word(name)))};
        if (trimmed({colon + 1, result_.end}).empty()) throw Wrong{result_.end, "reduce has no section: " + usage()};
        return colon + 1;
    }

    // In C, in MPI, or in OpenMP.
    static std::string meant_by(const std::string &name) {
        static const std::map<std::string, std::string> all = {
            {"&&", ".and."},    {"||", ".or."},       {"&", "iand"},         {"|", "ior"},        {"^", "ieor"},
            {"-", "+"},         {"sum", "+"},         {"mpi_sum", "+"},      {"mpi_prod", "*"},   {"product", "*"},
            {"mpi_min", "min"}, {"mpi_max", "max"},   {"mpi_land", ".and."}, {"mpi_lor", ".or."}, {"mpi_band", "iand"},
            {"mpi_bor", "ior"}, {"mpi_bxor", "ieor"}, {"and", ".and."},      {"or", ".or."},      {"minval", "min"},
            {"maxval", "max"}};
        const auto found = all.find(name);
        return found == all.end() ? std::string() : found->second;
    }

    void look_behind(std::size_t at) {
        at = behind_blanks(at);
        if (at == chars_.size()) return;
        const std::string next = word({at, behind_name(at)});
        if (next == "tag" || next == "comm" || next == "root")
            throw Wrong{at, name_ + ": clauses stand inside the brackets: write " + name_ + "(..., " + next + "(...))"};
        if (chars_[at] == ';') throw Wrong{at, name_ + ": a directive ends with its line: leave ';' out"};
        throw Wrong{at, name_ + ": leave '" + rest(at) + "' behind the brackets out"};
    }

    // The bracket that closes the one at `open`.
    std::size_t closing(std::size_t open) const {
        std::string brackets;
        std::vector<std::size_t> places;
        char quote = 0;
        std::size_t quoted = 0;
        for (std::size_t i = open; i < chars_.size(); i++) {
            const char c = chars_[i];
            if (quote) {
                if (c == quote) quote = 0;
            } else if (c == '\'' || c == '"') {
                quote = c;
                quoted = i;
            } else if (c == '(' || c == '[') {
                brackets += c;
                places.push_back(i);
            } else if (c == ')' || c == ']') {
                if (brackets.back() != (c == ')' ? '(' : '['))
                    throw Wrong{i, name_ + ": '" + c + "' closes nothing here; " + usage()};
                brackets.pop_back();
                places.pop_back();
                if (brackets.empty()) return i;
            }
        }
        if (quote) throw Wrong{quoted, name_ + ": this text has no end: write its second " + quote};
        const std::string missing = brackets.back() == '(' ? ")" : "]";
        throw Wrong{places.back(), name_ + ": this '" + brackets.back() + "' is not closed: write '" + missing +
                                       "' on the same line, or end the line with '&'"};
    }

    // The characters of a range outside its brackets and texts: f(index, character).
    template <class Visit>
    void outside_brackets(Range range, Visit visit) const {
        int depth = 0;
        char quote = 0;
        for (std::size_t i = range.begin; i < range.end; i++) {
            const char c = chars_[i];
            if (quote) {
                if (c == quote) quote = 0;
                continue;
            }
            if (c == '\'' || c == '"') quote = c;
            if (c == ')' || c == ']') depth--;
            if (depth == 0) visit(i, c);
            if (c == '(' || c == '[') depth++;
        }
    }
    std::size_t find_outside(Range range, char wanted) const {
        std::size_t found = std::string::npos;
        outside_brackets(range, [&](std::size_t i, char c) {
            if (c == wanted && found == std::string::npos) found = i;
        });
        return found;
    }
    std::vector<Range> at_commas(Range range) const {
        std::vector<Range> parts;
        std::size_t begin = range.begin;
        outside_brackets(range, [&](std::size_t i, char c) {
            if (c != ',') return;
            parts.push_back(trimmed({begin, i}));
            begin = i + 1;
        });
        parts.push_back(trimmed({begin, range.end}));
        if (parts.back().empty()) parts.back() = {range.end, range.end};
        return parts;
    }

    // `tag(3)`, `comm(c)`, or an argument.
    void read_argument(Range part, std::vector<Range> &arguments) {
        if (part.empty())
            throw Wrong{part.begin, name_ + ": an argument is missing " + (arguments.empty() ? "before" : "behind") +
                                        " ',': " + usage()};
        const Range first{part.begin, behind_name(part.begin)};
        const std::size_t next = behind_blanks(first.end);
        const bool brackets = !first.empty() && next < part.end && chars_[next] == '(' && closing(next) + 1 == part.end;
        const bool equals = !first.empty() && next + 1 < part.end && chars_[next] == '=' && chars_[next + 1] != '=';
        const bool known = word(first) == "tag" || word(first) == "comm" || word(first) == "root";
        const std::string value = equals ? of(trimmed({next + 1, part.end})) : "";
        if (equals && known) throw Wrong{part.begin, name_ + ": write " + word(first) + "(" + value + ")"};
        if (equals) throw Wrong{part.begin, name_ + ": arguments have no names: write " + value + " alone"};
        if (known && brackets && !arguments.empty()) {
            if (arguments.size() == 1 && result_.joins_exchange()) no_partner(arguments.front());
            const Range value{next + 1, part.end - 1};
            return word(first) == "tag"    ? read_tag(first, value)
                   : word(first) == "root" ? read_root(first, value)
                                           : read_comm(first, value);
        }
        const std::size_t most = result_.joins_exchange() ? 3 : 2; // arguments, of which a section has no count
        if (known && first.end == part.end && arguments.size() > most - 2)
            throw Wrong{part.begin, word(first) + " needs a value: write " + word(first) + "(...)"};
        const bool is_full = !arguments.empty() && arguments.size() + has_range(arguments[0]) >= most;
        if (brackets && (clauses_ || is_full)) unknown_clause(first);
        if (clauses_) throw Wrong{part.begin, name_ + ": clauses come last: write '" + of(part) + "' before them"};
        arguments.push_back(part);
    }

    std::string clauses() const {
        return result_.joins_exchange() ? "tag(number) and comm(communicator)" : "root(rank) and comm(communicator)";
    }

    void unknown_clause(Range clause) const {
        const std::string_view near = nearest(word(clause), {result_.joins_exchange() ? "tag" : "root", "comm"});
        throw Wrong{clause.begin,
                    name_ + ": there is no clause '" + of(clause) + "': " +
                        (near.empty() ? "there are " + clauses() : "did you mean '" + std::string(near) + "'?")};
    }

    void no_partner(Range section) const {
        throw Wrong{result_.end,
                    name_ + " has no partner: write " + name_ + "(" + of(section) + ", partner), a rank or none"};
    }

    void read_tag(Range clause, Range value) {
        clauses_ = true;
        const std::size_t close = value.end;
        value = trimmed(value);
        if (!result_.joins_exchange())
            throw Wrong{clause.begin, name_ + " has no tag: all ranks of its communicator do it together"};
        if (!result_.tag.empty()) throw Wrong{clause.begin, name_ + " has one tag: leave the second out"};
        if (value.empty()) throw Wrong{clause.begin, "tag needs a number: write tag(0), or leave it out"};
        if (at_commas(value).size() > 1) throw Wrong{clause.begin, "tag has one number: write tag(number)"};
        if (word(value) == "mpi_any_tag")
            throw Wrong{value.begin, "a message has one tag, and MPI_ANY_TAG is none: write a number of 0 or more, or "
                                     "leave tag(...) out"};
        if (is_negative(value)) throw Wrong{value.begin, "a tag is not negative: write a number of 0 or more"};
        result_.tag = {clause.begin, close + 1};
    }

    void read_root(Range clause, Range value) {
        clauses_ = true;
        const std::size_t close = value.end;
        value = trimmed(value);
        if (result_.joins_exchange()) throw Wrong{clause.begin, name_ + " has a partner, and no root"};
        if (!result_.root.empty()) throw Wrong{clause.begin, name_ + " has one root: leave the second out"};
        if (value.empty()) throw Wrong{clause.begin, "root needs a rank: write root(0)"};
        if (at_commas(value).size() > 1) throw Wrong{clause.begin, "root is one rank: write root(rank)"};
        if (is_negative(value) || word(value) == "none")
            throw Wrong{value.begin, name_ + ": a root is a rank of the communicator, 0 or more"};
        result_.root = {clause.begin, close + 1};
    }

    void read_comm(Range clause, Range value) {
        clauses_ = true;
        const std::size_t close = value.end;
        value = trimmed(value);
        if (!result_.comm.empty()) throw Wrong{clause.begin, name_ + " has one communicator: leave the second out"};
        if (value.empty())
            throw Wrong{clause.begin, "comm needs a communicator: write comm(communicator), or leave it out"};
        if (at_commas(value).size() > 1)
            throw Wrong{clause.begin, "comm has one communicator: write comm(communicator)"};
        if (is_digit(chars_[value.begin]) || is_negative(value))
            throw Wrong{value.begin,
                        "'" + of(value) + "' is no communicator: write comm(MPI_COMM_WORLD), or leave it out"};
        result_.comm = {clause.begin, close + 1};
    }

    // -1, - 3
    bool is_negative(Range value) const {
        const std::size_t number = behind_blanks(value.begin + 1);
        return chars_[value.begin] == '-' && number < value.end &&
               std::all_of(chars_.begin() + static_cast<std::ptrdiff_t>(number),
                           chars_.begin() + static_cast<std::ptrdiff_t>(value.end), is_digit);
    }

    void take(const std::vector<Range> &arguments) {
        if (arguments.empty()) throw Wrong{result_.end, name_ + " has no section: " + usage()};
        if (!result_.joins_exchange()) return take_collective(arguments);
        if (arguments.size() == 1) no_partner(arguments[0]);
        if (arguments.size() > 3)
            throw Wrong{arguments[3].begin, name_ + " has too many arguments: '" + of(arguments[3]) + "'; " + usage() +
                                                ", and behind these tag(number) and comm(communicator)"};
        take_section(arguments[0]);
        if (arguments.size() == 3) take_count(arguments[1]);
        take_partner(arguments.back());
    }

    void take_collective(const std::vector<Range> &arguments) {
        const bool rootless = result_.kind == Directive::bcast && result_.root.empty();
        if (rootless && arguments.size() + has_range(arguments[0]) == 3)
            throw Wrong{arguments.back().begin, "bcast: write root(" + of(arguments.back()) + ") for its root"};
        if (arguments.size() > 2)
            throw Wrong{arguments[2].begin, name_ + " has too many arguments: '" + of(arguments[2]) + "'; " + usage() +
                                                ", and behind these " + clauses()};
        take_section(arguments[0]);
        if (arguments.size() == 2) take_count(arguments[1]);
        if (result_.operation.begin != result_.operation.end)
            result_.said = of(trimmed(result_.operation)) + " " + result_.said;
        if (rootless)
            throw Wrong{result_.end,
                        "bcast has no root: write root(rank) behind its section, the rank whose values all get"};
    }

    void take_count(Range count) {
        if (has_range(result_.section))
            throw Wrong{count.begin, name_ + ": the section says how many: leave the count '" + of(count) + "' out"};
        if (find_outside(count, ':') != std::string::npos)
            throw Wrong{count.begin,
                        name_ + ": a count is one number: write a section as old(1:n), or its first element"};
        if (is_negative(count)) throw Wrong{count.begin, name_ + ": a count is not negative"};
        result_.count = count;
    }

    void take_partner(Range partner) {
        result_.none = word(partner) == "none";
        if (word(partner) == "mpi_any_source")
            throw Wrong{partner.begin, name_ + " names its partner, and MPI_ANY_SOURCE is none: write a rank, or none"};
        if (is_negative(partner))
            throw Wrong{partner.begin,
                        name_ + ": a rank is not negative: write none for no partner, in place of " + of(partner)};
        if (find_outside(partner, ':') != std::string::npos)
            throw Wrong{partner.begin, name_ + ": the partner is one rank, not a section: write a rank, or none"};
        result_.partner = partner;
    }

    // --- the section

    // a(1:n), a(1:n:2)%b: elements that are named by `:`.
    bool has_range(Range section) const {
        for (std::size_t i = section.begin; i < section.end; i++)
            if (chars_[i] == '(' && has_colon(i)) return true;
        return false;
    }
    bool has_colon(std::size_t open) const { return find_outside({open + 1, closing(open)}, ':') != std::string::npos; }

    // A variable, its elements, its parts: name(…)(…)%name(…).
    void take_section(Range section) {
        check_begin(section);
        std::size_t at = section.begin;
        std::optional<std::size_t> bracket; // the first of the last part that has one
        bool last_part = false;
        for (;;) {
            const std::size_t end = behind_name(at);
            if (end == at) throw Wrong{at, name_ + ": behind '%' stands the name of a component"};
            at = behind_blanks(end);
            last_part = false;
            for (int i = 0; i < 2 && at < section.end && chars_[at] == '('; i++) {
                if (i == 0) bracket = at;
                last_part = true;
                check_brackets(at);
                at = behind_blanks(closing(at) + 1);
            }
            if (at >= section.end || chars_[at] != '%') break;
            at = behind_blanks(at + 1);
        }
        if (at < section.end) throw_expression(section, at);
        result_.section = section;
        result_.said = of(section);
        // An allocatable component of an element lies elsewhere; of elements there is none.
        if (bracket && (last_part || has_colon(*bracket))) result_.base = trimmed({section.begin, *bracket});
    }

    void check_begin(Range section) const {
        const char c = chars_[section.begin];
        if (is_letter(c)) return;
        if (c == '[' || is_digit(c) || c == '\'' || c == '"' || c == '.')
            throw Wrong{section.begin,
                        name_ + ": '" + of(section) + "' is no variable: assign it to one, and write that"};
        if (c == '&' || c == '*')
            throw Wrong{section.begin, name_ + " takes the element, not its address: leave '" + c + "' out"};
        throw_expression(section, section.begin);
    }

    void check_brackets(std::size_t open) const {
        const Range inside = trimmed({open + 1, closing(open)});
        if (inside.empty())
            throw Wrong{open, name_ + ": these brackets are empty: write (lower:upper), or (:) for all of a dimension"};
        for (const Range &part : at_commas(inside))
            if (part.empty())
                throw Wrong{open, name_ + ": an index is missing in these brackets: write (lower:upper) or an index"};
    }

    [[noreturn]] void throw_expression(Range section, std::size_t at) const {
        if (chars_[at] == '[')
            throw Wrong{at, name_ + ": Fortran's sections have round brackets: write " +
                                of(trimmed({section.begin, at})) + "(lower:upper)"};
        const bool dot = chars_[at] == '.' && chars_.find('.', at + 1) >= section.end; // no .and.
        if (dot || (chars_[at] == '-' && at + 1 < section.end && chars_[at + 1] == '>'))
            throw Wrong{at, name_ + ": a component stands behind '%'"};
        throw Wrong{at, name_ + ": '" + of(section) +
                            "' is an expression, which has no place in memory: assign it to a "
                            "variable, and write that"};
    }

    const std::string &chars_;
    std::string name_;
    bool clauses_ = false;
    Directive result_;
};

} // namespace

std::optional<Directive> read_directive(const Text &text, std::vector<Problem> &problems) {
    try {
        return Reader(text).read();
    } catch (const Wrong &wrong) {
        problems.push_back({text.places[std::min(wrong.at, text.places.size() - 1)], wrong.what});
        return {};
    }
}

} // namespace stretto::wrapper::mdmp
