#include "Reader.h"
#include "Errors.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"

using namespace clang;
using llvm::ArrayRef;
using llvm::StringRef;

namespace stretto::directives {

namespace {

/// The word is wrong, and the user knows.
struct Wrong {};

using Part = ArrayRef<Token>;
template <typename Value>
using Read = std::optional<Value>;

bool opens(const Token &token) {
    return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
}
bool closes(const Token &token) {
    return token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
}

class Reader {
public:
    Reader(Preprocessor &preprocessor, Kind kind, SourceLocation where, Part tokens, SourceLocation end)
        : preprocessor_(preprocessor), tokens_(tokens), end_(end) {
        directive_.kind = kind;
        directive_.where = where;
    }

    Read<Directive> read() {
        if (!brackets_match()) return {};
        const bool right = directive_.has_section()          ? read_message()
                           : directive_.kind == Kind::region ? read_region()
                                                             : read_region_end();
        return right ? Read<Directive>(std::move(directive_)) : std::nullopt;
    }

private:
    // --- words -------------------------------------------------------------------------------------------------------------

    bool wrong(SourceLocation where, const llvm::Twine &what) {
        complain(preprocessor_.getDiagnostics(), where, what);
        return false;
    }
    std::string name() const { return directive_.name(); }
    std::string usage() const {
        const bool reduces = directive_.kind == Kind::reduce;
        const std::string begin = name() + (reduces ? "(+: " : "("), end = directive_.joins_exchange() ? ", partner)"
                                                                           : reduces                   ? ")"
                                                                                     : ", root(rank))";
        return "write " + begin + "section" + end + " or " + begin + "element, count" + end;
    }
    /// That stand behind the other arguments.
    std::string clauses() const {
        return directive_.joins_exchange() ? "tag(number) and comm(communicator)" : "root(rank) and comm(communicator)";
    }
    static bool is_name_of_clause(StringRef word) { return word == "tag" || word == "comm" || word == "root"; }
    bool is_name_of_clause(const Token &token) const {
        return token.getIdentifierInfo() && is_name_of_clause(token.getIdentifierInfo()->getName());
    }
    std::string spelling(const Token &token) const { return preprocessor_.getSpelling(token); }

    /// As it is written, macros too.
    std::string written(Part tokens) const {
        if (tokens.empty()) return {};
        const SourceManager &sources = preprocessor_.getSourceManager();
        CharSourceRange range =
            sources.getExpansionRange(SourceRange(tokens.front().getLocation(), tokens.back().getLocation()));
        bool invalid = false;
        StringRef text = Lexer::getSourceText(range, sources, preprocessor_.getLangOpts(), &invalid);
        if (!invalid && !text.empty() && !tokens.front().getLocation().isMacroID()) return text.str();
        std::string joined;
        for (const Token &token : tokens)
            joined += (token.hasLeadingSpace() && !joined.empty() ? " " : "") + spelling(token);
        return joined;
    }

    /// The macro that gave the token, where one did.
    StringRef macro_of(const Token &token) const {
        if (!token.getLocation().isMacroID()) return {};
        return Lexer::getImmediateMacroName(token.getLocation(), preprocessor_.getSourceManager(),
                                            preprocessor_.getLangOpts());
    }

    bool is_word(const Token &token, StringRef word) const {
        return token.getIdentifierInfo() && token.getIdentifierInfo()->getName() == word;
    }

    /// A constant of mpi.h: a macro, or in the standard ABI an enumerator.
    bool is_constant(const Token &token, StringRef name) const {
        return macro_of(token) == name || is_word(token, name);
    }

    // --- brackets ----------------------------------------------------------------------------------------------------------

