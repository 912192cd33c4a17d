#include "statement.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace stretto::wrapper::mdmp {

using Tokens = std::vector<Token>;

static std::vector<Tokens> tokens_of(const Text &text) {
    std::vector<Tokens> all(1);
    const std::string &chars = text.chars;
    for (std::size_t i = 0; i < chars.size();) {
        const char c = chars[i];
        const std::size_t begin = i++;
        std::string word(1, c);
        if (std::isspace(static_cast<unsigned char>(c))) continue;
        if (c == ';') {
            all.emplace_back();
            continue;
        }
        if (c == '\'' || c == '"') {
            while (i < chars.size() && chars[i] != c) i++;
            i++;
            word = "''";
        } else if (is_name(c)) {
            while (i < chars.size() && is_name(chars[i])) i++;
            word = lower(chars.substr(begin, i - begin));
        } else if (i < chars.size()) {
            const std::string two = chars.substr(begin, 2);
            for (const char *known : {"::", "==", "/=", "<=", ">=", "=>", "**", "//"})
                if (two == known) {
                    word = two;
                    i++;
                }
        }
        all.back().push_back({word, text.places[begin]});
    }
    return all;
}

template <std::size_t N>
static bool is_one_of(const std::string &word, const std::array<std::string_view, N> &all) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

namespace {

class Reader {
public:
    explicit Reader(Tokens tokens) : tokens_(std::move(tokens)) {}

    Statement read() {
        if (tokens_.empty()) return result_;
        result_.where = tokens_.front().where;
        take_label();
        take_construct_name();
        if (!is_assignment()) classify();
        return result_;
    }

private:
    const std::string &at(std::size_t i) const {
        static const std::string none;
        return i < tokens_.size() ? tokens_[i].text : none;
    }
    bool is_name_at(std::size_t i) const { return i < tokens_.size() && tokens_[i].is_name(); }
    Statement &is(Statement::Kind kind, const std::string &name = {}) {
        result_.kind = kind;
        result_.name = name;
        return result_;
    }

    void take_label() {
        if (tokens_.size() < 2 || !std::isdigit(static_cast<unsigned char>(at(0)[0]))) return;
        result_.label = at(0);
        result_.label.erase(0, std::min(result_.label.find_first_not_of('0'), result_.label.size()));
        tokens_.erase(tokens_.begin());
    }

    // "outer: do"
    void take_construct_name() {
        if (tokens_.size() > 2 && is_name_at(0) && at(1) == ":") tokens_.erase(tokens_.begin(), tokens_.begin() + 2);
    }

