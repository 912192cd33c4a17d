/* Do threads that call MPI, or touch what has not come, find a deadlock that plain MPI does not have?
 *
 * Two processes of two threads. Enumerates runs of EVENTS events, each between two threads: a message, a call of the
 * library that has no non-blocking form (on a communicator of the two), or a signal that is not MPI's; whoever gets a
 * signal of its own process then touches what the other one has received. What a thread takes part in, in this order, is
 * its program. Sends return at once or when they are complete, receives when all has come or once matched; what has not
 * come is guarded then. A deadlock that spin finds is one that plain MPI does not have: where no thread of a sender's
 * process is in MPI the library, too, may leave its message standing, and such a run ends there.
 *
 *   EVENTS          of a run
 *   FUNNELED        only the first thread of a process calls MPI: a native call holds our lock (else MPI_THREAD_MULTIPLE)
 *   DELTA_SENDS     messages may begin before the sender's event before them, and be received by MPIX_Delta_recv
 *   TOUCHED_FIRST   programs that begin with a message which the receiver's other thread touches
 *   UNMATCHED       receives return before their match, too: what leaves the process waits for it
 * what the rules replaced:
 *   HAND_OVER_ONCE  what is sent while another thread is in the library waits for its match as ever
 *   NO_SETTLE       with FUNNELED: native calls are entered although something is guarded
 *   SETTLE          without: native calls wait for what is guarded
 */
#ifndef EVENTS
#define EVENTS 4
#endif
#define MESSAGE 1
#define NATIVE 2
#define SIGNAL 3
#define PROCESS(a) ((a)/2)

byte kind[EVENTS], from[EVENTS], to[EVENTS];
byte early[EVENTS];   /* a delta send: the event of its sender before which it begins, + 1 */
bit called[EVENTS], ended[EVENTS];  /* the send */
bit posted[EVENTS], guarded[EVENTS];  /* the receive; its call has returned */
bit handed[EVENTS];   /* the deltas have left */
bit came[EVENTS];     /* all of it */
bit given[EVENTS];    /* a signal */
byte entered[EVENTS]; /* a native call */
byte waiting[2];      /* threads of a process in one of our loops */
byte native[2];       /* and in the library */
byte over[2];         /* threads that are through */
bit standstill;       /* the library alone would do no more */

#define OPEN(i) (kind[i] == MESSAGE && called[i] && !handed[i])
#define MATCHED(i) (kind[i] == MESSAGE && called[i] && posted[i])
#ifdef FUNNELED
#define RUNS(p) (waiting[p] && !native[p])
#else
#define RUNS(p) (waiting[p])
#endif
#define MISSING(p,i) (kind[i] == MESSAGE && PROCESS(to[i]) == p && guarded[i] && !came[i])
#define UNSEEN(p,i) (kind[i] == MESSAGE && PROCESS(to[i]) == p && guarded[i] && !called[i])
#define UNDONE(p,i) (kind[i] == MESSAGE && ((PROCESS(from[i]) == p && !handed[i]) || (PROCESS(to[i]) == p && !came[i])))
#define TOUCHED(i,s) ((s) < (i) && kind[s] == MESSAGE && to[s] == from[i] && guarded[s] && !came[s])
#if EVENTS == 2
#define NONE(WHAT,x) (!WHAT(x,0) && !WHAT(x,1))
#define FOR_EACH(DO) :: DO(0) :: DO(1)
#elif EVENTS == 3
#define NONE(WHAT,x) (!WHAT(x,0) && !WHAT(x,1) && !WHAT(x,2))
#define FOR_EACH(DO) :: DO(0) :: DO(1) :: DO(2)
#elif EVENTS == 4
#define NONE(WHAT,x) (!WHAT(x,0) && !WHAT(x,1) && !WHAT(x,2) && !WHAT(x,3))
#define FOR_EACH(DO) :: DO(0) :: DO(1) :: DO(2) :: DO(3)
#else
#define NONE(WHAT,x) (!WHAT(x,0) && !WHAT(x,1) && !WHAT(x,2) && !WHAT(x,3) && !WHAT(x,4))
#define FOR_EACH(DO) :: DO(0) :: DO(1) :: DO(2) :: DO(3) :: DO(4)
#endif
#ifdef UNMATCHED
#define MAY_LEAVE(p) NONE(UNSEEN,p)
#else
#define MAY_LEAVE(p) true
#endif
#ifdef FUNNELED
#ifdef NO_SETTLE
#define SETTLED(p) true
#else
#define SETTLED(p) NONE(MISSING,p)
#endif
#else
#ifdef SETTLE
#define SETTLED(p) NONE(MISSING,p)
#else
#define SETTLED(p) true
#endif
#endif

/* the runtimes; and the library, which may stand still where no thread is in MPI */
#define HAND(i) d_step { OPEN(i) && posted[i] && ended[i] && RUNS(PROCESS(from[i])) -> handed[i] = 1 }
#define COME(i) d_step { MATCHED(i) && handed[i] && !came[i] && RUNS(PROCESS(to[i])) -> came[i] = 1 }
#define STAND(i) d_step { OPEN(i) && posted[i] && ended[i] && !waiting[PROCESS(from[i])] && !native[PROCESS(from[i])] -> standstill = 1 }
proctype runtimes() {
end:
  do
  FOR_EACH(HAND)
  FOR_EACH(COME)
  FOR_EACH(STAND)
  :: standstill -> break
  od
}

