#include "trace/source.h"

#include "pages/memory.h"
#include "trace/demangle.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <unistd.h>
#include <unwind.h>

namespace stretto::source {

namespace {

// Of objects.
constinit std::vector<Range> bindings; // MPI's, and this one
Range libc;

bool has(Range object, const void *address) {
    return object.covers(pages::addresses_of(address, 1));
}

// By compilers, of an object's offset.
std::map<std::pair<std::string, std::uint64_t>, Frame> &said() {
    static std::map<std::pair<std::string, std::uint64_t>, Frame> all;
    return all;
}

std::string name_of(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

int look_at(dl_phdr_info *info, std::size_t, void *) {
    const Range object = pages::addresses_of(*info);
    const std::string name = name_of(info->dlpi_name);
    if (name.rfind("libc.so", 0) == 0) libc = object;
    if (name.rfind("libmpi", 0) == 0 || has(object, reinterpret_cast<const void *>(look_at)))
        bindings.push_back(object);
    return 0;
}

bool is_binding(const void *address) {
    return std::any_of(bindings.begin(), bindings.end(), [&](Range object) { return has(object, address); });
}

_Unwind_Reason_Code leave_bindings(_Unwind_Context *context, void *found) {
    const auto *address = reinterpret_cast<const void *>(_Unwind_GetIP(context));
    if (is_binding(address)) return _URC_NO_REASON;
    *static_cast<const void **>(found) = address;
    return _URC_END_OF_STACK;
}

const void *first_outside() {
    const void *found = nullptr;
    _Unwind_Backtrace(leave_bindings, &found);
    return found;
}

const void *before(const void *return_address) {
    return static_cast<const char *>(return_address) - 1;
}

std::string path_of(const link_map &object) {
    if (*object.l_name) return object.l_name;
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : "";
}

// Of a call inside an inline function the line is that of the call of the inline function, where that is ours (MPIX_Delta_send_data): -i.
bool is_line(const char *text) {
    return std::strncmp(text, "??", 2) != 0 && !std::strstr(text, ":?") && !std::strstr(text, "stretto/stretto.h:");
}

// A line, also where a signal comes meanwhile. False at the end.
bool next_line(std::FILE *from, char *text, int most) {
    while (!std::fgets(text, most, from)) {
        if (!std::ferror(from) || errno != EINTR) return false;
        std::clearerr(from);
    }
    return true;
}

// Of an inlined function without a linkage name addr2line says, as its name, that of the function that all of it is in.
void mend_innermost(std::vector<Frame> &frames) {
    if (frames.size() < 2) return;
    Frame &innermost = frames.front(), &outermost = frames.back();
    const std::string name = "::" + shortened_name(demangle(innermost.function));
    if (!name.ends_with("::" + shortened_name(demangle(outermost.function)))) return;
    outermost.function = std::move(innermost.function);
    innermost.function.clear();
}

std::string command(const std::string &object, const std::uint64_t *offsets, std::size_t n) {
    // addr2line must not inherit the preload. Each answer begins with the address (-a), and has a function (-f) before each line.
    std::string command = "env -u LD_PRELOAD addr2line -a -f -i -e '" + object + "'";
    char text[32];
    for (std::size_t k = 0; k < n; k++) {
        std::snprintf(text, sizeof text, " 0x%llx", static_cast<unsigned long long>(offsets[k]));
        command += text;
    }
    return command + " 2>/dev/null";
}

// How many answers came.
std::size_t ask(const std::string &object, const std::uint64_t *offsets, std::size_t n, std::vector<Frame> *found) {
    std::FILE *answer = popen(command(object, offsets, n).c_str(), "r");
    if (!answer) return 0;
    std::size_t answers = 0;
    char text[PATH_MAX + 32], line[PATH_MAX + 32];
    while (answers <= n && next_line(answer, text, sizeof text)) {
        if (std::strncmp(text, "0x", 2) == 0) {
            if (answers < n) found[answers].clear(); // what an earlier try said
            answers++;
            continue;
        }
        if (!next_line(answer, line, sizeof line)) break;
        if (!answers || answers > n || !is_line(line)) continue;
        const std::string function(text, std::strcspn(text, "\n"));
        found[answers - 1].push_back({function == "??" ? "" : function, std::string(line, std::strcspn(line, " \n"))});
    }
    pclose(answer);
    return answers;
}

} // namespace

// A look at no frame fills the table of registers that our copy of libgcc has. Without it an exception that another copy of libgcc raises
// ends the process in a frame of ours.
void let_exceptions_pass() {
    _Unwind_Backtrace([](_Unwind_Context *, void *) { return _URC_END_OF_STACK; }, nullptr);
}

void start() {
    if (bindings.empty()) dl_iterate_phdr(look_at, nullptr);
}

const void *of_the_program(const void *call) {
    if (!is_binding(call)) [[likely]]
        return call;
    const void *outside = first_outside();
    return outside ? outside : call;
}

const void *of_the_program() {
    const void *outside = first_outside();
    return outside ? before(outside) : nullptr;
}

// What copies memory has no frame: its return address is on top of the stack.
const void *of_the_program(const pages::fault::Access &access) {
    return has(libc, access.instruction) && access.top ? before(*access.top) : access.instruction;
}

Place place(const void *instruction) {
    Dl_info info{};
    link_map *object = nullptr;
    if (!instruction || !dladdr1(instruction, &info, reinterpret_cast<void **>(&object), RTLD_DL_LINKMAP) || !object)
        return {};
    return {path_of(*object), reinterpret_cast<std::uintptr_t>(instruction) - object->l_addr,
            info.dli_sname ? info.dli_sname : ""};
}

void known(const void *return_address, Frame frame) {
    const Place its = place(before(return_address));
    said().insert_or_assign({its.object, its.offset}, std::move(frame));
}

std::vector<std::vector<Frame>> frames(const std::string &object, const std::vector<std::uint64_t> &offsets) {
    constexpr std::size_t at_once = 1000; // a command line is long enough for them
    std::vector<std::vector<Frame>> found(offsets.size());
    if (object.empty() || object.find('\'') != std::string::npos) return found;
    for (std::size_t k = 0; k < offsets.size(); k += at_once) {
        // MPICH's launcher tells a rank of another's death by a signal, which ends who answers: then it is asked again.
        const std::size_t n = std::min(at_once, offsets.size() - k);
        for (int tries = 0; tries < 3; tries++)
            if (ask(object, &offsets[k], n, &found[k]) == n) break;
    }
    std::for_each(found.begin(), found.end(), mend_innermost);
    for (std::size_t k = 0; k < offsets.size() && !said().empty(); k++)
        if (const auto frame = said().find({object, offsets[k]}); found[k].empty() && frame != said().end())
            found[k].push_back(frame->second);
    return found;
}

std::string text(const Place &place) {
    if (place.object.empty()) return "unknown call site";
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(place.offset));
    return name_of(place.object) + offset +
           (place.symbol.empty() ? "" : " (" + shortened_name(demangle(place.symbol)) + ")");
}

std::string describe(const Place &place) {
    const std::vector<Frame> found = frames(place.object, {place.offset})[0];
    return found.empty() ? text(place) : found.front().line;
}

} // namespace stretto::source
