// Regions: which communicator directives use; and the program's MPI, where the program itself has not begun it.
#pragma once
#include "front/mdmp/directive.h"

namespace stretto::front::mdmp {

//! \brief What directives send on: the ranks of a communicator of the program, and messages that nobody else receives.
struct Communicator {
    MPI_Comm comm;
    MPI_Comm rest;   //!< of long messages, behind what stands in front of each
    MPI_Comm parts;  //!< of short ones, behind the first part of each
    int size;        //!< partners
    int rank;        //!< of this process
    bool is_inter;   //!< between two groups
    int most_tag;    //!< of MPI
    unsigned serial; //!< in this process
};

//! MPI_Init, where nobody has done it.
void begin_mpi(const Directive &directive);

//! Collective where the first region of this communicator begins.
void begin_region(const Directive &directive, const MPI_Comm *comm);
void end_region(const Directive &directive);

//! The communicator that a directive names, or that of the region around it.
const Communicator &communicator_of(const Directive &directive, const MPI_Comm *comm);

//! MPI_Init: a region has done it. From now on MPI is the program's own, which ends it.
bool take_over_mpi();

//! MPI_Finalize: no region is open, and none begins any more.
void end_all_regions();

} // namespace stretto::front::mdmp
