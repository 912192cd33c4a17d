#include "trace/demangle.h"

#include <cstddef>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

namespace stretto::source {

namespace {

// Longer template arguments say less than the room that they take.
constexpr std::size_t longest_arguments = 16;

bool starts(const std::string &text, std::size_t at, std::string_view what) {
    return text.compare(at, what.size(), what) == 0;
}

// Behind the name of an operator at this place, whose brackets open nothing; 0: there is none.
std::size_t behind_operator(const std::string &text, std::size_t at) {
    constexpr std::string_view word = "operator";
    if (!starts(text, at, word)) return 0;
    for (const std::string_view sign : {"()", "->*", "->", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "<", ">"})
        if (starts(text, at + word.size(), sign)) return at + word.size() + sign.size();
    return 0;
}

// Does the name so far end with an operator's, which may have a blank in it: "operator new"?
bool is_operator(const std::string &name) {
    const std::size_t at = name.rfind("operator");
    return at != name.npos && name.find("::", at) == name.npos;
}

// Behind the bracket that closes the one at this place.
std::size_t behind_brackets(const std::string &text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        if (const std::size_t behind = behind_operator(text, at)) {
            at = behind;
            continue;
        }
        const char c = text[at++];
        if (c == '(' || c == '<' || c == '{' || c == '[') depth++;
        if ((c == ')' || c == '>' || c == '}' || c == ']') && --depth == 0) break;
    }
    return at;
}

} // namespace

std::string demangle(const std::string &symbol) {
    if (!symbol.starts_with("_Z")) return symbol;
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                       std::free);
    return status == 0 && name ? name.get() : symbol;
}

std::string shortened_name(const std::string &demangled) {
    std::string name;
    for (std::size_t at = 0; at < demangled.size();) {
        const char c = demangled[at];
        const std::size_t behind = c == '(' || c == '<' || c == '{' || c == '[' ? behind_brackets(demangled, at) : 0;
        if (const std::size_t behind_it = behind_operator(demangled, at)) {
            name += demangled.substr(at, behind_it - at);
            at = behind_it;
        } else if (c == '<') {
            name += behind - at - 2 > longest_arguments ? "<…>" : demangled.substr(at, behind - at);
            at = behind;
        } else if (c == '(' && !starts(demangled, at, "(anonymous namespace)")) {
            // Parameters; what follows them names what is inside that function, or there is only "const" left.
            if (!starts(demangled, behind, "::") && !starts(demangled, behind, " const::")) break;
            at = demangled.find("::", behind);
        } else if (behind) {
            name += c == '{' ? "{…}" : demangled.substr(at, behind - at);
            at = behind;
        } else if (c == ' ' && is_operator(name)) {
            if (starts(demangled, at, " <")) break; // its template arguments
            name += c;
            at++;
        } else if (c == ' ') {
            name.clear(); // that was the result
            at++;
        } else {
            name += c;
            at++;
        }
    }
    return name;
}

} // namespace stretto::source