    bool brackets_match() {
        llvm::SmallVector<const Token *, 8> open;
        for (const Token &token : tokens_) {
            if (opens(token)) open.push_back(&token);
            if (!closes(token)) continue;
            const tok::TokenKind other = token.is(tok::r_paren)    ? tok::l_paren
                                         : token.is(tok::r_square) ? tok::l_square
                                                                   : tok::l_brace;
            if (open.empty())
                return wrong(token.getLocation(),
                             name() + ": '" + spelling(token) + "' closes nothing here; " + usage());
            if (open.back()->isNot(other)) return is_open(*open.back());
            open.pop_back();
        }
        return open.empty() || is_open(*open.back());
    }

    bool is_open(const Token &bracket) {
        const char *missing = bracket.is(tok::l_paren) ? ")" : bracket.is(tok::l_square) ? "]" : "}";
        return wrong(bracket.getLocation(), name() + ": this '" + spelling(bracket) + "' is not closed: write '" +
                                                missing + "' on the same line, or end the line with a backslash");
    }

    /// Behind the bracket that closes the one at `from`.
    static std::size_t behind(Part tokens, std::size_t from) {
        int depth = 0;
        for (std::size_t i = from; i < tokens.size(); i++) {
            if (opens(tokens[i])) depth++;
            if (closes(tokens[i]) && --depth == 0) return i + 1;
        }
        return tokens.size();
    }

    static std::vector<Part> at_commas(Part tokens) {
        std::vector<Part> parts;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < tokens.size();) {
            if (opens(tokens[i])) {
                i = behind(tokens, i);
            } else if (tokens[i].is(tok::comma)) {
                parts.push_back(tokens.slice(begin, i - begin));
                begin = ++i;
            } else {
                i++;
            }
        }
        parts.push_back(tokens.slice(begin));
        return parts;
    }

    // --- commregion, commregionfinished ------------------------------------------------------------------------------------

    bool read_region() {
        for (std::size_t i = 0; i < tokens_.size();) {
            const Token &token = tokens_[i];
            const bool has_value = i + 1 < tokens_.size() && tokens_[i + 1].is(tok::l_paren);
            if (!token.getIdentifierInfo())
                return wrong(token.getLocation(), "commregion: '" + spelling(token) +
                                                      "' is no clause and no name: write commregion, "
                                                      "commregion comm(communicator) or commregion name");
            if (has_value) {
                const std::size_t next = behind(tokens_, i + 1);
                if (!read_clause(tokens_.slice(i, next - i))) return false;
                i = next;
            } else if (token.getIdentifierInfo()->getName() == "comm") {
                return wrong(token.getLocation(), "comm needs a communicator: write comm(communicator)");
            } else if (!directive_.text.empty()) {
                return wrong(token.getLocation(), "commregion has one name, '" + directive_.text +
                                                      "' already: leave '" + spelling(token) + "' out");
            } else {
                directive_.text = spelling(token);
                i++;
            }
        }
        return true;
    }

    bool read_region_end() {
        if (tokens_.empty()) return true;
        return wrong(tokens_.front().getLocation(),
                     "commregionfinished ends the innermost region and takes nothing: leave '" + written(tokens_) +
                         "' out");
    }

    // --- clauses -----------------------------------------------------------------------------------------------------------

    /// word ( value )
    bool read_clause(Part part) {
        const StringRef word = part.front().getIdentifierInfo()->getName();
        const SourceLocation where = part.front().getLocation();
        const Part value = part.slice(2, part.size() - 3);
        if (word == "tag" && directive_.joins_exchange()) return read_tag(where, value);
        if (word == "root" && directive_.is_collective()) return read_root(where, value);
        if (word == "comm") return read_comm(where, value);
        if (word == "tag" && directive_.is_collective())
            return wrong(where, name() + " has no tag: all ranks of its communicator do it together");
        if (word == "root" && directive_.joins_exchange())
            return wrong(where, name() + " has a partner, and no root: leave root(...) out");
        if (word == "tag") return wrong(where, "commregion has no tag: write tag(...) in its send and recv");
        llvm::SmallVector<StringRef, 2> all = {"comm"};
        if (directive_.has_section()) all.push_back(directive_.joins_exchange() ? "tag" : "root");
        const StringRef near = nearest(word, all);
        if (near.empty())
            return wrong(where, name() + ": there is no clause '" + word + "': there " +
                                    (directive_.has_section() ? "are " + clauses() : "is comm(communicator)"));
        complain(preprocessor_.getDiagnostics(), where,
                 name() + ": there is no clause '" + word + "': did you mean '" + near + "'?")
            << FixItHint::CreateReplacement(where, near);
        return false;
    }

