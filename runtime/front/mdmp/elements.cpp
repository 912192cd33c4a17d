#include "front/mdmp/elements.h"

#include <algorithm>

namespace stretto::front::mdmp {

Section section_of(const Directive &directive, const Elements &given) {
    if (given.dimensions < 0 || given.dimensions > Section::most_dimensions)
        fail(directive, "has " + std::to_string(given.dimensions) + " dimensions, and at most " +
                            std::to_string(Section::most_dimensions) + " are possible");
    if (given.element_bytes <= 0) fail(directive, "its elements have no bytes");
    for (int k = 0; k < given.dimensions; k++)
        if (given.count[k] < 0) fail(directive, "a count is negative: " + std::to_string(given.count[k]));
    const auto section = Section::make(given.first, given.dimensions, given.count, given.stride, given.element_bytes);
    if (!section) fail(directive, "has more bytes than any memory");
    if (section->bytes() && !given.first) fail(directive, "its first element is at a null pointer");
    return *section;
}

std::string shape(std::int64_t bytes, std::int64_t element_bytes) {
    const std::int64_t elements = bytes / std::max<std::int64_t>(element_bytes, 1);
    return std::to_string(elements) + (elements == 1 ? " element of " : " elements of ") +
           std::to_string(element_bytes) + (element_bytes == 1 ? " byte" : " bytes");
}

} // namespace stretto::front::mdmp
