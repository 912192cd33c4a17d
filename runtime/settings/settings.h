#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto {

//! \brief Who says which bytes of a message are final, and which are needed (docs/pages.md).
enum class Trigger {
    automatic,   //!< chosen per call site (tune/which_trigger.h)
    annotations, //!< the program's calls
    pages,       //!< the operating system's pages
    plain,       //!< nobody: all leaves at the end, and a receive waits for everything
};

//! \brief What is done with the program's ordinary messages (docs/release.md).
struct Use {
    bool frames = true;    //!< large ones leave in parts
    bool receives = false; //!< receives return before all has come
    bool sends = false;    //!< sends leave from copies

    static inline bool receives_somewhere = false; //!< on some communicator
};

//! \brief What each rank prints in MPI_Init.
enum class Info {
    none,
    decided, //!< what was decided
    links,   //!< and what this job does not need of its links is measured, too
};

//! \brief What the user set, read once from the environment. The members are the rows of settings.def.
struct Settings {
#define SETTING(type, member, initial, ...) type member = initial;
#include "settings/settings.def"

    bool off = false; //!< STRETTO=off

    //! May a thread of ours call the library?
    bool helps() const {
        return !off && (helper > 0 || (helper < 0 && (use.receives || use.sends)));
    }
};

extern Settings settings;

//! What cannot be read is ignored, and a complaint.
void read_settings();

//! Sentences about the environment and what was set, for rank 0 to print. complain() adds one.
const std::vector<std::string> &complaints();
void complain(std::string about);

//! \brief A row of settings.def, for people.
struct SettingRow {
    const char *variable, *usual, *may_be, *page, *meaning;
};
std::span<const SettingRow> setting_rows();

//! Variables of the environment whose names begin as ours do and that nobody reads: a sentence about each.
std::vector<std::string> unknown_variables(const char *const *environment);

//! A number of bytes with an optional K, M or G (powers of 1024): 8192 or 8K. Nothing: it is none.
std::optional<double> bytes_asked(const char *text);

//! What a user set to "off", "chunk", "receive", "send" or "all". Nothing for any other word, which is printed.
std::optional<Use> use_asked(const char *name, const char *word);

//! What a user set to "auto", "annotations", "pages" or "plain". Nothing for any other word, which is printed.
std::optional<Trigger> trigger_asked(const char *name, const char *word);

} // namespace stretto