    bool read_tag(SourceLocation where, Part value) {
        if (!directive_.tag.empty()) return wrong(where, name() + " has one tag: leave the second out");
        if (value.empty()) return wrong(where, "tag needs a number: write tag(0), or leave it out");
        if (at_commas(value).size() > 1) return wrong(where, "tag has one number: write tag(number)");
        if (is_constant(value.front(), "MPI_ANY_TAG"))
            return wrong(value.front().getLocation(),
                         "a message has one tag, and MPI_ANY_TAG is none: write a number of 0 "
                         "or more, or leave tag(...) out");
        if (!has_no_effect(value)) return false;
        directive_.tag.assign(value.begin(), value.end());
        return true;
    }

    bool read_root(SourceLocation where, Part value) {
        if (!directive_.root.empty()) return wrong(where, name() + " has one root: leave the second out");
        if (value.empty()) return wrong(where, "root needs a rank: write root(0)");
        if (at_commas(value).size() > 1) return wrong(where, "root is one rank: write root(rank)");
        const bool negative = value.size() == 2 && value[0].is(tok::minus) && value[1].is(tok::numeric_constant);
        if (negative || (value.size() == 1 && is_word(value[0], "none")))
            return wrong(value.front().getLocation(), name() + ": a root is a rank of the communicator, 0 or more");
        if (!has_no_effect(value)) return false;
        directive_.root.assign(value.begin(), value.end());
        return true;
    }

    bool read_comm(SourceLocation where, Part value) {
        if (!directive_.comm.empty()) return wrong(where, name() + " has one communicator: leave the second out");
        if (value.empty()) return wrong(where, "comm needs a communicator: write comm(communicator), or leave it out");
        if (at_commas(value).size() > 1) return wrong(where, "comm has one communicator: write comm(communicator)");
        if (value.size() == 1 && value.front().isLiteral() && !value.front().getLocation().isMacroID())
            return wrong(value.front().getLocation(),
                         "'" + spelling(value.front()) +
                             "' is no communicator: write comm(MPI_COMM_WORLD), or leave it out");
        if (!has_no_effect(value)) return false;
        directive_.comm.assign(value.begin(), value.end());
        return true;
    }

    // --- send, recv, reduce, bcast -------------------------------------------------------------------------------------------

    bool read_message() {
        if (tokens_.empty()) return wrong(end_, name() + " says nothing: " + usage());
        if (tokens_.front().isNot(tok::l_paren))
            return wrong(tokens_.front().getLocation(), name() + " needs '(' here: " + usage());
        const std::size_t end = behind(tokens_, 0);
        if (end < tokens_.size()) {
            const Token &more = tokens_[end];
            const bool clause = is_name_of_clause(more);
            const bool semicolon = more.is(tok::semi);
            return wrong(more.getLocation(), name() + (clause ? ": clauses stand inside the brackets: write " + name() +
                                                                    "(..., " + spelling(more) + "(...))"
                                                       : semicolon ? ": a directive ends with its line: leave ';' out"
                                                                   : ": leave '" + written(tokens_.slice(end)) +
                                                                         "' behind the brackets out"));
        }
        const Part inside = tokens_.slice(1, end - 2);
        if (inside.empty()) return wrong(tokens_.back().getLocation(), name() + " says nothing: " + usage());
        if (directive_.kind != Kind::reduce) return read_arguments(inside);
        const std::optional<std::size_t> begin = read_operation(inside);
        return begin && read_arguments(inside.slice(*begin));
    }

