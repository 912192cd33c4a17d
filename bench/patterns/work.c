#include "work.h"

#include <errno.h>
#include <string.h>

#include "harness/clock.h"
#include "pattern.h"

enum { STRIP = 4096, ROUNDS_MEASURED = 20000000 };
static const double LEAST_SLEEP = 0.2e-3; // seconds: waking up takes part of a shorter one

struct Work work = {.dilate = 1};
uint64_t checksum;
double worked;

static double pending_rounds, pending_sleep, overshoot;
static volatile double result; // so that rounds are computed

static void spin(long rounds) {
    double value = result;
    for (long k = 0; k < rounds; k++) value = value * 0.999999 + 1e-6;
    result = value;
}

// Ranks that are dilated leave cores idle, so each has the time of one. Others share them.
static double measured_seconds(void) {
    return work.dilate > 1 ? cpu_seconds() : now();
}

double measure_round(void) {
    const double begin = measured_seconds();
    spin(ROUNDS_MEASURED);
    return (measured_seconds() - begin) / ROUNDS_MEASURED;
}

static void rest(void) {
    const double due = now() + pending_sleep - overshoot;
    pending_sleep = 0;
    if (due > now()) {
        const struct timespec until = {(time_t)due, (long)((due - (double)(time_t)due) * 1e9)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
        }
    }
    overshoot = now() - due;
}

void rest_before_timing(void) {
    if (pending_sleep > 0) rest();
}

void compute(size_t bytes) {
    worked += (double)bytes;
    pending_rounds += (double)bytes * work.rounds / work.dilate;
    const long rounds = (long)pending_rounds;
    pending_rounds -= (double)rounds;
    spin(rounds);
    pending_sleep += (double)rounds * work.seconds_of_round * (work.dilate - 1);
    if (pending_sleep >= LEAST_SLEEP) rest();
}

// Neighbouring names have nothing in common (splitmix64).
static uint64_t hash(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint64_t word_at(const char *from, size_t at, size_t bytes) {
    uint64_t word = 0;
    memcpy(&word, from + at, bytes - at < sizeof word ? bytes - at : sizeof word);
    return word;
}

void make_data(void *to, size_t bytes, uint64_t name) {
    const uint64_t first = hash(name), each = hash(first) | 1;
    uint64_t word = first;
    for (size_t at = 0; at < bytes; at += sizeof word, word += each)
        memcpy((char *)to + at, &word, bytes - at < sizeof word ? bytes - at : sizeof word);
}

// A word counts with its place and with the data's name, so that one in another's place shows; messages just add up, in any order.
void use_data(const void *from, size_t bytes, uint64_t name) {
    const uint64_t salt = hash(~name) | 1;
    uint64_t sum = 0;
    for (size_t strip = 0; strip < bytes; strip += STRIP) {
        const size_t end = strip + STRIP < bytes ? strip + STRIP : bytes;
        for (size_t at = strip; at < end; at += sizeof sum) {
            const uint64_t word = word_at(from, at, bytes);
            sum += (word ^ word >> 31) * (2 * at + 1);
        }
        compute(end - strip);
    }
    checksum += sum * salt;
}
