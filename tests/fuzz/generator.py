"""Random communication programs that plain MPI cannot deadlock and whose outcome it determines.

A program is a list of items: messages, exchanges, collectives. Each operation of an item has a time. All ranks do their operations in the
order of time, and an operation blocks only on operations that are not later: so some operation can always go on (the earliest).
What a receive matches is determined by MPI's order (MPI 4.1, 3.5): it is simulated here, and a tag or a wildcard is given up where a
receive would get another message than its own.

    items = plan(seed, ranks)         what may be left out item by item, to make a failing program smaller
    lines = write(items, number, ranks)      the lines that interpreter.c reads
"""

import dataclasses
import itertools
import random

WORLD, TWIN, BACKWARDS, INTER, SELF, FRESH = range(6)
BYTES, INTS, DOUBLES, PAIRS, MIXED = range(5)
PLAIN, STRIDED, IRREGULAR, ONE_TYPE = range(4)
ELEMENT = (1, 4, 8, 12, 9)
ANY, NOBODY = -1, -2

(
    SEND,
    SSEND,
    BSEND,
    RSEND,
    SENDRECV_HALF,
    ISEND,
    ISSEND,
    IBSEND,
    IRSEND,
    SEND_INIT,
    SSEND_INIT,
    BSEND_INIT,
    RSEND_INIT,
) = range(13)
DELTA = 13
(
    RECV,
    IRECV,
    RECV_INIT,
    MPROBE_MRECV,
    MPROBE_IMRECV,
    IMPROBE_MRECV,
    RECV_HALF,
    PROBE_RECV,
    DELTA_RECV,
    DELTA_RECV_END,
) = range(10)
WAIT, TEST, WAITALL, WAITANY, WAITSOME, TESTALL, TESTANY, TESTSOME, GET_STATUS, DELTA_WAIT = range(10)

BLOCKING_SENDS = (SEND, SEND, SEND, SSEND, SENDRECV_HALF)
LOCAL_SENDS = (
    ISEND,
    ISEND,
    ISEND,
    ISSEND,
    IBSEND,
    BSEND,
    SEND_INIT,
    SEND_INIT,
    SSEND_INIT,
    BSEND_INIT,
    DELTA,
    DELTA,
    DELTA,
)
READY_SENDS = (RSEND, IRSEND, RSEND_INIT)
POSTED_RECEIVES = (IRECV, IRECV, IRECV, RECV_INIT)
BLOCKING_RECEIVES = (
    RECV,
    RECV,
    MPROBE_MRECV,
    MPROBE_IMRECV,
    IMPROBE_MRECV,
    RECV_HALF,
    PROBE_RECV,
    PROBE_RECV,
    DELTA_RECV,
    DELTA_RECV,
    DELTA_RECV_END,
)
REQUESTS_OF_SENDS = (ISEND, ISSEND, IBSEND, IRSEND, SEND_INIT, SSEND_INIT, BSEND_INIT, RSEND_INIT, DELTA)
REQUESTS_OF_RECEIVES = (IRECV, RECV_INIT, MPROBE_IMRECV)

# As interpreter.c numbers them.
COLLECTIVES = range(1, 23)
NON_BLOCKING, PERSISTENT, BLOCKING, FED = range(4)
OF_NEIGHBORS = (10, 11, 14, 15, 16)
REDUCE = 17
MAY_BE_FED = (*range(2, 10), 12, *range(17, 23))
# Without allgather and alltoall, of which MPICH 5.0.2 by itself does not come through some programs.
BETWEEN_GROUPS = (1, 2, 3, 4, 5, 6, 8, 12, 13)
MAY_BE_IN_PLACE = (3, 4, 5, 6, 7, 8, 9, 17, 18, 21)

# Both sides of: the header, short and long first fragments, eager limits of shared memory and TCP, the usual threshold.
SIZES = (0, 1, 32, 95, 96, 97, 500, 3800, 4000, 4031, 4032, 4033, 4064, 4095, 4096, 4097, 5760, 8192, 12000, 16383, 16384, 16385,
         20000, 40000, 65535, 65536, 65537, 70000, 100000, 131072, 300000)  # fmt: skip
LATE = 15, 4  # the interpreter is late where a number divides by one, and asks for a status where by the other
EAGER = 3900  # smaller messages are buffered by every library: programs rely on it