    static constexpr const char *operations = "there are + * min max && || & | ^";

    /// `+:`; the place behind it.
    std::optional<std::size_t> read_operation(Part inside) {
        const SourceLocation where = inside.front().getLocation();
        const Token *colon = inside.size() > 1 && inside[1].isOneOf(tok::colon, tok::coloncolon) ? &inside[1] : nullptr;
        if (inside.front().is(tok::colon)) {
            wrong(where, std::string("reduce: the operation is missing before ':': ") + operations);
            return {};
        }
        directive_.operation = operation_of(inside.front());
        if (directive_.operation == Operation::none || !colon) {
            if (colon)
                wrong(where, "reduce: there is no operation '" + spelling(inside.front()) +
                                 "': " + (inside.front().is(tok::minus) ? "write + for a sum" : operations));
            else if (directive_.operation != Operation::none && !inside.front().getIdentifierInfo())
                wrong(inside.size() > 1 ? inside[1].getLocation() : tokens_.back().getLocation(),
                      "reduce: ':' is missing behind the operation: " + usage());
            else
                wrong(where, "reduce has no operation: write reduce(+: " + written(at_commas(inside).front()) + "); " +
                                 operations);
            return {};
        }
        if (colon->is(tok::coloncolon)) {
            wrong(colon->getLocation(), "reduce: '::' is one word: write a blank between ':' and what follows");
            return {};
        }
        if (inside.size() == 2) {
            wrong(tokens_.back().getLocation(), "reduce has no section: " + usage());
            return {};
        }
        return 2;
    }

    Operation operation_of(const Token &token) const {
        switch (token.getKind()) {
        case tok::plus:
            return Operation::add;
        case tok::star:
            return Operation::multiply;
        case tok::ampamp:
            return Operation::logical_and;
        case tok::pipepipe:
            return Operation::logical_or;
        case tok::amp:
            return Operation::bits_and;
        case tok::pipe:
            return Operation::bits_or;
        case tok::caret:
            return Operation::bits_xor;
        default:
            return is_word(token, "min") ? Operation::min : is_word(token, "max") ? Operation::max : Operation::none;
        }
    }

    /// tag(3), or what was meant so: a name with a value in brackets that can be no argument.
    bool is_clause(Part part, const std::vector<Part> &before) const {
        if (part.size() < 3 || !part[0].getIdentifierInfo() || part[1].isNot(tok::l_paren)) return false;
        if (behind(part, 1) != part.size()) return false;
        if (is_name_of_clause(part[0])) return true;
        if (before.empty()) return false;
        const bool ranges = ranges_in(before.front());
        if (before.size() + 1 == most_arguments() && !ranges)
            return !nearest(part[0].getIdentifierInfo()->getName(),
                            {directive_.joins_exchange() ? "tag" : "root", "comm"})
                        .empty();
        return before.size() + ranges >= most_arguments();
    }
    /// Of an element, a count, and a partner; where ranges say how many one less.
    std::size_t most_arguments() const { return directive_.joins_exchange() ? 3 : 2; }

    bool read_arguments(Part inside) {
        std::vector<Part> arguments;
        SourceLocation first_clause;
        for (Part part : at_commas(inside)) {
            if (part.empty()) {
                // Of two commas, or of a comma and a bracket, the second.
                const Token *next = part.data();
                return wrong(next->getLocation(),
                             name() + ": an argument is missing before '" + spelling(*next) + "': " + usage());
            }
            if (is_clause(part, arguments)) {
                if (!first_clause.isValid()) first_clause = part.front().getLocation();
                if (!read_clause(part)) return false;
            } else if (is_clause_badly_written(part)) {
                return wrong(part.front().getLocation(), name() + ": write " + spelling(part.front()) + "(" +
                                                             written(part.slice(part[1].is(tok::equal) ? 2 : 1)) + ")");
            } else if (first_clause.isValid()) {
                return wrong(part.front().getLocation(),
                             name() + ": clauses come last: write '" + written(part) + "' before them");
            } else {
                arguments.push_back(part);
            }
        }
        return take(arguments);
    }

