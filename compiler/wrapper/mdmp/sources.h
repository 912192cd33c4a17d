// Sources with directives of MDMP: flang compiles them from a folder of their own, with calls in their place, and every message, debug
// information and preprocessed text names the user's files.
#pragma once
#include "command_line.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace stretto::wrapper::mdmp {

class Sources {
public:
    Sources() = default;
    ~Sources();
    Sources(const Sources &) = delete;
    Sources &operator=(const Sources &) = delete;

    // Rewrites what has directives. Tells on standard error what is wrong with them. `folders`: where flang looks for included files,
    // beside those that the command line names. Throws Failure.
    void rewrite(const CommandLine &line, const std::vector<std::filesystem::path> &folders);

    bool are_wrong() const { return wrong_; }
    bool any() const { return !rewritten_.empty(); }
    const std::filesystem::path &folder() const { return folder_; }

    // The words of the command line, with the rewritten files in place of the user's.
    std::vector<std::string> words(const std::vector<std::string> &words) const;
    // Runs flang on them. Its exit status.
    int run(const std::vector<std::string> &words, const CommandLine &line) const;

private:
    void rewrite_file(const CommandLine &line, const std::string &file, const std::vector<std::string> &folders);
    std::string by_users_names(std::string text) const;

    bool wrong_ = false;
    std::filesystem::path folder_;                               // empty: none was needed
    std::vector<std::pair<std::string, std::string>> rewritten_; // the user's name of a file, and ours
};

} // namespace stretto::wrapper::mdmp
