#include "timeline.h"

#include <stdio.h>
#include <stdlib.h>

int timeline_on;
long timeline_calls[ANNOTATIONS];

struct Event {
    enum Kind kind;
    double begin, end;
    int peer;
    long bytes;
};
struct Posted {
    const MPI_Request *request;
    int source;
    long bytes;
};
static struct Event *events;
static struct Posted *posted;
static size_t count, room, posted_count, posted_room;
static double last; // when the last event ended: computation goes from there

static void push(struct Event event) {
    if (count == room) events = realloc(events, (room = 2 * room + 1024) * sizeof *events);
    if (!events) abort();
    events[count++] = event;
}

void timeline_start(void) {
    count = posted_count = 0;
    for (int k = 0; k < ANNOTATIONS; k++) timeline_calls[k] = 0;
    last = now();
    timeline_on = 1;
}

void timeline_stop(void) {
    timeline_on = 0;
}

// Calls shorter than this (an annotation that found nothing to do) are part of the computation around them.
#define VISIBLE 2e-6

void timeline_add(enum Kind kind, double begin, double end, int peer, long bytes) {
    if (kind == SEND || kind == RECEIVE) {
        if (peer != MPI_PROC_NULL) push((struct Event){kind, begin, end, peer, bytes});
    } else if (end - begin >= VISIBLE) {
        push((struct Event){kind, begin, end, peer, bytes});
        last = end;
    }
}

void timeline_computed(void) {
    if (!timeline_on) return;
    double t = now();
    if (count && events[count - 1].kind == COMPUTE && events[count - 1].end == last)
        events[count - 1].end = t;
    else
        push((struct Event){COMPUTE, last, t, -1, 0});
    last = t;
}

void timeline_posted(const MPI_Request *request, int source, long bytes) {
    if (posted_count == posted_room) posted = realloc(posted, (posted_room = 2 * posted_room + 256) * sizeof *posted);
    if (!posted) abort();
    posted[posted_count++] = (struct Posted){request, source, bytes};
}

static struct Posted take(const MPI_Request *request) {
    for (size_t k = 0; k < posted_count; k++)
        if (posted[k].request == request) {
            struct Posted found = posted[k];
            posted[k] = posted[--posted_count];
            return found;
        }
    return (struct Posted){0};
}

void timeline_completed(const MPI_Request *request, double when) {
    struct Posted found = take(request);
    if (found.request && found.source != MPI_PROC_NULL)
        push((struct Event){RECEIVE, when, when, found.source, found.bytes});
}

void timeline_forget(const MPI_Request *request) {
    take(request);
}

void timeline_write(const char *folder, const char *kernel, const char *variant) {
    static const char *names[] = {"compute", "call", "wait", "send", "receive"};
    char path[4096];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/%s-%s-%d.json", folder, kernel, variant, rank);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return;
    }
    fprintf(out, "{\"rank\":%d,\"events\":[", rank);
    for (size_t k = 0; k < count; k++) {
        const struct Event *e = events + k;
        fprintf(out, "%s{\"kind\":\"%s\",\"begin\":%.7f,\"end\":%.7f", k ? "," : "", names[e->kind], e->begin, e->end);
        if (e->peer >= 0) fprintf(out, ",\"peer\":%d,\"bytes\":%ld", e->peer, e->bytes);
        fprintf(out, "}");
    }
    fprintf(out, "]}\n");
    fclose(out);
}