@dataclasses.dataclass
class Message:
    id: int
    comm: int
    source: int
    target: int
    tag: int
    signature: int = BYTES
    n: int = 0
    send: int = SEND
    receive: int = RECV
    layouts: tuple = (PLAIN, PLAIN)
    sent: float = 0.0  # when its send is called (a delta send's end)
    posted: float = 0.0  # when its receive is
    begun: float = 0.0  # delta send: its begin
    pieces: tuple = ()  # delta send: (time, begin, end) in elements
    maximum: int = 0  # delta send: elements at its begin
    capacity: int = 0  # of the receive, in elements
    truncated: bool = False
    forged: bool = False
    any_tag: bool = False
    any_source: bool = False
    freed: bool = False  # the send's request
    cancelled_at: float = 0.0  # a cancel of the receive that comes after its match
    probed_at: float = 0.0
    delays: tuple = (0.0, 0.0)  # of the completions of send and receive
    choice: int = 0  # what is left to chance when it is written
    alone: bool = False  # completed by MPI_Wait or MPI_Test only, and no other with it
    silent: bool = False  # matched by an operation that is not a receive of its own: only its place counts

    @property
    def bytes(self):
        return self.n * ELEMENT[self.signature]

    @property
    def variable(self):
        return self.send == DELTA and self.maximum != self.n

    @property
    def first(self):
        return self.begun if self.send == DELTA else self.sent


@dataclasses.dataclass
class Lines:
    """Operations that are written as they are: (time, rank, text), and the messages that they make."""

    operations: list
    messages: list = dataclasses.field(default_factory=list)
    requests: list = dataclasses.field(default_factory=list)  # (time, rank, message) of requests in the ranks' {slot}


@dataclasses.dataclass
class Life:
    """A communicator that is made and freed, and what is sent on it."""

    comm: int
    made: float
    freed: float
    disconnect: bool
    messages: list


