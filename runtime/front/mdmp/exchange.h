// Sends and receives with nothing between them: all are under way at once, so that their order does not matter.
#pragma once
#include "front/mdmp/directive.h"

#include <cstdint>

namespace stretto::front::mdmp {

//! \brief A send's or a receive's arguments, as the program gave them.
struct Arguments {
    void *first;
    int dimensions;
    const std::int64_t *count, *stride;
    std::int64_t element_bytes;
    int partner, tag;
    const MPI_Comm *comm;
};

//! Join the exchange of this thread, or be one where nothing else says where it ends (STRETTO_DIRECTIVE_ALONE).
void add_send(const Directive &directive, const Arguments &arguments);
void add_receive(const Directive &directive, const Arguments &arguments);

//! From here on what is alone joins.
void open_exchange(const Directive &directive);
//! Returns when all of it has come, and what was sent may be written again.
void exchange(const Directive &directive);

//! This thread has no exchange whose end is missing.
void check_nothing_pends(const Directive &directive);

} // namespace stretto::front::mdmp