    /// tag 3, tag = 3, comm world
    bool is_clause_badly_written(Part part) const {
        if (part.size() < 2 || !is_name_of_clause(part[0])) return false;
        return part[1].is(tok::equal) || part[1].isLiteral() || part[1].getIdentifierInfo();
    }

    bool take(const std::vector<Part> &arguments) {
        const bool ranges = !arguments.empty() && ranges_in(arguments.front());
        if (arguments.empty()) return wrong(tokens_.front().getLocation(), name() + " has no section: " + usage());
        if (directive_.is_collective()) return take_collective(arguments, ranges);
        if (arguments.size() == 1)
            return read_section(arguments[0], false) &&
                   wrong(tokens_.back().getLocation(), name() + " has no partner: write " + name() + "(" +
                                                           written(arguments[0]) + ", partner), a rank or none");
        if (arguments.size() > 3)
            return wrong(arguments[3].front().getLocation(),
                         name() + " has too many arguments: '" + written(arguments[3]) + "'; " + usage() +
                             ", and behind these tag(number) and comm(communicator)");
        return take_elements(arguments, ranges, arguments.size() == 3) && read_partner(arguments.back());
    }

    bool take_collective(const std::vector<Part> &arguments, bool ranges) {
        const bool rootless = directive_.kind == Kind::bcast && directive_.root.empty();
        if (rootless && arguments.size() + ranges == 3)
            return wrong(arguments.back().front().getLocation(),
                         "bcast: write root(" + written(arguments.back()) + ") for its root");
        if (arguments.size() > 2)
            return wrong(arguments[2].front().getLocation(), name() + " has too many arguments: '" +
                                                                 written(arguments[2]) + "'; " + usage() +
                                                                 ", and behind these " + clauses());
        if (!take_elements(arguments, ranges, arguments.size() == 2)) return false;
        return !rootless ||
               wrong(tokens_.back().getLocation(),
                     "bcast has no root: write root(rank) behind its section, the rank whose values all get");
    }

    bool take_elements(const std::vector<Part> &arguments, bool ranges, bool counted) {
        if (counted && ranges)
            return wrong(arguments[1].front().getLocation(),
                         name() + ": the section says how many: leave the count '" + written(arguments[1]) + "' out");
        directive_.text = written(arguments.front());
        if (!read_section(arguments.front(), counted)) return false;
        if (!counted) return true;
        if (!has_no_effect(arguments[1])) return false;
        directive_.count.assign(arguments[1].begin(), arguments[1].end());
        return true;
    }

    bool read_partner(Part part) {
        const SourceLocation where = part.front().getLocation();
        if (part.size() == 1 && is_word(part[0], "none") && !part[0].getLocation().isMacroID()) return take_none(where);
        if (is_constant(part.front(), "MPI_ANY_SOURCE"))
            return wrong(where, name() + " names its partner, and MPI_ANY_SOURCE is none: write a rank, or none");
        const bool negative = part.size() == 2 && part[0].is(tok::minus) && part[1].is(tok::numeric_constant);
        if (negative && !is_constant(part.front(), "MPI_PROC_NULL")) {
            return wrong(where,
                         name() + ": a rank is not negative: write none for no partner, in place of " + written(part));
        }
        if (ranges_in(part))
            return wrong(where, name() + ": the partner is one rank, not a section: write a rank, or none");
        if (!has_no_effect(part)) return false;
        directive_.partner.assign(part.begin(), part.end());
        return true;
    }

