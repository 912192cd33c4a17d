#include "cache.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace stretto::wrapper {

fs::path cache_folder() {
    if (const char *folder = std::getenv("XDG_CACHE_HOME"); folder && *folder == '/')
        return fs::path(folder) / "stretto";
    if (const char *home = std::getenv("HOME"); home && *home == '/') return fs::path(home) / ".cache/stretto";
    return {};
}

std::string identity(const fs::path &file) {
    std::error_code none;
    const fs::path real = fs::canonical(file, none);
    struct stat seen {};
    if (real.empty() || stat(real.c_str(), &seen) != 0) return file.string() + " absent";
    std::ostringstream text; // the change time, too: a package gives its files the times of its making
    text << real.string() << ' ' << seen.st_ino << ' ' << seen.st_size << ' ' << seen.st_mtim.tv_sec << '.'
         << seen.st_mtim.tv_nsec << ' ' << seen.st_ctim.tv_sec << '.' << seen.st_ctim.tv_nsec;
    return text.str();
}

std::string short_name(std::string_view text) {
    std::uint64_t hash = 14695981039346656037u; // FNV-1a
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
    char name[17];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash));
    return name;
}

// A file of the cache: the key on its first line, then the answer.
static void keep(const fs::path &file, const std::string &key, const std::string &answer) {
    std::error_code none; // what cannot be kept is asked again
    fs::create_directories(file.parent_path(), none);
    const fs::path draft = file.string() + "." + std::to_string(getpid());
    {
        std::ofstream output(draft);
        output << key << '\n' << answer;
        if (!output.flush()) return;
    }
    fs::rename(draft, file, none);
}

std::string remembered(std::string_view question, const fs::path &file, std::string_view more,
                       const std::function<std::string()> &ask) {
    const fs::path folder = cache_folder();
    if (folder.empty()) return ask();
    std::string key =
        std::string(STRETTO_VERSION " ") + std::string(question) + ' ' + identity(file) + ' ' + std::string(more);
    for (char &c : key)
        if (c == '\n') c = ' ';
    // Not of the canonical path: what mpicc and mpifort are to do depends on the name by which they are called.
    const fs::path kept = folder / "answers" / short_name(std::string(question) + ' ' + file.string());
    std::ifstream input(kept);
    if (std::string first; std::getline(input, first) && first == key)
        return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
    const std::string answer = ask();
    if (!answer.empty()) keep(kept, key, answer);
    return answer;
}

} // namespace stretto::wrapper