#define UNTIL(condition) if :: (condition) :: else -> waiting[p]++; standstill || (condition) -> waiting[p]-- fi

inline next() {
  i++;
  do
  :: i < EVENTS && from[i] != me && to[i] != me -> i++
  :: else -> break
  od;
  k = 0;
  do
  :: k == EVENTS -> break
  :: else -> if :: kind[k] == MESSAGE && from[k] == me && early[k] == i + 1 -> called[k] = 1 :: else fi; k++
  od;
  k = 0
}
inline hand_over() {
  k = 0;
  do
  :: k == EVENTS -> break
  :: else -> if :: OPEN(k) && PROCESS(from[k]) == p && ended[k] -> handed[k] = 1 :: else fi; k++
  od;
  k = 0
}

proctype thread(byte me, i) {
  byte k, p = PROCESS(me);
  do
  :: standstill || i == EVENTS -> break
  :: atomic { !standstill && i < EVENTS && kind[i] == MESSAGE && from[i] == me ->
#ifdef UNMATCHED
     UNTIL(MAY_LEAVE(p));
#endif
     called[i] = 1;
     ended[i] = 1;
#ifndef HAND_OVER_ONCE
     if :: native[p] -> handed[i] = 1 :: else fi;
#endif
     if
     :: skip
     :: skip; UNTIL(handed[i])
     fi;
     next() }
  :: atomic { !standstill && i < EVENTS && kind[i] == MESSAGE && to[i] == me ->
     posted[i] = 1;
     if
     :: skip; UNTIL(came[i])
#ifndef UNMATCHED
     :: skip; UNTIL(called[i] && (ended[i] || early[i])); guarded[i] = 1
#else
     :: skip; guarded[i] = 1
#endif
     fi;
     next() }
  :: atomic { !standstill && i < EVENTS && kind[i] == NATIVE ->
#ifdef UNMATCHED
     UNTIL(MAY_LEAVE(p));
#endif
     hand_over();  /* rule 8 */
     UNTIL(SETTLED(p));
     native[p]++; entered[i]++;
     standstill || entered[i] == 2 -> native[p]--;
     next() }
  :: atomic { !standstill && i < EVENTS && kind[i] == SIGNAL && from[i] == me -> given[i] = 1; next() }
  :: atomic { !standstill && i < EVENTS && kind[i] == SIGNAL && to[i] == me && given[i] ->
     if
     :: PROCESS(from[i]) == p -> UNTIL(NONE(TOUCHED,i))
     :: else
     fi;
     next() }
  od;
  atomic {
    if
    :: !standstill && me % 2 == 0 ->  /* MPI_Finalize */
       over[p] == 1 || standstill;
       hand_over();
       UNTIL(NONE(UNDONE,p));
       over[p]++;
       standstill || (over[0] == 2 && over[1] == 2)
    :: else -> over[p]++
    fi
  }
}

init {
  byte i, k, me;
  do
  :: i == EVENTS -> break
  :: i < EVENTS ->
     atomic {
       if
#ifdef TOUCHED_FIRST
       :: i == 0 -> kind[i] = MESSAGE; from[i] = 0; to[i] = 2
       :: i == 1 -> kind[i] = SIGNAL; from[i] = 2; to[i] = 3
#define FROM_HERE i > 1 ->
#else
#define FROM_HERE
#endif
#ifdef FUNNELED
       :: FROM_HERE kind[i] = MESSAGE; if :: from[i] = 0; to[i] = 2 :: from[i] = 2; to[i] = 0 fi
       :: FROM_HERE kind[i] = NATIVE; from[i] = 0; to[i] = 2
#else  /* threads and processes are alike: the first event is the first one's */
       :: FROM_HERE if :: kind[i] = MESSAGE :: kind[i] = NATIVE fi;
          if :: from[i] = 0 :: i > 0 -> from[i] = 1 fi;
          if :: to[i] = 2 :: i > 0 -> to[i] = 3 fi
       :: i > 0 -> FROM_HERE kind[i] = MESSAGE;
          if :: from[i] = 2 :: from[i] = 3 fi;
          if :: to[i] = 0 :: to[i] = 1 fi
#endif
       :: FROM_HERE kind[i] = SIGNAL;
          if
          :: from[i] = 0; to[i] = 1
          :: i > 0 -> from[i] = 1; to[i] = 0
          :: i > 0 -> from[i] = 2; to[i] = 3
          :: i > 0 -> from[i] = 3; to[i] = 2
#if defined(FUNNELED) && !defined(UNMATCHED)
          :: i > 0 -> from[i] = 1; to[i] = 2  /* by a pipe, say */
          :: i > 0 -> from[i] = 3; to[i] = 0
#endif
          fi
       fi;
#ifdef DELTA_SENDS
       if
       :: kind[i] == MESSAGE ->  /* before the sender's last event but this one */
          k = i;
          do
          :: k == 0 -> break
          :: else -> k--; if :: from[k] == from[i] || to[k] == from[i] -> early[i] = k + 1; break :: else fi
          od;
          if :: skip :: early[i] = 0 fi
       :: else
       fi;
#endif
       i++
     }
  od;
  atomic {
    do
    :: me == 4 -> break
    :: else -> i = 255; next(); run thread(me, i); me++
    od;
    i = 0; me = 0;
    run runtimes()
  }
}
