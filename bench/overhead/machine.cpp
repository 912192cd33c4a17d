// machine: what the tables of Bao et al. 2012 (I) and Ke et al. 2005 (2) ask of a machine, in microseconds, as one line of JSON. No MPI.
//
//   computed_page_us   sin(i) * sin(i) + cos(i) * cos(i) for each integer of a page
//   minor_fault_us     the first write to a page: the kernel finds one
//   protected_us       by mechanism and bytes: pages that are there are closed and opened again, as for one message
//                      (null: the mechanism is refused)
#include "harness/clock.h"
#include "harness/work.h"
#include "pages/memory.h"
#include "pages/userfault.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>

double rounds_per_element = 1;

namespace {

using namespace stretto::pages;
using stretto::Range;

constexpr int samples = 201;
constexpr std::size_t message_bytes[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10}, most = message_bytes[3];

template <typename Work>
double median_microseconds(Work work) {
    double seconds[samples];
    for (double &sample : seconds) {
        const double begin = now();
        work();
        sample = now() - begin;
    }
    std::nth_element(seconds, seconds + samples / 2, seconds + samples);
    return seconds[samples / 2] * 1e6;
}

volatile double result;

void compute_page() {
    double sum = 0;
    for (std::size_t i = 0; i < page_bytes() / sizeof(int); i++) sum += element(static_cast<long>(i));
    result = sum;
}

char *fresh(std::size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return static_cast<char *>(memory);
}

void by_mprotect(Range pages) {
    if (!protect(pages, PROT_NONE) || !protect(pages, PROT_READ | PROT_WRITE)) std::abort();
}

void by_userfault(Range pages) {
    if (!userfault::watch_writes(pages)) std::abort();
    userfault::populate(pages);
    if (!userfault::write_protect(pages, true) || !userfault::write_protect(pages, false)) std::abort();
    userfault::forget(pages);
}

std::string protection(void (*close_and_open)(Range)) {
    char *memory = static_cast<char *>(std::memset(fresh(most), 1, most));
    std::string made;
    for (const std::size_t bytes : message_bytes) {
        const double cost = median_microseconds([&] { close_and_open(addresses_of(memory, bytes)); });
        made += (made.empty() ? "{\"" : ",\"") + std::to_string(bytes) + "\":" + std::to_string(cost);
    }
    munmap(memory, most);
    return made + "}";
}

} // namespace

int main() {
    const double computed = median_microseconds(compute_page);
    char *page = fresh(samples * page_bytes());
    const double fault = median_microseconds([&] { *static_cast<volatile char *>(page) = 1, page += page_bytes(); });
    const std::string userfault = userfault::open().empty() ? protection(by_userfault) : "null";
    std::printf(
        "{\"computed_page_us\":%.4g,\"minor_fault_us\":%.3g,\"protected_us\":{\"userfault\":%s,\"mprotect\":%s}}\n",
        computed, fault, userfault.c_str(), protection(by_mprotect).c_str());
    return 0;
}
