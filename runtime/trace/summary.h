#pragma once
#include "trace/report.h"
#include "trace/source.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

//! \brief What the ranks counted, as one: each rank's summary() is merged with others up a tree (mpi/report.h).
namespace stretto::report {

//! \brief A value over the ranks that have it. The median is known to a tenth.
struct Spread {
    std::uint64_t ranks = 0, least = 0, most = 0, rank_of_most = 0;
    std::map<std::uint64_t, std::uint64_t> buckets; //!< how many ranks

    void add(std::uint64_t value, std::uint64_t rank);
    void merge(const Spread &other);
    std::uint64_t median() const;
};

struct Fated {
    std::uint64_t messages = 0, bytes = 0;
};

//! \brief What stopped the program: a call of MPI by this name, or, without one, an access.
struct Reason {
    std::string function;
    source::Place place;
    auto operator<=>(const Reason &) const = default;
};

struct Stopped {
    std::uint64_t times = 0, nanoseconds = 0;
};

//! \brief A call site over all ranks. Times in nanoseconds, as in Site.
struct SiteSummary {
    std::uint64_t for_messages = 0;
    std::uint64_t calls = 0, in_calls = 0, in_completions = 0, unmatched = 0, stopped = 0, stops = 0, hidden = 0,
                  cost = 0;
    std::array<Fated, fates> messages{};
    std::map<Reason, Stopped> reasons;
    std::map<Reason, Stopped> completions; //!< calls that waited for what began here
    Spread waited;

    void merge(const SiteSummary &other);
    std::uint64_t all_waited() const { return in_calls + in_completions + stopped; }
};

//! \brief The name of a site on all ranks.
struct SiteName {
    std::string function;
    source::Place place;
    auto operator<=>(const SiteName &) const = default;
};

struct Summary {
    std::uint64_t ranks = 0, hidden = 0;
    std::uint64_t ran = 0; //!< from MPI_Init to MPI_Finalize, all ranks together
    Spread waited;         //!< for messages
    std::map<SiteName, SiteSummary> sites;

    //! Sites that matter least become one, when there are too many.
    void merge(const Summary &other);
};

//! So many sites a report has at most.
inline constexpr std::size_t most_reported = 256;
inline constexpr const char *others = "others";

//! What this rank has counted, in so many nanoseconds.
Summary summary(int rank, std::uint64_t ran);

//! To travel.
std::vector<std::byte> pack(const Summary &summary);
Summary unpack(std::span<const std::byte> bytes);

} // namespace stretto::report