    bool take_none(SourceLocation where) {
        IdentifierInfo *null = preprocessor_.getIdentifierInfo("MPI_PROC_NULL");
        if (null->hasMacroDefinition()) {
            append_expanded(null, where, 0);
            return true;
        }
        if (null->getFETokenInfo()) { // an enumerator
            Token token;
            token.startToken();
            token.setKind(tok::identifier);
            token.setIdentifierInfo(null);
            token.setLocation(where);
            token.setLength(static_cast<unsigned>(null->getLength()));
            directive_.partner.push_back(token);
            return true;
        }
        return wrong(where, name() +
                                ": none is MPI_PROC_NULL of mpi.h, which is not known here: #include "
                                "<stretto/mdmp.h> before the directive; a file that was preprocessed already has no "
                                "macros: compile it from its source");
    }

    /// A macro without parameters, and those in it.
    void append_expanded(IdentifierInfo *name, SourceLocation where, int depth) {
        const MacroInfo *macro = preprocessor_.getMacroInfo(name);
        if (!macro || !macro->isObjectLike() || depth > 16) return;
        for (Token token : macro->tokens()) {
            IdentifierInfo *inner = token.getIdentifierInfo();
            if (inner && inner->hasMacroDefinition()) {
                append_expanded(inner, where, depth + 1);
                continue;
            }
            token.setLocation(where);
            directive_.partner.push_back(token);
        }
    }

    // --- sections ----------------------------------------------------------------------------------------------------------

    /// Colons that divide a range: not those of a ? b : c, and not those inside of further brackets.
    std::vector<std::size_t> colons(Part tokens) const {
        std::vector<std::size_t> all;
        int questions = 0;
        for (std::size_t i = 0; i < tokens.size();) {
            if (opens(tokens[i])) {
                i = behind(tokens, i);
                continue;
            }
            if (tokens[i].is(tok::question)) questions++;
            if (tokens[i].is(tok::colon) && questions-- <= 0) {
                questions = 0;
                all.push_back(i);
            }
            // C++ reads [1::2] as a qualified name, which it is not before a number.
            const bool names =
                preprocessor_.getLangOpts().CPlusPlus && i + 1 < tokens.size() && tokens[i + 1].getIdentifierInfo();
            if (tokens[i].is(tok::coloncolon) && !names) {
                all.push_back(i);
                all.push_back(i);
            }
            i++;
        }
        return all;
    }

    bool ranges_in(Part tokens) const {
        for (std::size_t i = 0; i < tokens.size(); i++) {
            if (tokens[i].isNot(tok::l_square)) continue;
            const std::size_t end = behind(tokens, i);
            if (!colons(tokens.slice(i + 1, end - i - 2)).empty()) return true;
        }
        return false;
    }

    bool has_no_effect(Part tokens) {
        for (const Token &token : tokens) {
            const bool changes =
                token.isOneOf(tok::plusplus, tok::minusminus, tok::equal, tok::plusequal, tok::minusequal,
                              tok::starequal, tok::slashequal, tok::percentequal, tok::ampequal, tok::pipeequal,
                              tok::caretequal, tok::lesslessequal, tok::greatergreaterequal);
            if (changes)
                return wrong(token.getLocation(), name() + " changes nothing by itself: write what has '" +
                                                      spelling(token) + "' as a statement before it");
        }
        return true;
    }

    bool read_section(Part part, bool counted) {
        if (!has_no_effect(part)) return false;
        const Token &first = part.front();
        if (first.is(tok::amp))
            return wrong(first.getLocation(), name() + " takes the element, not its address: leave '&' out");
        if (first.isLiteral())
            return wrong(first.getLocation(), name() + ": '" + spelling(first) + "' is no variable: " + usage());
        if (first.is(tok::star) && !ranges_in(part)) {
            if (counted) { // any element has an address
                directive_.section.pieces.emplace_back(part.begin(), part.end());
                return true;
            }
        }
        if (!first.getIdentifierInfo() && !first.isOneOf(tok::l_paren, tok::coloncolon))
            return wrong(first.getLocation(), name() + ": a section begins with the name of a variable, not with '" +
                                                  spelling(first) + "': write a[lower:length]");
        return cut(part);
    }

