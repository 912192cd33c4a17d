/// stretto_pass.so: what `-fpass-plugin=` names. It asks which LLVM has loaded it and then loads stretto_compiler.so, which lies beside
/// it. It needs no symbol of LLVM: a plugin that does cannot be loaded by another LLVM, and the user would see a mangled name and no more.
#include "Compat.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

/// The major version of the LLVM in this process; 0: it does not tell.
unsigned running_llvm() {
    using GetVersion = void (*)(unsigned *major, unsigned *minor, unsigned *patch);
    auto get_version = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
    unsigned major = 0, minor = 0, patch = 0;
    if (get_version) get_version(&major, &minor, &patch);
    return major;
}

std::string folder_of_this_file() {
    Dl_info info = {};
    static const char here = 0;
    if (!dladdr(&here, &info) || !info.dli_fname) return ".";
    std::string path = info.dli_fname;
    std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

[[noreturn]] void give_up(const std::string &why) {
    std::fprintf(stderr, "stretto: error: %s\n", why.c_str());
    std::exit(1);
}

using Entry = llvm::PassPluginLibraryInfo (*)();

Entry load() {
    unsigned running = running_llvm();
    std::string built = std::to_string(STRETTO_LLVM_VERSION), folder = folder_of_this_file();
    if (running && running != STRETTO_LLVM_VERSION) {
        std::string is = std::to_string(running);
        give_up("this compiler is LLVM " + is + ", and " + folder + "/stretto_pass.so is for LLVM " + built +
                ": compile by stretto-cc, which takes the right one, by clang-" + built + ", or name llvm-" + is +
                "/stretto_pass.so (cmake -DSTRETTO_LLVM=" + is + " builds it)");
    }
    std::string path = folder + "/stretto_compiler.so";
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) give_up("this compiler cannot load the plugin for LLVM " + built + ": " + dlerror());
    auto entry = reinterpret_cast<Entry>(dlsym(library, "stretto_compiler_info"));
    if (!entry) give_up(path + " does not belong to " + folder + "/stretto_pass.so: build both again");
    return entry;
}

// When it is loaded: with `-Xclang -load` the options of the pass are to be there before the command line is read.
const Entry entry = load();

} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return entry();
}
