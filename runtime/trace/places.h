#pragma once
#include "trace/source.h"
#include "trace/summary.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

//! \brief The places of a report, as the source has them.
namespace stretto::report {

class Places {
public:
    //! Asks once for each object that the summary's places are in.
    explicit Places(const Summary &summary);

    //! The functions that it is in, innermost first; none where that is not known.
    const std::vector<source::Frame> &frames(const source::Place &place) const;

    //! "/src/halo.hpp:40", or "solver+0x1f3 (solve)".
    std::string line(const source::Place &place) const;

    //! "halo.hpp:40"
    std::string short_line(const source::Place &place) const;

    //! The same; of a call that is inlined with its callers: "halo.hpp:40, in solve() at solver.cpp:210".
    std::string brief(const source::Place &place) const;

    //! "exchange() at halo.hpp:40, in solve() at solver.cpp:210".
    std::string text(const source::Place &place) const;

    //! The same with whole names and paths.
    std::string full(const source::Place &place) const;

private:
    void want(const source::Place &place) { found[place.object][place.offset]; }
    std::map<std::string, std::map<std::uint64_t, std::vector<source::Frame>>> found; // by object and offset
};

} // namespace stretto::report
