#pragma once
#include "trace/summary.h"

#include <cstddef>
#include <string>
#include <vector>

//! \brief The report as a page: page.html, filled.
namespace stretto::report {

//! \brief What ranks of one class are to each other.
struct Link {
    std::string name; //!< "node" or "remote"
    int peers = 0;
    std::size_t eager = 0; //!< bytes
    double rate = 0;       //!< bytes per second
    bool framed = false;   //!< ordinary messages too
};

//! \brief What was decided in MPI_Init.
struct Surroundings {
    std::string library;    //!< of MPI
    int world = 1;          //!< ranks, with those that do not run Stretto
    std::string why_native; //!< nothing is framed
    double seconds = 0;     //!< from MPI_Init to MPI_Finalize
    std::vector<Link> links;
};

struct Page {
    std::string text;    //!< HTML, with the same numbers as JSON in it
    std::string verdict; //!< its headline
};

//! Asks addr2line.
Page page(const Summary &summary, const Surroundings &surroundings);

//! false: errno says why not.
bool write(const char *path, const std::string &text);

} // namespace stretto::report
