#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::report {

//! \brief What a template is filled with.
struct Fields {
    std::map<std::string, std::string, std::less<>> texts;
    std::map<std::string, std::vector<Fields>, std::less<>> lists;
};

//! The part of Mustache that a page needs: {{text}}, escaped; {{{text}}}, as it is; {{#list}}...{{/list}}, once per entry.
std::string fill(std::string_view text, const Fields &fields);

} // namespace stretto::report
