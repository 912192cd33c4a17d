#include "trace/failure.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

namespace stretto {

namespace {

int our_rank = -1;
void (*end_job)() = nullptr;

// addr2line is asked only when the job is about to end, so its cost does not matter. It must not inherit the preload: env -u.
// Of a call inside an inline function of ours (MPIX_Delta_send_data) the line is that of the call of the inline function: -i.
std::string source_line(const char *object, std::uintptr_t offset) {
    char command[4608], line[1024] = "";
    std::snprintf(command, sizeof command, "env -u LD_PRELOAD addr2line -i -e '%s' 0x%zx 2>/dev/null", object,
                  static_cast<std::size_t>(offset));
    std::string found;
    if (std::FILE *pipe = popen(command, "r")) {
        while (std::fgets(line, sizeof line, pipe))
            if (found.empty() && std::strncmp(line, "??", 2) != 0 && !std::strstr(line, "stretto/stretto.h:"))
                found = line;
        pclose(pipe);
    }
    return found.substr(0, found.find_first_of(" \n"));
}

// The call that the program is in: the first return address that is not in this library.
CallSite current_call() {
    void *frames[64];
    const int n = backtrace(frames, 64);
    Dl_info ours{}, there{};
    dladdr(reinterpret_cast<void *>(current_call), &ours);
    for (int k = 0; k < n; k++)
        if (dladdr(frames[k], &there) && there.dli_fbase != ours.dli_fbase) return frames[k];
    return nullptr;
}

} // namespace

std::string describe(CallSite site) {
    if (!site) return "unknown call site";
    // A return address is one instruction past the call.
    const char *call = static_cast<const char *>(site) - 1;
    Dl_info info{};
    if (!dladdr(call, &info) || !info.dli_fname) return "unknown call site";
    // A program that is not position independent is linked at its own addresses.
    const auto offset = static_cast<std::uintptr_t>(call - static_cast<const char *>(info.dli_fbase));
    std::string line = source_line(info.dli_fname, offset);
    if (line.empty()) line = source_line(info.dli_fname, reinterpret_cast<std::uintptr_t>(call));
    if (!line.empty()) return line;
    const char *name = std::strrchr(info.dli_fname, '/');
    char text[512];
    std::snprintf(text, sizeof text, "%s+0x%zx%s%s%s", name ? name + 1 : info.dli_fname,
                  static_cast<std::size_t>(offset), info.dli_sname ? " (" : "", info.dli_sname ? info.dli_sname : "",
                  info.dli_sname ? ")" : "");
    return text;
}

void on_failure(int rank, void (*how)()) {
    our_rank = rank;
    end_job = how;
}

void fail(const char *operation, const std::string &text, CallSite begun) {
    failing = true;
    const CallSite call = current_call();
    const std::string origin = begun && begun != call ? "; begun at " + describe(begun) : "";
    std::fprintf(stderr, "stretto: rank %d: %s: %s (%s%s)\n", our_rank, operation, text.c_str(), describe(call).c_str(),
                 origin.c_str());
    std::fflush(stderr);
    // MPICH's launcher drops what it has not passed on yet when it hears of an abort.
    usleep(100000);
    if (end_job) end_job();
    std::_Exit(1);
}

std::string bytes(std::size_t begin, std::size_t end) {
    return "bytes " + std::to_string(begin) + ".." + std::to_string(end ? end - 1 : 0);
}

} // namespace stretto