class Planner:
    def __init__(self, seed, ranks, thread, threads, collectives=False):
        self.random = random.Random(f"{seed}.{ranks}.{thread}")
        self.ranks = ranks
        self.thread = thread
        self.threads = threads
        self.collectives = collectives
        self.ids = itertools.count(1000 * thread + 1)
        self.tags = itertools.count(100)
        self.time = 0.0
        self.comms = itertools.count(FRESH)

    def later(self):
        self.time += 10
        return self.time + self.random.random()

    def jitter(self, most):
        return self.random.random() * most * 10

    def pair(self, comm):
        """Who sends to whom on this communicator."""
        r = self.random
        if comm == SELF:
            rank = r.randrange(self.ranks)
            return rank, rank
        if comm == INTER:
            far = (self.ranks + 1) // 2
            ends = (r.randrange(far), r.randrange(far, self.ranks))
            return ends if r.random() < 0.5 else ends[::-1]
        source, target = r.randrange(self.ranks), r.randrange(self.ranks)
        if source == target and r.random() < 0.8:
            target = (source + 1) % self.ranks
        return source, target

    def any_comm(self):
        return self.random.choice((WORLD, WORLD, WORLD, TWIN, BACKWARDS, INTER, SELF))

    def new(self, comm, source, target, **more):
        r = self.random
        signature = r.choice((BYTES, BYTES, BYTES, BYTES, INTS, INTS, DOUBLES, DOUBLES, PAIRS, MIXED))
        n = r.choice(SIZES) // ELEMENT[signature]
        if r.random() < 0.15:
            n = r.randrange(1 + 20000 // ELEMENT[signature])
        one = Message(
            next(self.ids), comm, source, target, r.randrange(3), signature, n, choice=r.getrandbits(30), **more
        )
        one.layouts = tuple(self.layout(one) for _ in range(2))
        if r.random() < 0.08:
            one.signature, one.n, one.forged = BYTES, r.choice((96, 4032)), True
        one.any_tag, one.any_source = r.random() < 0.3, r.random() < 0.3
        one.capacity = one.n if r.random() < 0.5 else one.n + r.choice((1, 10, 1000, 70000 // ELEMENT[one.signature]))
        one.delays = (self.jitter(5), self.jitter(5))
        return one

    def layout(self, one):
        r = self.random
        if r.random() < 0.6:
            return PLAIN
        return r.choice((STRIDED, ONE_TYPE, IRREGULAR if one.bytes <= 70000 else STRIDED))

    def message(self, comm=None, span=None):
        """One message, in one of the ways that cannot deadlock. span: the times it must keep to."""
        r = self.random
        comm = self.any_comm() if comm is None else comm
        source, target = self.pair(comm)
        one = self.new(comm, source, target)
        t = self.later() if span is None else span[0] + r.random() * (span[1] - span[0]) * 0.5
        room = 6.0 if span is None else (span[1] - t) / 10 * 0.8
        way = r.choice(("meet", "early", "early", "late", "late", "late"))
        if source == target and way == "meet":
            way = "late"
        if way == "meet":
            one.send, one.receive = r.choice(BLOCKING_SENDS), r.choice(BLOCKING_RECEIVES)
            one.sent = one.posted = t
        elif way == "early":
            one.send, one.receive = r.choice(BLOCKING_SENDS + LOCAL_SENDS), r.choice(POSTED_RECEIVES)
            one.posted = t
            one.sent = t + 0.1 + self.jitter(room)
        else:
            one.send, one.receive = r.choice(LOCAL_SENDS), r.choice(BLOCKING_RECEIVES + POSTED_RECEIVES)
            one.sent = t
            one.posted = t + 0.1 + self.jitter(room)
            if one.bytes <= EAGER and source != target and r.random() < 0.4:
                one.send = r.choice((SEND, SENDRECV_HALF))
        if one.send == DELTA:
            self.make_delta(one, span)
        # MPICH 4.0.2 itself loses a message to oneself whose request was freed.
        one.freed = source != target and one.send in (ISEND, ISSEND, SEND_INIT, DELTA) and r.random() < 0.08
        if (
            r.random() < 0.05
            and one.n > 1
            and comm < FRESH
            and one.receive in (RECV, IRECV, MPROBE_MRECV, PROBE_RECV, DELTA_RECV_END)
        ):
            one.truncated = True
            one.layouts = (one.layouts[0], PLAIN)
            one.capacity = r.randrange(one.n)
        elif r.random() < 0.2 and one.posted > one.sent:
            one.probed_at = one.sent + (one.posted - one.sent) * r.random()
        return one

    def make_delta(self, one, span):
        r = self.random
        one.maximum = one.n
        if r.random() < 0.35:
            one.maximum += r.choice((1, 100, 70000 // ELEMENT[one.signature]))
            one.layouts = (PLAIN, one.layouts[1])
        one.capacity = max(one.capacity, one.maximum)  # which is the message's size for truncation
        one.begun = max(one.sent - 0.01 - (self.jitter(4) if r.random() < 0.6 else 0), (span or (0.0,))[0] + 0.001)
        if one.layouts[0] != PLAIN or one.signature >= PAIRS or r.random() < 0.15:
            return
        pieces = r.choice((1, 2, 3, 5, 10, 30))
        cuts = sorted({0, one.n, *(r.randrange(one.n + 1) for _ in range(pieces))})
        ranges = list(itertools.pairwise(cuts))
        if r.random() < 0.3 and ranges:
            ranges = ranges[: max(1, len(ranges) // 2)]  # the rest is declared by the end
        if r.random() < 0.6:
            r.shuffle(ranges)
        if len(ranges) < 4 and r.random() < 0.3:
            ranges = ranges[1:]
        times = sorted(one.begun + (one.sent - one.begun) * (0.05 + 0.9 * r.random()) for _ in ranges)
        one.pieces = tuple((t, a, b) for t, (a, b) in zip(times, ranges, strict=True))

    def ready(self):
        """A ready send, after a word that its receive is posted."""
        comm = self.random.choice((WORLD, TWIN, BACKWARDS, INTER))
        source, target = self.pair(comm)
        if source == target:
            return self.message()
        one = self.new(
            comm, source, target, send=self.random.choice(READY_SENDS), receive=self.random.choice(POSTED_RECEIVES)
        )
        t = self.later()
        word = Message(next(self.ids), comm, target, source, next(self.tags), sent=t + 0.1, posted=t + 0.1)
        one.posted, one.sent = t, t + 0.2
        return [one, word]

    def cancel_too_late(self):
        """A receive that is cancelled after its match: a later message of the same sender has come."""
        r = self.random
        comm = r.choice((WORLD, TWIN, BACKWARDS, INTER))
        source, target = self.pair(comm)
        if source == target:
            return self.message()
        one = self.new(comm, source, target, send=r.choice((ISEND, ISSEND, SEND_INIT)), receive=IRECV)
        one.tag, one.any_tag = next(self.tags), False
        t = self.later()
        word = Message(next(self.ids), comm, source, target, next(self.tags), sent=t + 0.2, posted=t + 0.2)
        one.posted, one.sent, one.cancelled_at = t, t + 0.1, t + 0.3
        one.delays = (1.0 + one.delays[0], 1.0 + one.delays[1])
        return [one, word]

    def cancelled(self):
        comm, rank = self.random.choice((WORLD, TWIN, BACKWARDS)), self.random.randrange(self.ranks)
        source = self.random.choice((ANY, (rank + 1) % self.ranks))
        return Lines(
            [
                (
                    self.later(),
                    rank,
                    f"cancelled {next(self.ids)} {comm} {next(self.tags)} {source} {self.random.choice(SIZES)}",
                )
            ]
        )

    def exchange(self):
        """A ring of Sendrecvs."""
        r = self.random
        comm, kind, tag, t = (
            r.choice((WORLD, TWIN, BACKWARDS)),
            r.choice((0, 0, 1, 1, 2, 3)),
            next(self.tags),
            self.later(),
        )
        ring = r.sample(range(self.ranks), r.randint(2, self.ranks))
        size = r.choice(SIZES)
        sizes = [size if kind in (1, 3) else r.choice(SIZES) for _ in ring]
        ids = [next(self.ids) for _ in ring]
        item = Lines([])
        for i, rank in enumerate(ring):
            last, to = (i - 1) % len(ring), ring[(i + 1) % len(ring)]
            source = ANY if r.random() < 0.2 else ring[last]
            capacity = sizes[last] if kind in (1, 3) else sizes[last] + r.choice((0, 1, 1000))
            item.operations.append((t, rank, f"exchange {ids[i]} {kind} {comm} {to} {tag} {sizes[i]} {source} {tag} {capacity} "
                                             f"{{slot}} {ids[last]} {sizes[last]}"))  # fmt: skip
            item.messages.append(Message(ids[i], comm, rank, to, tag, sent=t, posted=t, silent=True))
        return item

    def rounds(self):
        r = self.random
        comm = r.choice((WORLD, TWIN, BACKWARDS, INTER))
        source, target = self.pair(comm)
        if source == target:
            return self.message()
        one, t, tag, rounds = self.new(comm, source, target), self.later(), next(self.tags), r.randint(2, 3)
        for _ in range(2 * rounds):
            next(self.ids)
        operations = [
            (t, source, f"rounds {one.id} 1 {r.randrange(2)} {comm} {target} {tag} {one.signature} {one.layouts[0]} {one.n} {{slot}} {rounds}"),
            (t, target, f"rounds {one.id + 1} 0 0 {comm} {source} {tag} {one.signature} {one.layouts[1]} {one.n} {{slot}} {rounds}"),
        ]  # fmt: skip
        return Lines(
            operations,
            [Message(one.id, comm, source, target, tag, sent=t, posted=t, silent=True) for _ in range(rounds)],
        )

    def partitioned(self):
        """A partitioned message, started several times: each side has partitions of its own, which leave in any order, and may be asked for."""
        r = self.random
        comm = r.choice((WORLD, TWIN, BACKWARDS))
        source, target = self.pair(comm)
        if source == target:
            return self.message()
        t, ident, rounds, signature = self.later(), next(self.ids), r.randint(1, 3), r.randrange(5)
        for _ in range(rounds):
            next(self.ids)
        parts, wanted = r.choice((1, 2, 3, 8, 16)), r.choice((1, 2, 4, 6, 16))
        unit = r.choice(SIZES) // ELEMENT[signature] // (parts * wanted)
        more = r.choice((0, 0, 0, 1))  # a receive may be larger
        tag, item = r.randrange(3), Lines([])
        for rank, sends, peer, n, each in (
            (source, 1, target, parts, unit * wanted),
            (target, 0, source, wanted + more, unit * parts),
        ):
            layout = r.choice((PLAIN, PLAIN, STRIDED, ONE_TYPE))
            item.operations.append(
                (t, rank, f"part_init {ident} {sends} {comm} {peer} {tag} {signature} {layout} {n} {each} {{slot}}")
            )
        sent = posted = t + 0.1
        for k in range(rounds):
            sent, posted = sent + self.jitter(1), posted + self.jitter(1)
            item.operations.append((sent, source, f"part_start {ident} {{same}} {k}"))
            item.operations.append((posted, target, f"part_start {ident} {{same}} {k}"))
            cuts = sorted({0, parts, *(r.randrange(parts) for _ in range(r.choice((0, 1, 4))))})
            ranges = list(itertools.pairwise(cuts))
            r.shuffle(ranges)
            marked = sorted(sent + self.jitter(r.choice((0.1, 3))) for _ in ranges)
            item.operations += [
                (time, source, f"part_ready {ident} {{same}} {a} {b}")
                for time, (a, b) in zip(marked, ranges, strict=True)
            ]
            here = max(marked[-1], posted)
            for _ in range(r.choice((0, 0, 3))):
                time = posted + (here - posted) * r.random()
                item.operations.append(
                    (time, target, f"part_look {ident} {{same}} {r.randrange(wanted)} {parts * unit * wanted}")
                )
            if r.random() < 0.3:
                here += 0.01
                item.operations.append((here, target, f"part_await {ident} {{same}} {wanted} {parts * unit * wanted}"))
            sent, posted = here + 0.01 + self.jitter(2), here + 0.01 + self.jitter(2)
            if k < rounds - 1:
                item.operations.append((sent, source, f"part_wait {ident} {{same}}"))
                item.operations.append((posted, target, f"part_wait {ident} {{same}}"))
            else:
                for time, rank in ((sent, source), (posted, target)):
                    item.requests.append(
                        (time, rank, Message(ident, comm, source, target, tag, silent=True, choice=r.getrandbits(30)))
                    )
        return item

    def gather(self):
        """One rank receives from any source; each sender's own order must hold."""
        r = self.random
        comm, target, tag, t = (
            r.choice((WORLD, TWIN, BACKWARDS)),
            r.randrange(self.ranks),
            next(self.tags),
            self.later(),
        )
        item = Lines([])
        total, most = 0, 0
        for source in range(self.ranks):
            for _ in range(r.randint(0, 4) if source != target else 0):
                size = r.choice(SIZES)
                kind = r.choice((*BLOCKING_SENDS, ISEND, ISEND, BSEND, SEND_INIT))
                ident = next(self.ids)
                item.operations.append(
                    (t, source, f"send {ident} {kind} {comm} {target} {tag} {BYTES} {PLAIN} {size} {{slot}} 0")
                )
                if kind in REQUESTS_OF_SENDS:
                    item.operations.append(
                        (t + 20, source, f"complete {next(self.ids)} {r.choice((WAIT, TEST, WAITANY))} 1 {{same}}")
                    )
                item.messages.append(Message(ident, comm, source, target, tag, sent=t, posted=t, silent=True))
                total, most = total + 1, max(most, size)
        if not total:
            return self.message()
        kind = r.randrange(5)
        item.operations.append(
            (t, target, f"gather {next(self.ids)} {kind} {comm} {tag} {total} {most + r.choice((0, 100))} {{slot}}")
        )
        return item

    def together(self):
        r = self.random
        kinds = (0, 1, 2, 4) if self.threads > 1 else (0, 1, 2, 3, 3, 4, 5, 6, 7)
        kind, comm, t, ident = r.choice(kinds), r.choice((WORLD, TWIN, BACKWARDS)), self.later(), next(self.ids)
        size = r.choice((1, 1000, 4032, 50000)) if kind == 1 else r.choice((1, 96, 4032, 20000))
        root = r.randrange(self.ranks)
        return Lines([(t, rank, f"together {ident} {kind} {comm} {size} {root}") for rank in range(self.ranks)])

    def collective(self):
        """A collective: what is not blocking is completed when each rank likes, and all results are looked at then."""
        r = self.random
        kind, comm, t, ident = r.choice(COLLECTIVES), r.choice((WORLD, TWIN, BACKWARDS)), self.later(), next(self.ids)
        if kind in OF_NEIGHBORS:
            comm = TWIN
        elif kind in BETWEEN_GROUPS and r.random() < 0.25:
            comm = INTER
        reduces = kind >= REDUCE
        signature = r.choice((INTS, INTS, DOUBLES)) if reduces else r.randrange(5)
        n = r.choice(SIZES[:-6]) // ELEMENT[signature]
        layouts = [r.choice((PLAIN, PLAIN, STRIDED, IRREGULAR, ONE_TYPE)) for _ in range(2)]
        in_place = int(r.random() < 0.2 and kind in MAY_BE_IN_PLACE and comm != INTER)
        item = Lines([])
        text = f"{kind} {comm} {signature} {layouts[0]} {layouts[1]} {n} {r.randrange(self.ranks)} {in_place}"
        # A delta collective may add up in another order (docs/api.md).
        may_be_fed = kind in MAY_BE_FED and not (reduces and signature == DOUBLES)
        form = r.choice((NON_BLOCKING, NON_BLOCKING, PERSISTENT, BLOCKING, FED if may_be_fed else BLOCKING))
        text += f" {r.randrange(4)} {'{persistent}' if form == PERSISTENT else form}"
        for rank in range(self.ranks):
            item.operations.append((t, rank, f"collective {ident} {text} {{slot}}"))
            one = Message(ident, comm, rank, rank, 0, silent=True, choice=r.getrandbits(30))
            # The other calls of MPICH 4.0 and 5.0 by themselves hang, or end with an error, at persistent collectives.
            one.alone = form != NON_BLOCKING
            item.requests.append((t + 0.1 + self.jitter(6), rank, one))
        return item

    def life(self):
        """A communicator made, used and freed, its messages perhaps still on their way."""
        r = self.random
        comm, made = next(self.comms), self.later()
        if comm > FRESH + 9 or self.threads > 1:
            return self.message()
        freed = made + 60
        messages = [
            self.message(r.choice((comm, comm, WORLD)), (made + 0.1, freed - 0.1)) for _ in range(r.randint(1, 4))
        ]
        self.time += 60
        # MPICH 5.0.2's MPI_Comm_disconnect itself hangs after a buffered send.
        buffered = any(one.send in (BSEND, IBSEND, BSEND_INIT) for one in messages)
        return Life(comm, made, freed, r.random() < 0.3 and not buffered, messages)

    def hoard(self):
        """So many large messages unmatched at once that tags and windows run out."""
        r = self.random
        source, target = self.pair(WORLD)
        t, items = self.later(), []
        for k in range(r.randint(4, 9)):
            one = self.new(WORLD, source, target, send=ISEND, receive=r.choice((RECV, IRECV, PROBE_RECV)))
            one.signature, one.n, one.layouts, one.forged, one.capacity = BYTES, 290000, (PLAIN, PLAIN), False, 290000
            one.sent, one.posted = t + 0.01 * k, t + 5 + 0.01 * r.random()
            items.append(one)
        return items

    def expected(self):
        """A large message from a known rank that is late (STRETTO_FUZZ_IGNORE), and what its receiver sends next."""
        r = self.random
        comm = r.choice((WORLD, TWIN, BACKWARDS))
        source, target = self.pair(comm)
        if source == target:
            return self.message()
        t = self.later()
        one = self.new(
            comm, source, target, send=r.choice((SEND, ISEND, SENDRECV_HALF)), receive=r.choice((RECV, RECV_HALF))
        )
        one.signature, one.forged, one.any_tag, one.any_source = r.choice((BYTES, INTS, DOUBLES)), False, False, False
        one.n = r.choice((40000, 131072, 150000, 200000, 300000)) // ELEMENT[one.signature]
        one.layouts = (one.layouts[0], PLAIN)
        one.capacity = one.n + r.choice((0, 0, 1, 1000))
        while one.id % LATE[0] or one.id % LATE[1] == 0:
            one.id = next(self.ids)
        answer = self.new(comm, target, source, send=r.choice((SEND, ISEND, SEND_INIT, SENDRECV_HALF)), receive=IRECV)
        answer.posted, answer.sent = t, t + 0.2
        one.sent = one.posted = t + 0.1
        return [one, answer]

    def plan(self):
        r = self.random
        kinds = [self.message] * 14 + [
            self.ready,
            self.cancel_too_late,
            self.cancelled,
            self.exchange,
            self.exchange,
            self.rounds,
            self.expected,
            self.expected,
        ]
        kinds += [
            self.partitioned,
            self.partitioned,
            self.gather,
            self.gather,
            self.together,
            self.together,
            self.together,
            self.life,
        ]
        if self.collectives:
            kinds += [self.collective] * len(kinds)
        items = []
        for _ in range(r.randint(4, 22) if self.threads == 1 else r.randint(3, 8)):
            made = r.choice(kinds)()
            items.append(made)
        if r.random() < 0.06:
            items.append(self.hoard())
        return items


def plan(seed, ranks, collectives=False):
    """The items of a program: (thread, item). Some programs have threads (then each has items of its own)."""
    threads = random.Random(f"threads {seed}").choice((2, 3)) if is_threaded(seed) else 1
    return [
        (thread, item)
        for thread in range(threads)
        for item in Planner(seed, ranks, thread, threads, collectives).plan()
    ]


def is_threaded(seed):
    return random.Random(f"threaded {seed}").random() < 0.15


def is_fortran(seed):
    return random.Random(f"fortran {seed}").random() < 1 / 3


def settle_matches(messages):
    """Give up wildcards and shared tags until every receive gets its own message."""
    fresh = itertools.count(5000)
    streams = {}
    for one in messages:
        streams.setdefault((one.comm, one.source, one.target), []).append(one)
    for stream in streams.values():
        stream.sort(key=lambda one: (one.sent, one.id))
        # A delta send may take its place at its begin (with Stretto) or at its end (without).
        for one in stream:
            if one.send == DELTA and any(
                one.begun <= two.sent and two.first <= one.sent for two in stream if two is not one
            ):
                one.tag = next(fresh)
                for two in stream:
                    two.any_tag = False
        while wrong := _wrong(stream):
            if wrong.any_tag:
                wrong.any_tag = False
            elif wrong.silent:
                # its tag is its own: some other receive that takes any tag took it
                for two in stream:
                    two.any_tag = False
            else:
                wrong.tag = next(fresh)
    for one in messages:
        shared = any(
            two is not one and (two.comm, two.target, two.tag) == (one.comm, one.target, one.tag) for two in messages
        )
        if shared or one.any_tag:
            one.any_source = False


def _wrong(stream):
    """The first message whose receive would get another."""
    left = list(stream)
    for receive in sorted(stream, key=lambda one: (one.posted, one.sent, one.id)):
        got = next(one for one in left if receive.any_tag or one.tag == receive.tag)
        if got is not receive and not (got.silent and receive.silent and got.id == receive.id):
            return receive
        left.remove(got)
    return None


def write(items, number, ranks, by_pages=False, has_room=lambda one: False, persistent=PERSISTENT):
    """The lines of a program. by_pages: nobody is told what is final, so every byte of a delta send is written once, upwards. For libraries
    that do wrong else: has_room: which messages that are longer than their receives are not to be so; persistent: what a persistent collective
    is."""
    threads = max((thread for thread, _ in items), default=0) + 1
    lines = [f"program {number} {threads}"]
    for thread in range(threads):
        lines += _write_thread(
            [item for t, item in items if t == thread], thread, ranks, by_pages, has_room, persistent
        )
    return [*lines, "end"]


def _upwards(pieces):
    """Those that begin where the last one ended, from the message's begin on."""
    times, ranges, end = [time for time, _, _ in pieces], [], 0
    for a, b in sorted((a, b) for _, a, b in pieces):
        if a == end:
            ranges.append((a, b))
            end = b
    return tuple((time, a, b) for time, (a, b) in zip(times, ranges, strict=False))


def _write_thread(items, thread, ranks, by_pages, has_room, persistent):
    operations, messages, slots = [], [], {}

    def slot(rank):
        slots[rank] = slots.get(rank, -1) + 1
        return slots[rank]

    requests = []  # (time from which it completes, rank, slot, message, is it the receive)
    flat, lives = [], []
    for item in items:
        if isinstance(item, Life):
            lives.append(item)
            flat += item.messages
        else:
            flat += item if isinstance(item, list) else [item]
    for item in flat:
        if isinstance(item, Message):
            one = dataclasses.replace(item, pieces=_upwards(item.pieces) if by_pages else item.pieces)
            if one.truncated and has_room(one):
                one.truncated, one.capacity = False, max(one.n, one.maximum)
            messages.append(one)
        else:
            messages += [dataclasses.replace(one) for one in item.messages]
            same = {}
            for time, rank, text in item.operations:
                if "{slot}" in text:
                    same[rank] = slot(rank)
                operations.append(
                    (time, rank, text.format(slot=same.get(rank), same=same.get(rank), persistent=persistent))
                )
            requests += [(time, rank, same[rank], one, True) for time, rank, one in item.requests]
    settle_matches(messages)
    for one in messages:
        if one.silent:
            continue
        by, at = slot(one.source), slot(one.target)
        ready = max(one.sent, one.posted)
        if one.send == DELTA:
            operations += _delta(one, by)
        else:
            operations.append((one.sent, one.source, f"send {one.id} {one.send} {one.comm} {one.target} {one.tag} {one.signature} "
                                                     f"{one.layouts[0]} {one.n} {by} {int(one.forged)}"))  # fmt: skip
        source, tag = ANY if one.any_source else one.source, ANY if one.any_tag else one.tag
        operations.append((one.posted, one.target, f"receive {one.id} {one.receive} {one.comm} {source} {tag} {one.signature} "
                                                   f"{one.layouts[1]} {one.capacity} {at} {one.id} {int(one.truncated)} "
                                                   f"{int(one.variable)} {one.bytes} {int(one.forged)}"))  # fmt: skip
        if one.cancelled_at:
            operations.append((one.cancelled_at, one.target, f"cancel {one.id} {at}"))
        if one.send in REQUESTS_OF_SENDS:
            if one.freed:
                operations.append((one.sent + 0.0001, one.source, f"free {one.id} {by}"))
            else:
                requests.append((ready + one.delays[0], one.source, by, one, False))
        if one.receive in REQUESTS_OF_RECEIVES:
            requests.append((ready + one.delays[1], one.target, at, one, True))
    operations += _probes(messages)
    operations += _completions(requests)
    last = max((time for time, _, _ in operations), default=0) + 1
    for life in lives:
        # Disconnected only when all is complete; freed while messages are on their way.
        freed = last if life.disconnect else life.freed
        for rank in range(ranks):
            operations.append((life.made, rank, f"dup 0 {life.comm} {WORLD}"))
            operations.append((freed, rank, f"drop 0 {life.comm} {int(life.disconnect)}"))
    operations.sort(key=lambda operation: operation[0])
    return [f"{rank} {thread} {text}" for _, rank, text in operations]


def _delta(one, slot):
    ends = -1 if not one.variable else one.n
    merged = []
    size = ELEMENT[one.signature]
    for a, b in sorted((a, b) for _, a, b in one.pieces):
        if merged and merged[-1][1] == a:
            merged[-1][1] = b
        else:
            merged.append([a, b])
    pieces = one.pieces
    if len(merged) > 5:  # more than a line holds
        pieces, merged = (), []
    yield one.begun, one.source, (f"begin {one.id} {one.comm} {one.target} {one.tag} {one.signature} {one.layouts[0]} {one.n} {slot} "
                                  f"{int(one.forged)} {one.maximum}")  # fmt: skip
    for time, a, b in pieces:
        yield time, one.source, f"declare {one.id} {slot} {a * size} {b * size}"
    ranges = " ".join(f"{a * size} {b * size}" for a, b in merged)
    yield one.sent, one.source, f"end {one.id} {slot} {ends} {len(merged)} {ranges}"


def _probes(messages):
    """A probe sees the first message that fits and that no receive posted before takes."""
    for one in messages:
        if not one.probed_at:
            continue
        fits = [two for two in messages if (two.comm, two.source, two.target) == (one.comm, one.source, one.target)
                and two.posted > one.probed_at and (one.any_tag or two.tag == one.tag)]  # fmt: skip
        seen = min(fits, key=lambda two: (two.sent, two.id))
        if seen.sent > one.probed_at or seen.silent:
            continue
        source, tag = ANY if one.any_source else one.source, ANY if one.any_tag else one.tag
        yield (
            one.probed_at,
            one.target,
            f"probe {one.id + 500000} {one.choice % 2} {one.comm} {source} {tag} {int(seen.variable)}",
        )


def _completions(requests):
    """Requests are completed alone or several at once, by all the calls that there are."""
    by_rank = {}
    for request in sorted(requests, key=lambda request: request[0]):
        by_rank.setdefault(request[1], []).append(request)
    for rank, waiting in by_rank.items():
        while waiting:
            first = waiting[0][3]
            alone = first.truncated or first.alone or first.choice % 3 == 0
            group = [waiting.pop(0)]
            while (
                waiting
                and not alone
                and len(group) < 2 + first.choice % 9
                and not (waiting[0][3].truncated or waiting[0][3].alone)
            ):
                group.append(waiting.pop(0))
            kind = first.choice // 16 % 9
            if first.truncated or first.alone:
                kind = (WAIT, TEST)[kind % 2]
            if all(one.send == DELTA and not receive for _, _, _, one, receive in group) and kind < 4:
                kind = DELTA_WAIT
            slots = " ".join(str(slot) for _, _, slot, _, _ in group)
            yield group[-1][0], rank, f"complete {first.id + 600000} {kind} {len(group)} {slots}"