    bool cut(Part part) {
        Tokens piece;
        Section &section = directive_.section;
        for (std::size_t i = 0; i < part.size();) {
            const Token &token = part[i];
            const std::size_t next = opens(token) ? behind(part, i) : i + 1;
            const Part inside = opens(token) ? part.slice(i + 1, next - i - 2) : Part();
            if (!may_stand(part, i, inside)) return false;
            if (token.is(tok::l_square)) {
                if (inside.empty())
                    return wrong(token.getLocation(),
                                 name() +
                                     ": these brackets are empty: write [lower:length], or [:] for all of an array");
                if (!colons(inside).empty()) {
                    if (!read_range(token, inside)) return false;
                    section.pieces.push_back(std::move(piece));
                    piece.clear();
                    i = next;
                    continue;
                }
            }
            piece.append(part.begin() + i, part.begin() + next);
            i = next;
        }
        section.pieces.push_back(std::move(piece));
        return true;
    }

    /// A section is a variable, its members and its subscripts.
    bool may_stand(Part part, std::size_t i, Part inside) {
        const Token &token = part[i];
        const Token *before = i ? &part[i - 1] : nullptr;
        if (token.is(tok::arrow) && !directive_.section.ranges.empty())
            return wrong(token.getLocation(),
                         name() + ": '->' behind a range leads anywhere in memory, and the elements of a "
                                  "section lie at one distance: send them one by one");
        if (token.is(tok::l_paren) && !colons(inside).empty())
            return wrong(token.getLocation(), name() + ": subscripts of C are written [lower:length], also of several "
                                                       "dimensions: [lower:length][lower:length]");
        if (token.is(tok::l_square)) {
            if (at_commas(inside).size() > 1 && !colons(inside).empty())
                return wrong(token.getLocation(), name() + ": each dimension has its own brackets: write "
                                                           "[lower:length][lower:length]");
            return true;
        }
        if (token.isOneOf(tok::l_paren, tok::period, tok::arrow, tok::coloncolon)) return true;
        if (token.getIdentifierInfo()) {
            const bool follows =
                before && (before->getIdentifierInfo() || closes(*before)) && before->isNot(tok::kw_template);
            if (!follows) return true;
            return wrong(token.getLocation(), name() + ": ',' is missing before '" + spelling(token) + "': " + usage());
        }
        return wrong(token.getLocation(),
                     name() + ": '" + spelling(token) +
                         "' makes this an expression, and a section is a variable with its members and "
                         "subscripts: write a[lower:length], and values in the brackets only");
    }

    bool read_range(const Token &bracket, Part inside) {
        Section &section = directive_.section;
        if (section.ranges.size() == 15)
            return wrong(bracket.getLocation(), name() + ": a section has up to 15 dimensions with a range");
        const std::vector<std::size_t> at = colons(inside);
        if (at.size() > 2)
            return wrong(inside[at[2]].getLocation(),
                         name() + ": a range has three parts: write [lower:length:stride]");
        Range range{bracket.getLocation(), {}, {}, {}};
        const auto piece = [&](std::size_t from, std::size_t to) {
            return from < to ? Tokens(inside.begin() + from, inside.begin() + to) : Tokens();
        };
        range.lower = piece(0, at[0]);
        range.length = piece(at[0] + 1, at.size() > 1 ? at[1] : inside.size());
        if (at.size() > 1) {
            range.stride = piece(at[1] + 1, inside.size());
            if (range.stride.empty())
                return wrong(
                    inside[at[1]].getLocation(),
                    name() +
                        ": the stride is missing behind ':': write [lower:length:stride], or leave the second ':' out");
        }
        section.ranges.push_back(std::move(range));
        return true;
    }

    Preprocessor &preprocessor_;
    Part tokens_;
    SourceLocation end_;
    Directive directive_;
};

} // namespace

std::optional<Directive> read(Preprocessor &preprocessor, Kind kind, SourceLocation where, ArrayRef<Token> tokens,
                              SourceLocation end) {
    return Reader(preprocessor, kind, where, tokens, end).read();
}

} // namespace stretto::directives
