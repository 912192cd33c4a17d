/* What a library needs that stands before an MPI library (compile.py, stand_in): the MPI library's own functions, not libstretto's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct stand_in_search {
    const char *symbol;
    void *found;
};

static int stand_in_look(struct dl_phdr_info *object, size_t size, void *search_) {
    struct stand_in_search *search = search_;
    const char *slash = strrchr(object->dlpi_name, '/');
    Dl_info there, here;
    (void)size;
    if (strncmp(slash ? slash + 1 : object->dlpi_name, "libmpi", 6)) return 0;
    void *handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    void *function = handle ? dlsym(handle, search->symbol) : NULL;
    if (!function || !dladdr(function, &there) || !dladdr((void *)stand_in_look, &here)) return 0;
    if (there.dli_fbase != (void *)object->dlpi_addr || there.dli_fbase == here.dli_fbase) return 0;
    search->found = function;
    return 1;
}

static void *in_the_library(const char *symbol) {
    struct stand_in_search search = {symbol, NULL};
    dl_iterate_phdr(stand_in_look, &search);
    if (!search.found) abort();
    return search.found;
}

/* So that it is taken for the library. */
int PMPI_Init(int *argc, char ***argv) {
    int (*init)(int *, char ***);
    *(void **)&init = in_the_library("PMPI_Init");
    return init(argc, argv);
}
