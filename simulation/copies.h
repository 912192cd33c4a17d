#pragma once
#include <string>
#include <vector>

namespace simulation {

//! \brief Before anything else: begin this process again with the same addresses in each run, and with room for the thread-local memory of so many
//! copies of libstretto.
void begin_anew(char **argv, int copies);

//! What a process has but once stays away from ranks: handlers, threads, pages. Variables that are set stay.
void set_environment();

//! \brief So many copies of a shared object, each with variables of its own: what dlopen gives. Where one cannot be loaded the process ends.
std::vector<void *> load_copies(const std::string &path, int copies);

} // namespace simulation
