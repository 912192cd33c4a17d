/* What may others see of receives that return before their match, and does it cost a deadlock?
 *
 * Enumerates runs of EVENTS events: a message from one of three ranks to another, or a collective of all. What a rank
 * takes part in, in this order, is its program; so these are all programs of blocking calls that plain MPI cannot
 * deadlock, its sends taken as synchronous. All interleavings of the protocol are explored; what each receive and send
 * asks for (a status, a copy) is chosen anew each time. All receives of a rank are into one buffer. Asserted: whatever
 * leaves could have left under plain MPI by now; the messages of a pair leave in their order; a buffer ends with its last
 * message. A deadlock that spin finds is one that plain MPI does not have.
 *
 *   EVENTS            of a run
 *   SYNCHRONOUS       native sends are MPI_Ssend: their completion tells that the receiver has come so far
 * what the rules replaced:
 *   NOTHING_HELD      first fragments leave although a released receive has not matched
 *   NATIVE_AT_ONCE    native sends do
 *   COLLECTIVE_AT_ONCE  collectives do
 *   LAST_FIRST        first fragments that were held leave in another order
 *   NOT_IN_TURN       a message comes in although the one before it into its buffer has not
 *   LISTED_AT_ONCE    one out of the list of probed messages does
 */
#ifndef EVENTS
#define EVENTS 4
#endif
#define RANKS 3
#define COLLECTIVE 0
#define NATIVE 1
#define FRAMED 2
#define NOBODY 9

byte kind[EVENTS], from[EVENTS], to[EVENTS];
bit called[EVENTS];    /* the program has called its send */
bit left[EVENTS];      /* its first fragment, or all of a native message, can be received */
bit handed[EVENTS];    /* its deltas have left */
bit posted[EVENTS], released[EVENTS];  /* its receive; the call has returned before the match */
bit noticed[EVENTS];   /* the receiver's runtime knows of the match */
bit in_place[EVENTS];  /* it is in the buffer */
byte entered[EVENTS];  /* a collective, by how many */
byte content[RANKS];   /* of a buffer: message + 1 */
bit progressing[RANKS];
byte finals;
bit large;  /* deltas need the match: they are beyond the window */
bit go;

#define MATCHED(i) (left[i] && posted[i])
#define UNMATCHED(r,i) (to[i] == r && released[i] && !noticed[i])
/* of what rank r has received before event i: a message that is held back waits for no later one */
#define MATCHED_BEFORE(r,i,j) ((j) >= (i) || !UNMATCHED(r,j))
#define BEFORE(i,j) ((j) < (i) && to[j] == to[i] && !in_place[j])
#if EVENTS == 3
#define ALL_MATCHED(r) (!UNMATCHED(r,0) && !UNMATCHED(r,1) && !UNMATCHED(r,2))
#define ALL_MATCHED_BEFORE(r,i) (MATCHED_BEFORE(r,i,0) && MATCHED_BEFORE(r,i,1) && MATCHED_BEFORE(r,i,2))
#define IN_TURN(i) (!BEFORE(i,0) && !BEFORE(i,1) && !BEFORE(i,2))
#define FOR_EACH_MESSAGE(DO) :: DO(0) :: DO(1) :: DO(2)
#define ALL_IN_PLACE(r) ((to[0] != r || in_place[0]) && (to[1] != r || in_place[1]) && (to[2] != r || in_place[2]))
#else
#define ALL_MATCHED(r) (!UNMATCHED(r,0) && !UNMATCHED(r,1) && !UNMATCHED(r,2) && !UNMATCHED(r,3))
#define ALL_MATCHED_BEFORE(r,i) (MATCHED_BEFORE(r,i,0) && MATCHED_BEFORE(r,i,1) && MATCHED_BEFORE(r,i,2) && MATCHED_BEFORE(r,i,3))
#define IN_TURN(i) (!BEFORE(i,0) && !BEFORE(i,1) && !BEFORE(i,2) && !BEFORE(i,3))
#define FOR_EACH_MESSAGE(DO) :: DO(0) :: DO(1) :: DO(2) :: DO(3)
#define ALL_IN_PLACE(r) ((to[0] != r || in_place[0]) && (to[1] != r || in_place[1]) && (to[2] != r || in_place[2]) && (to[3] != r || in_place[3]))
#endif

/* Events are numbered as in a run of plain MPI, so causes come before effects. */
hidden byte j, k, could[EVENTS];
inline what_plain_could_have_done() {
  k = 0;
  do
  :: k == EVENTS -> break
  :: else ->
     could[k] = (kind[k] == COLLECTIVE -> entered[k] == RANKS : called[k]);
     j = 0;
     do
     :: j == k -> break
     :: else -> could[k] = could[k] && (could[j] || (kind[k] != COLLECTIVE && kind[j] != COLLECTIVE && to[j] != from[k])); j++
     od;
     k++
  od
}
/* What rank r has received before event i, and the collectives, were there: it may be seen to come to event i. */
inline has_come_to(r, i) {
  what_plain_could_have_done();
  j = 0;
  do
  :: j == i -> break
  :: else -> assert(could[j] || (kind[j] != COLLECTIVE && to[j] != r)); j++
  od;
  j = 0
}
inline leave(i) {
  left[i] = 1;
  has_come_to(from[i], i);
  j = 0;
  do
  :: j == i -> break
  :: else -> assert(kind[j] == COLLECTIVE || from[j] != from[i] || to[j] != to[i] || left[j]); j++
  od;
  j = 0
}
hidden byte n;
inline leave_held(r) {
  n = 0;
  do
  :: n == EVENTS -> break
#ifdef LAST_FIRST
  :: else -> if :: kind[EVENTS-1-n] == FRAMED && from[EVENTS-1-n] == r && called[EVENTS-1-n] && !left[EVENTS-1-n] && ALL_MATCHED(r) -> leave((EVENTS-1-n)) :: else fi; n++
#else
  :: else -> if :: kind[n] == FRAMED && from[n] == r && called[n] && !left[n] && ALL_MATCHED_BEFORE(r,n) -> leave(n) :: else fi; n++
#endif
  od;
  n = 0
}

