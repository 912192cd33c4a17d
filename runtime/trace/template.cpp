#include "trace/template.h"

namespace stretto::report {

namespace {

std::string escaped(const std::string &text) {
    std::string safe;
    for (const char c : text) switch (c) {
        case '&':
            safe += "&amp;";
            break;
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '"':
            safe += "&quot;";
            break;
        default:
            safe += c;
        }
    return safe;
}

std::string text_of(const Fields &fields, std::string_view name) {
    const auto at = fields.texts.find(name);
    return at == fields.texts.end() ? "" : at->second;
}

std::string repeated(std::string_view inside, const Fields &fields, std::string_view name) {
    std::string all;
    if (const auto list = fields.lists.find(name); list != fields.lists.end())
        for (const Fields &entry : list->second) all += fill(inside, entry);
    return all;
}

} // namespace

std::string fill(std::string_view text, const Fields &fields) {
    std::string page;
    for (;;) {
        const std::size_t open = text.find("{{");
        page += text.substr(0, open);
        if (open == text.npos) return page;
        text.remove_prefix(open + 2);
        const std::size_t close = text.find("}}");
        const std::string_view name = text.substr(0, close);
        text.remove_prefix(close + 2);
        if (name.starts_with('#')) {
            const std::string end = "{{/" + std::string(name.substr(1)) + "}}";
            const std::size_t stop = text.find(end);
            page += repeated(text.substr(0, stop), fields, name.substr(1));
            text.remove_prefix(stop + end.size());
        } else if (name.starts_with('{')) {
            page += text_of(fields, name.substr(1));
            text.remove_prefix(1);
        } else
            page += escaped(text_of(fields, name));
    }
}

} // namespace stretto::report
