#include "Calls.h"

#include "clang/Lex/Lexer.h"

#include <climits>
#include <initializer_list>

using namespace clang;

namespace stretto::directives {

namespace {

/// Of include/stretto/mdmp.h, whose macros are not there where a file was preprocessed before.
constexpr const char *version = "1", *implied_tag = "(-2147483647 - 1)", *all_ranks = implied_tag;
static_assert(INT_MIN == -2147483647 - 1);

std::string quoted(llvm::StringRef text) {
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c == '\n' || c == '\t' ? ' ' : c;
    }
    return quoted + '"';
}

/// Tokens of a text of ours, between those of the program. Each piece of the program's stands there once: it is evaluated once,
/// and an error in it is told once.
class Writer {
public:
    Writer(Preprocessor &preprocessor, SourceLocation where) : preprocessor_(preprocessor), where_(where) {}

    Writer &operator<<(const std::string &text) {
        Lexer lexer(SourceLocation(), preprocessor_.getLangOpts(), text.data(), text.data(), text.data() + text.size());
        Token token;
        for (lexer.LexFromRawLexer(token); token.isNot(tok::eof); lexer.LexFromRawLexer(token)) append(token);
        return *this;
    }
    Writer &operator<<(const Tokens &tokens) {
        all_.insert(all_.end(), tokens.begin(), tokens.end());
        return *this;
    }

    /// Where the next tokens of ours are, for the compiler's own errors.
    void at(SourceLocation where) { where_ = where; }

    std::vector<Token> take() { return std::move(all_); }

private:
    void append(Token token) {
        if (token.is(tok::raw_identifier)) preprocessor_.LookUpIdentifierInfo(token);
        if (token.isLiteral())
            preprocessor_.CreateString(llvm::StringRef(token.getLiteralData(), token.getLength()), token, where_,
                                       where_);
        else
            token.setLocation(where_);
        all_.push_back(token);
    }

    Preprocessor &preprocessor_;
    SourceLocation where_;
    std::vector<Token> all_;
};

class Block {
public:
    Block(Preprocessor &preprocessor, const Directive &directive)
        : writer_(preprocessor, directive.where), directive_(directive), cxx_(preprocessor.getLangOpts().CPlusPlus) {
        const PresumedLoc place = preprocessor.getSourceManager().getPresumedLoc(directive.where);
        writer_ << "{ static struct " + global("stretto_directive") + " stretto_mdmp_ = {" + version + ", 0, " +
                       std::to_string(place.isValid() ? place.getLine() : 0) + ", " +
                       std::to_string(place.isValid() ? place.getColumn() : 0) + ", " +
                       (place.isValid() ? quoted(place.getFilename()) : null()) + ", __func__, " +
                       (directive.text.empty() ? null() : quoted(directive.told())) + ", " + null() + "};";
    }

    std::vector<Token> region() {
        const std::string comm = communicator();
        writer_ << global("stretto_region_begin") + "(&stretto_mdmp_, " + comm + "); }";
        return writer_.take();
    }

    std::vector<Token> region_end() {
        writer_ << global("stretto_region_end") + "(&stretto_mdmp_); }";
        return writer_.take();
    }

    std::vector<Token> message() {
        elements();
        number("int", variable::partner, directive_.partner);
        if (!directive_.tag.empty()) number("int", variable::tag, directive_.tag);
        const std::string comm = communicator();
        const bool sends = directive_.kind == Kind::send;
        call("", sends,
             std::string(variable::partner) + ", " + (directive_.tag.empty() ? implied_tag : variable::tag) + ", " +
                 comm);
        // 0 where another directive follows, and how many they are (Places.cpp).
        writer_ << "if (1) " + global("stretto_exchange") + "(&stretto_mdmp_, 1); }";
        return writer_.take();
    }

    std::vector<Token> collective() {
        elements();
        const bool reduces = directive_.kind == Kind::reduce;
        if (reduces) type();
        if (!directive_.root.empty()) number("int", variable::root, directive_.root);
        const std::string comm = communicator(), root = directive_.root.empty() ? all_ranks : variable::root;
        call(reduces ? std::to_string(static_cast<int>(directive_.operation)) + ", " : "", false,
             (reduces ? "stretto_mdmp_type_, " : "") + root + ", " + comm);
        writer_ << "}";
        return writer_.take();
    }

private:
    /// Where they are, and how many.
    void elements() {
        const Section &section = directive_.section;
        for (std::size_t k = 0; k < section.ranges.size(); k++) part(k);
        pointer(variable::first);
        piece(section.pieces.size() - 1);
        writer_ << ");";
        writer_.at(directive_.where);
        shape();
    }

    /// stretto_range_send(&directive, before, first, elements, element_bytes, behind);
    void call(const std::string &before, bool only_reads, const std::string &behind) {
        const std::string to = "(&stretto_mdmp_, " + before + address(only_reads) + ", ",
                          last = size_of(variable::first) + ", " + behind + ");", name = directive_.name();
        if (is_range())
            writer_ << global("stretto_range_" + name) + to + number_of_elements() + ", " + last;
        else
            writer_ << global("stretto_section_" + name) + to + std::to_string(dimensions()) + ", " + variable::count +
                           ", " + variable::stride + ", " + last;
    }

    /// STRETTO_TYPE_* of the elements, which are known to the parser alone. Of what is no number Types.cpp tells.
    void type() {
        const std::string first = std::string("*") + variable::first;
        if (cxx_) {
            writer_ << "const int stretto_mdmp_type_ = ::stretto_mdmp::number<decltype((" + first + "))>();";
            return;
        }
        std::string all;
        const auto of = [&all](const char *number, std::initializer_list<const char *> types) {
            for (const char *type : types) all += std::string(type) + ": " + number + ", ";
        };
        of("(char)-1 < (char)0 ? 1 : 2", {"char"});
        of("1", {"signed char", "short", "int", "long", "long long"});
        of("2", {"unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long"});
        of("3", {"float", "double", "long double"});
        of("4", {"float _Complex", "double _Complex", "long double _Complex"});
        of("5", {"_Bool"});
        writer_ << "const int stretto_mdmp_type_ = __extension__ _Generic(" + first + ", " + all + "default: 0);";
    }

