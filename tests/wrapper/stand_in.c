// Stands in for the plugin: says with which options clang or flang has loaded it, and does nothing.
// Its one symbol is what LLVM looks for (llvm/Passes/PassPlugin.h); API is LLVM_PLUGIN_API_VERSION.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct PassPluginLibraryInfo {
    uint32_t api;
    const char *name, *version;
    void (*register_callbacks)(void *builder);
    void *before_code_generation; // of API 2
};

static void say_options(void *builder) {
    const char *options = getenv("STRETTO_PASS_OPTIONS");
    fprintf(stderr, "plugin: %s\n", options ? options : "no options");
}

struct PassPluginLibraryInfo llvmGetPassPluginInfo(void) {
    struct PassPluginLibraryInfo info = {API, "stand-in", "1", say_options, NULL};
    return info;
}
