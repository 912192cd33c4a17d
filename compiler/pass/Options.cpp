#include "Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <cstdlib>

using namespace llvm;

namespace stretto::compiler::options {

enum class What { off, send, receive, collective, all };

static cl::opt<std::uint64_t>
    strip_bytes_option("stretto-strip-bytes", cl::init(0),
                       cl::desc("bytes of a message that become ready at a time; 0: the runtime says"));
static cl::opt<What> what_option("stretto-what", cl::init(What::all), cl::desc("which operations start in their loops"),
                                 cl::values(clEnumValN(What::off, "off", "none"),
                                            clEnumValN(What::send, "send", "sends"),
                                            clEnumValN(What::receive, "receive", "receives"),
                                            clEnumValN(What::collective, "collective", "collectives"),
                                            clEnumValN(What::all, "all", "all")));
static cl::opt<bool> check_option("stretto-check", cl::init(false),
                                  cl::desc("keep what left early and compare it at the end of the call"));
static cl::opt<std::string> plan_option("stretto-plan", cl::value_desc("file"),
                                        cl::desc("write what became of each call as YAML"));
static cl::opt<std::string> harmless_option("stretto-harmless", cl::value_desc("name,name"),
                                            cl::desc("functions that do not communicate and use no message"));
static cl::opt<bool> plain_directives_option("stretto-mdmp-plain", cl::init(false),
                                             cl::desc("MDMP's directives are done at their place"));
// Not for users: stretto-fc says it.
static cl::opt<std::string> rewritten_option("stretto-rewritten", cl::Hidden, cl::value_desc("folder"),
                                             cl::desc("where sources are that stretto-fc has rewritten"));

static std::string set(StringRef word) {
    StringRef name = word.ltrim('-').split('=').first, value = word.split('=').second;
    auto &all = cl::getRegisteredOptions();
    auto found = all.find(name);
    if (name.substr(0, 8) != "stretto-" || found == all.end())
        return "STRETTO_PASS_OPTIONS: there is no option " + word.str() +
               "; there are -stretto-strip-bytes=N, -stretto-what=off|send|receive|collective|all, -stretto-check, "
               "-stretto-plan=FILE, -stretto-harmless=NAME,NAME, -stretto-mdmp-plain";
    cl::Option *option = found->second;
    if (option->getNumOccurrences()) return {}; // the command line has said it
    if (option->addOccurrence(0, name, value)) return "STRETTO_PASS_OPTIONS: " + word.str() + " is not understood";
    return {};
}

std::string read_environment() {
    const char *words = std::getenv("STRETTO_PASS_OPTIONS");
    SmallVector<StringRef, 4> all;
    SplitString(words ? words : "", all);
    for (StringRef word : all)
        if (std::string wrong = set(word); !wrong.empty()) return wrong;
    return {};
}

std::uint64_t strip_bytes() {
    return strip_bytes_option;
}

bool wants(Kind kind) {
    return what_option == What::all || what_option == (kind == Kind::send ? What::send : What::receive);
}

bool wants_collectives() {
    return what_option == What::all || what_option == What::collective;
}

std::string what() {
    const char *const names[] = {"off", "send", "receive", "collective", "all"};
    return names[static_cast<int>(what_option.getValue())];
}

bool is_checked() {
    return check_option;
}
bool wants_directives() {
    return !plain_directives_option && (wants(Kind::send) || wants(Kind::receive));
}
std::string plan_file() {
    return plan_option;
}

std::string rewritten_folder() {
    return rewritten_option;
}

bool is_harmless(StringRef function) {
    SmallVector<StringRef, 4> names;
    StringRef(harmless_option).split(names, ',');
    return is_contained(names, function);
}

} // namespace stretto::compiler::options