    std::string global(const std::string &name) const { return (cxx_ ? "::" : "") + name; }
    std::string null() const { return cxx_ ? "nullptr" : "0"; }
    /// Of what the variable points to.
    std::string size_of(const std::string &variable) const {
        return cast(global("int64_t")) + "(sizeof(*" + variable + "))";
    }
    static std::string numbered(const char *name, std::size_t k) { return name + std::to_string(k) + "_"; }
    std::size_t dimensions() const { return directive_.count.empty() ? directive_.section.ranges.size() : 1; }

    /// One element, an element and a count, or what is in the innermost brackets alone.
    bool is_range() const {
        const auto &ranges = directive_.section.ranges;
        return ranges.empty() ||
               (ranges.size() == 1 && ranges.front().stride.empty() && directive_.section.pieces.back().empty());
    }
    std::string number_of_elements() const { return dimensions() ? std::string(variable::count) + "[0]" : "1"; }

    /// `name = &(`
    void pointer(const std::string &name) {
        writer_.at(directive_.section.pieces.front().front().getLocation());
        writer_ << (cxx_ ? "auto *" + name + " = __builtin_addressof(" : "__extension__ __auto_type " + name + " = &(");
    }

    /// Behind the ranges before it: (*part)[1].pressure
    void piece(std::size_t k) {
        if (k > 0) writer_ << "(*" + numbered(variable::part, k - 1) + ")";
        writer_ << directive_.section.pieces[k];
    }

    void part(std::size_t k) {
        const Range &range = directive_.section.ranges[k];
        if (!range.length.empty()) {
            pointer(numbered(variable::part, k));
            piece(k);
            writer_.at(range.where);
            writer_ << "[";
            if (range.lower.empty())
                writer_ << "0";
            else
                writer_ << "(" << range.lower << ")";
            writer_ << "]);";
            return;
        }
        pointer(numbered(variable::whole, k));
        piece(k);
        writer_ << ");";
        number("long", numbered(variable::lower, k), range.lower, "0");
        pointer(numbered(variable::part, k));
        writer_ << "(*" + numbered(variable::whole, k) + ")[" + numbered(variable::lower, k) + "]);";
    }

    /// To be followed by a value in brackets. Users may have warnings of either form.
    std::string cast(const std::string &type) const { return cxx_ ? type : "(" + type + ")"; }

    /// Through long a pointer is no error of the compiler's here, whose words would be about our text: Types.cpp says it.
    void number(const std::string &type, const std::string &name, const Tokens &tokens, const char *implied = "0") {
        writer_ << "const " + type + " " + name + " = ";
        value(tokens, type, implied);
        writer_ << ";";
    }
    void value(const Tokens &tokens, const std::string &type, const char *implied) {
        if (tokens.empty())
            writer_ << implied;
        else
            writer_ << cast(type) + "(" + cast("long") + "((" << tokens << ")))";
    }

    void shape() {
        if (!dimensions()) return;
        const std::string integer = global("int64_t");
        const Section &section = directive_.section;
        if (!is_range()) {
            writer_ << "const " + integer + " " + variable::stride + "[] = {";
            for (std::size_t k = 0; k < section.ranges.size(); k++) {
                if (k) writer_ << ", ";
                value(section.ranges[k].stride, integer, "1");
                writer_ << "* " + size_of(numbered(variable::part, k));
            }
            writer_ << "};";
        }
        writer_ << "const " + integer + " " + variable::count + "[] = {";
        if (!directive_.count.empty()) value(directive_.count, integer, "1");
        for (std::size_t k = 0; k < section.ranges.size(); k++) {
            if (k) writer_ << ", ";
            length(k, integer);
        }
        writer_ << "};";
    }

    /// All elements from the lower one on, where the length was left out.
    void length(std::size_t k, const std::string &integer) {
        const Range &range = directive_.section.ranges[k];
        if (!range.length.empty()) return value(range.length, integer, "1");
        const std::string one = size_of(numbered(variable::part, k)),
                          stride = is_range() ? one : std::string(variable::stride) + "[" + std::to_string(k) + "]";
        writer_ << "(" + size_of(numbered(variable::whole, k)) + " - " + numbered(variable::lower, k) + " * " + one +
                       " + " + stride + " - " + one + ") / " + stride;
    }

    std::string communicator() {
        if (directive_.comm.empty()) return null();
        writer_ << "const " + global("MPI_Comm") + " stretto_mdmp_comm_ = (" << directive_.comm << ");";
        return "&stretto_mdmp_comm_";
    }

    /// Without const and volatile: where these forbid it Types.cpp says so.
    std::string address(bool sends) const {
        const std::string type = sends ? "const void *" : "void *";
        if (!cxx_) return "(" + type + ")" + variable::first;
        return "const_cast<" + type + ">(static_cast<const volatile void *>(" + variable::first + "))";
    }

    Writer writer_;
    const Directive &directive_;
    bool cxx_;
};

} // namespace

std::vector<Token> calls(Preprocessor &preprocessor, const Directive &directive) {
    Block block(preprocessor, directive);
    switch (directive.kind) {
    case Kind::region:
        return block.region();
    case Kind::region_end:
        return block.region_end();
    case Kind::reduce:
    case Kind::bcast:
        return block.collective();
    default:
        return block.message();
    }
}

} // namespace stretto::directives
