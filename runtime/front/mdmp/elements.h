// The elements of a directive's section, as the program gave them.
#pragma once
#include "front/mdmp/directive.h"
#include "range/section.h"

#include <cstdint>
#include <string>

namespace stretto::front::mdmp {

//! \brief Element (i, j, ...) is at first + i * stride[0] + j * stride[1] + ..., i below count[0]. Strides are bytes.
struct Elements {
    void *first;
    int dimensions;
    const std::int64_t *count, *stride;
    std::int64_t element_bytes;
};

//! Where they lie. Ends the job where they cannot be a section.
Section section_of(const Directive &directive, const Elements &elements);

//! "50 elements of 4 bytes"
std::string shape(std::int64_t bytes, std::int64_t element_bytes);

} // namespace stretto::front::mdmp
