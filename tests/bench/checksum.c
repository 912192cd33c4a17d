// The checksum of bench/patterns tells one byte, two words that changed places, and data of another name; not the order in which messages came.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patterns/pattern.h"
#include "patterns/work.h"

enum { BYTES = 10000 - 3 }; // two strips and more, the last word not whole

static unsigned char data[BYTES], other[BYTES];

static uint64_t sum_of(const void *bytes, uint64_t name) {
    checksum = 0;
    use_data(bytes, BYTES, name);
    return checksum;
}

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "checksum: %s\n", what);
    exit(1);
}

int main(void) {
    make_data(data, BYTES, 1);
    make_data(other, BYTES, 2);
    const uint64_t right = sum_of(data, 1), others = sum_of(other, 2);
    expect(right == sum_of(data, 1), "the same data has the same sum");
    expect(right != sum_of(data, 2), "data of another name has another sum");
    expect(right != sum_of(other, 1), "other data has another sum");
    for (int at = 0; at < BYTES; at += 1249) {
        data[at] ^= 1;
        expect(right != sum_of(data, 1), "one byte that differs shows");
        data[at] ^= 1;
    }
    memmove(other, data, BYTES);
    memcpy(other, data + 8, 8);
    memcpy(other + 8, data, 8);
    expect(right != sum_of(other, 1), "words that changed places show");
    make_data(other, BYTES, 2);
    checksum = 0;
    use_data(other, BYTES, 2);
    use_data(data, BYTES, 1);
    expect(checksum == right + others, "messages may come in any order");
    return 0;
}
