// Answers that are the same until a file changes: a configure script calls a compiler 500 times, and an MPI's own wrapper or
// `clang --version` would each take as long as all that this program does itself.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stretto::wrapper {

// $XDG_CACHE_HOME/stretto or ~/.cache/stretto; empty where neither variable is set.
std::filesystem::path cache_folder();

// A file, its size and its times; the same again only where it is the same file, unchanged.
std::string identity(const std::filesystem::path &file);

// A name for a file or a folder of the cache that stands for `text`.
std::string short_name(std::string_view text);

// The answer of `ask`, kept until `identity(file)` or `more` change. An empty answer is not kept. Without a cache it is asked each time.
std::string remembered(std::string_view question, const std::filesystem::path &file, std::string_view more,
                       const std::function<std::string()> &ask);

} // namespace stretto::wrapper
