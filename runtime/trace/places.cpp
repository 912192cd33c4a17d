#include "trace/places.h"

#include "trace/demangle.h"

namespace stretto::report {

namespace {

std::string last_name(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

std::string short_text(const source::Frame &frame) {
    const std::string line = last_name(frame.line);
    return frame.function.empty() ? line : source::shortened_name(source::demangle(frame.function)) + "() at " + line;
}

std::string full_text(const source::Frame &frame) {
    return frame.function.empty() ? frame.line : source::demangle(frame.function) + " at " + frame.line;
}

using Written = std::string (*)(const source::Frame &);

// Each in its caller.
std::string chain(const std::vector<source::Frame> &frames, Written innermost, Written callers) {
    std::string text = innermost(frames.front());
    for (std::size_t k = 1; k < frames.size(); k++) text += ", in " + callers(frames[k]);
    return text;
}

} // namespace

Places::Places(const Summary &summary) {
    for (const auto &[name, site] : summary.sites) {
        want(name.place);
        for (const auto *reasons : {&site.reasons, &site.completions})
            for (const auto &[reason, stopped] : *reasons) want(reason.place);
    }
    for (auto &[object, offsets] : found) {
        std::vector<std::uint64_t> all;
        all.reserve(offsets.size());
        for (const auto &[offset, frames] : offsets) all.push_back(offset);
        std::vector<std::vector<source::Frame>> frames = source::frames(object, all);
        for (std::size_t k = 0; k < all.size(); k++) offsets[all[k]] = std::move(frames[k]);
    }
}

const std::vector<source::Frame> &Places::frames(const source::Place &place) const {
    return found.at(place.object).at(place.offset);
}

std::string Places::line(const source::Place &place) const {
    return frames(place).empty() ? source::text(place) : frames(place).front().line;
}

std::string Places::short_line(const source::Place &place) const {
    return frames(place).empty() ? source::text(place) : last_name(frames(place).front().line);
}

std::string Places::brief(const source::Place &place) const {
    const auto only_the_line = [](const source::Frame &frame) { return last_name(frame.line); };
    return frames(place).empty() ? source::text(place) : chain(frames(place), only_the_line, short_text);
}

std::string Places::text(const source::Place &place) const {
    return frames(place).empty() ? source::text(place) : chain(frames(place), short_text, short_text);
}

std::string Places::full(const source::Place &place) const {
    if (!frames(place).empty()) return chain(frames(place), full_text, full_text);
    return place.symbol.empty() ? source::text(place) : source::text(place) + ": " + source::demangle(place.symbol);
}

} // namespace stretto::report