    // Behind the brackets that open at token i.
    std::size_t behind_brackets(std::size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); i++) {
            if (at(i) == "(" || at(i) == "[") depth++;
            if (at(i) == ")" || at(i) == "]") depth--;
            if (depth == 0) return i + 1;
        }
        return i;
    }

    // Any word may be a variable's name: `do = 1`, `end(3) = 2`, `type%contains = 1`.
    bool is_assignment() const {
        if (!is_name_at(0)) return false;
        std::size_t i = 1;
        while (i < tokens_.size()) {
            if (at(i) == "(" || at(i) == "[")
                i = behind_brackets(i);
            else if (at(i) == "%" && is_name_at(i + 1))
                i += 2;
            else
                break;
        }
        return at(i) == "=" || at(i) == "=>";
    }

    void classify() {
        const std::string &first = at(0);
        if (first == "contains" && tokens_.size() == 1) {
            is(Statement::contains);
        } else if (first.starts_with("end")) {
            read_end();
        } else if (first == "interface" || (first == "abstract" && at(1) == "interface")) {
            is(Statement::interface);
        } else if (first == "type" &&
                   (at(1) == "," || at(1) == "::" || (is_name_at(1) && !(at(1) == "is" && at(2) == "(")))) {
            is(Statement::type);
        } else if (first == "use") {
            read_use();
        } else if (!read_unit() && !read_construct() && !read_leave() && is_declaration()) {
            is(Statement::declaration);
        }
    }

    void read_use() {
        std::size_t i = 1;
        if (at(i) == ",") i += 2; // , intrinsic
        if (at(i) == "::") i++;
        is(Statement::use, at(i));
        if (i < tokens_.size()) result_.module = tokens_[i].where;
    }

    void read_end() {
        static constexpr std::array<std::string_view, 9> units = {
            "program", "module", "submodule", "subroutine", "function", "procedure", "blockdata", "interface", "type"};
        static constexpr std::array<std::string_view, 10> constructs = {
            "do", "if", "select", "where", "forall", "associate", "block", "critical", "team", "enum"};
        if (tokens_.size() == 1 && at(0) == "end") {
            is(Statement::unit_end);
            return;
        }
        std::string what = at(0) == "end" ? at(1) : at(0).substr(3); // enddo
        if (what == "block" && at(at(0) == "end" ? 2 : 1) == "data") what = "blockdata";
        if (is_one_of(what, units))
            is(Statement::unit_end, what);
        else if (is_one_of(what, constructs))
            is(Statement::construct_end, what);
    }

    // "pure recursive integer(8) function f(x)", "module procedure p"
    bool read_unit() {
        static constexpr std::array<std::string_view, 4> plain = {"program", "module", "submodule", "blockdata"};
        if (at(0) == "block" && at(1) == "data") return begin_unit("blockdata", 2);
        if (at(0) == "module" && at(1) == "procedure" && is_name_at(2)) return begin_unit("procedure", 2);
        if (at(0) == "submodule" && at(1) == "(") return begin_unit("submodule", behind_brackets(1));
        if (is_one_of(at(0), plain) && tokens_.size() <= 2 && at(0) != "submodule") return begin_unit(at(0), 1);
        static constexpr std::array<std::string_view, 17> prefixes = {
            "pure",    "elemental", "impure", "recursive", "non_recursive", "module", "integer",    "real", "complex",
            "logical", "character", "double", "precision", "type",          "class",  "attributes", "byte"};
        for (std::size_t i = 0; i < tokens_.size();) {
            if ((at(i) == "subroutine" || at(i) == "function") && is_name_at(i + 1)) {
                if (at(i) == "function" && at(i + 2) != "(") return false;
                return begin_unit(at(i), i + 1);
            }
            if (!is_one_of(at(i), prefixes)) return false;
            if (at(i) == "pure" || at(i) == "elemental") result_.pure = true;
            if (at(i) == "impure") impure_ = true;
            i++;
            if (at(i) == "*") i += 2; // real*8
            if (at(i) == "(") i = behind_brackets(i);
        }
        return false;
    }

    bool begin_unit(const std::string &word, std::size_t name) {
        is(Statement::unit, at(name));
        result_.word = word;
        if (impure_) result_.pure = false;
        return true;
    }

    bool read_construct() {
        const std::string &first = at(0);
        const bool brackets = at(1) == "(";
        const std::size_t behind = brackets ? behind_brackets(1) : 1;
        const bool alone = behind >= tokens_.size();
        std::string word;
        if (first == "do" && (tokens_.size() == 1 || is_name_at(1) || at(1) == "," || is_number(at(1)))) {
            word = at(1) == "concurrent" && at(2) == "(" ? "concurrent" : "do";
            if (is_number(at(1))) result_.do_label = at(1);
        } else if (first == "if" && brackets && at(behind) == "then" && behind + 1 >= tokens_.size()) {
            word = "if";
        } else if ((first == "select" && (at(1) == "case" || at(1) == "type" || at(1) == "rank")) ||
                   ((first == "selectcase" || first == "selecttype") && brackets)) {
            word = "select";
        } else if (first == "change" && at(1) == "team") {
            word = "team";
        } else if (((first == "where" || first == "forall" || first == "associate") && brackets && alone) ||
                   ((first == "block" || first == "critical") && tokens_.size() == 1) ||
                   (first == "enum" && at(1) == ",")) {
            word = first;
        }
        if (word.empty()) return false;
        is(Statement::construct, word);
        return true;
    }

    static bool is_number(const std::string &word) {
        return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    }

    // return, exit and cycle, by themselves or behind `if (…)`.
    bool read_leave() {
        const std::size_t i = at(0) == "if" && at(1) == "(" ? behind_brackets(1) : 0;
        static constexpr std::array<std::string_view, 3> words = {"return", "exit", "cycle"};
        if (!is_one_of(at(i), words) || (tokens_.size() > i + 1 && !is_name_at(i + 1))) return false;
        is(Statement::action, at(i + 1));
        result_.leaves = at(i);
        result_.where = tokens_[i].where;
        return true;
    }

    bool is_declaration() const {
        static constexpr std::array<std::string_view, 27> words = {
            "integer",     "real",     "complex",  "logical",  "character", "double",    "doubleprecision",
            "type",        "class",    "implicit", "import",   "parameter", "dimension", "allocatable",
            "pointer",     "target",   "save",     "common",   "external",  "intrinsic", "intent",
            "equivalence", "optional", "value",    "volatile", "private",   "public"};
        if (at(0) == "type" && at(1) == "is") return false;
        if (at(0) == "class" && (at(1) == "is" || at(1) == "default")) return false;
        if (is_one_of(at(0), words)) return true;
        return std::any_of(tokens_.begin(), tokens_.end(), [](const Token &token) { return token.text == "::"; }) &&
               at(0) != "call" && at(0) != "if" && at(0) != "allocate" && at(0) != "where" && at(0) != "print" &&
               at(0) != "write" && at(0) != "return" && at(0) != "forall";
    }

    Tokens tokens_;
    bool impure_ = false;
    Statement result_;
};

} // namespace

std::vector<Statement> statements_of(const Text &text) {
    std::vector<Statement> all;
    for (const Tokens &tokens : tokens_of(text))
        if (!tokens.empty()) all.push_back(Reader(tokens).read());
    return all;
}

} // namespace stretto::wrapper::mdmp
