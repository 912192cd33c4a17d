// Reads a source with the files that it includes.
#pragma once
#include "source.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::wrapper::mdmp {

// The lines of `text`, which is that of `path`. An included file takes the place of its line where it has directives, or where it lies
// beside the file that includes it: flang reads the result from another folder. `folders` are those of -I.
void read_lines(Source &source, const std::string &text, const std::filesystem::path &path,
                const std::vector<std::string> &folders);

// A whole file; empty where there is none.
std::string contents(const std::filesystem::path &file);

// Whether the source, or a file that it includes, mentions MDMP.
bool mentions_mdmp(const std::string &text, const std::filesystem::path &path, const std::vector<std::string> &folders,
                   int depth = 0);

} // namespace stretto::wrapper::mdmp
