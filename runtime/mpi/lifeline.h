#pragma once

//! \brief Does the process of a peer still live? An MPI library may never tell: with a launcher that leaves the others alone, Open MPI
//! waits for a dead rank for ever.
//!
//! Each process listens on a TCP port of its own and never accepts: the kernel completes connections by itself, and resets them when
//! the process ends, however it ends, whatever children it has. Who has a message under way with a peer keeps one such connection to it.
namespace stretto::mpi::lifeline {

//! Opens the port and tells the others. Collective over job.deltas.
void open();

//! A message with this peer (rank in job.deltas) is under way: from now on its end is noticed, if it can be reached at all.
void watch(int peer);

//! Has this watched peer ended? Or any? Cheap: the connections are looked at ten times a second at most.
bool cut(int peer);
bool any_cut();

void close();

} // namespace stretto::mpi::lifeline
