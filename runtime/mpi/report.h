#pragma once

//! \brief The report of a job (trace/report.h): whether there is one, agreed in MPI_Init; merged and written in MPI_Finalize.
namespace stretto::mpi {

//! Collective over those that run Stretto, after join(). Rank 0 of them tries whether the file can be written.
void agree_on_report();

//! Collective too, when all messages have ended: the ranks' tables are merged up a tree, and its root writes the page.
void write_report();

} // namespace stretto::mpi
