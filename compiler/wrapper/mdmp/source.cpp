#include "source.h"

#include <algorithm>
#include <cctype>

namespace stretto::wrapper::mdmp {

void Text::add(char c, Place where) {
    if (places.size() > chars.size()) places.pop_back();
    chars += c;
    places.push_back(where);
}

void Text::close(Place behind) {
    if (places.size() > chars.size()) places.pop_back();
    places.push_back(behind);
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char &c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool mentions_mdmp(std::string_view text) {
    static constexpr std::string_view word = "mdmp";
    const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

} // namespace stretto::wrapper::mdmp