/* the runtimes: each runs whenever its rank is inside one of our loops */
#define NOTICE(i) d_step { MATCHED(i) && !noticed[i] && progressing[to[i]] -> noticed[i] = 1; \
  if :: released[i] -> leave_held(to[i]) :: else fi; n = 0 }
#define HAND(i) d_step { kind[i] == FRAMED && MATCHED(i) && !handed[i] && progressing[from[i]] -> handed[i] = 1 }
#ifdef NOT_IN_TURN
#define ITS_TURN(i) true
#else
#define ITS_TURN(i) IN_TURN(i)
#endif
#define PLACE(i) d_step { noticed[i] && !in_place[i] && progressing[to[i]] && (kind[i] == NATIVE || handed[i]) && ITS_TURN(i) -> \
  in_place[i] = 1; content[to[i]] = i + 1 }
proctype runtimes() {
  go;
end:
  do
  FOR_EACH_MESSAGE(NOTICE)
  FOR_EACH_MESSAGE(HAND)
  FOR_EACH_MESSAGE(PLACE)
  od
}

inline next(r) {
  i++;
  do
  :: i < EVENTS && kind[i] != COLLECTIVE && from[i] != r && to[i] != r -> i++
  :: else -> break
  od
}
inline send_framed(r) {
  d_step { called[i] = 1;
    if :: !large -> handed[i] = 1 :: else fi;
#ifdef NOTHING_HELD
    leave(i)
#else
    if :: ALL_MATCHED(r) -> leave(i) :: else fi  /* held back */
#endif
    ; n = 0 };
  if
  :: atomic { !handed[i] -> next(r) }  /* from a copy */
  :: atomic { handed[i] -> next(r) }
  fi
}
inline send_native(r) {
#ifndef NATIVE_AT_ONCE
  called[i] = 1;
  atomic { ALL_MATCHED(r) ->
#else
  atomic { called[i] = 1;
#endif
    d_step { leave(i) };
#ifdef SYNCHRONOUS
    MATCHED(i) -> d_step { has_come_to(to[i], i) };
#endif
    next(r) }
}
inline receive(r) {
  if
  :: posted[i] = 1;
     if
     :: atomic { in_place[i] -> next(r) }  /* its status is asked for */
     :: atomic { !in_place[i] && IN_TURN(i) -> released[i] = 1; next(r) }
     fi
  :: atomic { left[i] && kind[i] == FRAMED ->  /* a probe has found it: in the list */
#ifdef LISTED_AT_ONCE
       posted[i] = 1; noticed[i] = 1; content[r] = i + 1; handed[i] -> in_place[i] = 1;
#else
       IN_TURN(i) -> posted[i] = 1; in_place[i];
#endif
       next(r) }
  fi
}
inline collective(r) {
  atomic {
#ifndef COLLECTIVE_AT_ONCE
    ALL_MATCHED(r) ->
#endif
    d_step {  /* rule 8; then it is the library's */
      has_come_to(r, i);
      n = 0;
      do
      :: n == EVENTS -> break
      :: else -> if :: kind[n] == FRAMED && from[n] == r && called[n] -> handed[n] = 1 :: else fi; n++
      od;
      n = 0;
      progressing[r] = 0;
      entered[i]++
    }
  };
  atomic { entered[i] == RANKS -> progressing[r] = 1; next(r) }
}

proctype rank(byte r) {
  byte i;
  atomic { go -> progressing[r] = 1; i = 255; next(r) };
  do
  :: i == EVENTS -> break
  :: i < EVENTS && kind[i] == COLLECTIVE -> collective(r)
  :: i < EVENTS && kind[i] == FRAMED && from[i] == r -> send_framed(r)
  :: i < EVENTS && kind[i] == NATIVE && from[i] == r -> send_native(r)
  :: i < EVENTS && kind[i] != COLLECTIVE && to[i] == r -> receive(r)
  od;
  ALL_MATCHED(r) && ALL_IN_PLACE(r);
  d_step { n = 0; k = 0;
    do
    :: n == EVENTS -> break
    :: else -> if :: to[n] == r -> k = n + 1 :: else fi; n++
    od;
    assert(content[r] == k); n = 0; k = 0; finals++ };
  finals == RANKS
}

init {
  byte i;
  do
  :: i == EVENTS -> break
  :: i < EVENTS ->
     atomic {
       if
       :: kind[i] = COLLECTIVE; from[i] = NOBODY; to[i] = NOBODY
       :: if :: kind[i] = NATIVE :: kind[i] = FRAMED fi;
          if  /* ranks are alike: the first message is from 0 to 1 */
          :: from[i] = 0; to[i] = 1
          :: i > 0 -> from[i] = 0; to[i] = 2
          :: i > 0 -> from[i] = 1; to[i] = 0
          :: i > 0 -> from[i] = 1; to[i] = 2
          :: i > 0 -> from[i] = 2; to[i] = 0
          :: i > 0 -> from[i] = 2; to[i] = 1
          fi
       fi;
       i++
     }
  od;
  i = 0;
  if :: large = 0 :: large = 1 fi;
  atomic { run rank(0); run rank(1); run rank(2); run runtimes(); go = 1 }
}
