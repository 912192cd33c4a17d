#pragma once

//! \brief To be called while the library waits in a call of its own: by hooks into its progress, which Open MPI has for its parts
//! (opal_progress_register), and MPICH from 4.2 on for everybody (MPIX_Async_start).
namespace stretto::mpi::waits {

//! Is there a hook that serves? MPICH 4.0 has none, nor has MPICH's library of the standard ABI. After MPI_Init.
bool can_call();

//! From now on the library calls look(), in any of its calls, until that says so. It tells what came of it.
enum class Found { still, moved, nothing_more };
void call(Found (*look)());

//! How often the library looks, in a call that waits, before it lets another have the core: as users and launchers
//! tell it where ranks outnumber cores (MPICH: MPIR_CVAR_POLLS_BEFORE_YIELD; Open MPI: mpi_yield_when_idle). Never more than `most`, which is also said
//! where it does not say. After MPI_Init.
unsigned looks_before_yield(unsigned most);

} // namespace stretto::mpi::waits
