/* Does framing add a deadlock?
 *
 * Enumerates every program of two ranks with CALLS calls each over the alphabet below and runs it under plain MPI first
 * (to a fixed point, which is exact here: without wildcards all enabled steps commute). Programs that plain MPI may
 * deadlock, or that leave messages unmatched, are dropped; for the others all interleavings of the protocol are explored.
 * A deadlock that spin finds is one that plain MPI does not have.
 *
 *   HAND_OVER          rule 8: before a native call that may block, all ready deltas are handed to the library
 *   RELEASE=0|1|2      MPI_Recv returns: complete | once matched | at once (sends are held until it has matched)
 *   EAGER_SIZES        messages that plain MPI buffers (else: its sends wait for their receive)
 *   DELTA_SENDS        delta sends too: begin (the header leaves, nothing is ready) and end
 *   EARLY_HEADERS      rule 11: a receive that matched an unended delta send does not count as matched
 *   NATIVE_BARRIER     MPI_Barrier by PMPI_Barrier (else PMPI_Ibarrier and a loop)
 *   FENCE_FIRST        calls without a non-blocking form are entered after PMPI_Ibarrier and a loop
 * what the rules replaced:
 *   ACK_MESSAGE        the receiver's runtime acknowledges by a message (else rule 4: PMPI_Issend's completion does)
 *   ACK_EAGER_SIZES    with EAGER_SIZES: these wait for an acknowledgement too
 *   RENDEZVOUS_DELTAS  deltas above the eager limit: each waits for its posted receive (against rule 7)
 *   FRAMED_SSEND       MPI_Ssend framed like MPI_Send (against rule 1)
 *   NATIVE_FINALIZE    PMPI_Finalize entered at once (against rule 18)
 * to keep the state space small:
 *   NO_BARRIER, NO_NATIVE, NO_SSEND_SENDRECV
 */
#ifndef CALLS
#define CALLS 3
#endif
#ifndef RELEASE
#define RELEASE 0
#endif
#ifdef EAGER_SIZES
#define BUFFERED 1
#else
#define BUFFERED 0
#endif
#define END 0
#define SEND 1  /* MPI_Send      */
#define ISEND 2  /* MPI_Isend     */
#define RECV 3  /* MPI_Recv      */
#define IRECV 4  /* MPI_Irecv     */
#define WAITALL 5  /* MPI_Waitall on everything outstanding */
#define BARRIER 6  /* MPI_Barrier: has a non-blocking form */
#define NATIVE 7  /* MPI_Win_fence, MPI_File_open, ...: has none */
#define SSEND 8  /* MPI_Ssend     */
#define SENDRECV 9  /* MPI_Sendrecv  */
#define DELTA_BEGIN 10 /* delta send begin; one open at a time */
#define DELTA_END 11 /* delta send end    */

#define ID(r,k) ((r)*CALLS+(k))
byte op[2*CALLS];
/* protocol state; message k of rank r is its k-th send, the peer's k-th receive takes it */
byte begun[2], posted[2];  /* sends begun (first fragment out), receives posted */
bit  handed[2*CALLS];  /* deltas beyond the window handed to the library */
bit  awaited[2*CALLS];  /* receives for them posted by the receiver's runtime */
bit  acked[2*CALLS];  /* explicit ack has come */
bit  whole[2*CALLS];  /* sent natively, unframed */
byte barriers[2], natives[2], fences[2], finals[2];
bit  progressing[2];  /* this rank runs our progress */
bit  open[2]; byte open_message[2];  /* an unended delta send, and which message it is */
byte must_match[2];  /* receives released before their match: must match before leaving */
bit  go, dropped;

#define MATCHED(r,k) (begun[r] > k && posted[1-(r)] > k)
#ifdef ACK_MESSAGE
#define ACKED(r,k) acked[ID(r,k)]
#else
#define ACKED(r,k) MATCHED(r,k)
#endif
#ifdef RENDEZVOUS_DELTAS
#define LEFT(r,k) (handed[ID(r,k)] && awaited[ID(r,k)])
#else
#define LEFT(r,k) (handed[ID(r,k)])
#endif
#define SENT(r,k) (begun[r] <= k || (whole[ID(r,k)] -> MATCHED(r,k) : LEFT(r,k)))
#define RECEIVED(r,k) (posted[1-(r)] <= k || (whole[ID(r,k)] -> MATCHED(r,k) : (MATCHED(r,k) && awaited[ID(r,k)] && handed[ID(r,k)])))
#if CALLS==2
#define ALL_SENT(r) (SENT(r,0) && SENT(r,1))
#define ALL_RECEIVED(r) (RECEIVED(1-r,0) && RECEIVED(1-r,1))
#elif CALLS==3
#define ALL_SENT(r) (SENT(r,0) && SENT(r,1) && SENT(r,2))
#define ALL_RECEIVED(r) (RECEIVED(1-r,0) && RECEIVED(1-r,1) && RECEIVED(1-r,2))
#else
#define ALL_SENT(r) (SENT(r,0) && SENT(r,1) && SENT(r,2) && SENT(r,3))
#define ALL_RECEIVED(r) (RECEIVED(1-r,0) && RECEIVED(1-r,1) && RECEIVED(1-r,2) && RECEIVED(1-r,3))
#endif
#define ENDED(r,k) (!(open[r] && open_message[r] == k))
#ifdef EARLY_HEADERS
#define MAY_LEAVE(r) (begun[1-r] >= must_match[r] && !(open[1-r] && open_message[1-r] < must_match[r]))
#else
#define MAY_LEAVE(r) (begun[1-r] >= must_match[r])  /* every released receive has matched */
#endif

inline begin_send(r, sync, delta) {
  atomic {
    k = begun[r];
    if :: delta -> open[r] = 1; open_message[r] = k :: else fi;
#ifdef FRAMED_SSEND
    whole[ID(r,k)] = 0;
#else
    whole[ID(r,k)] = sync;
#endif
#if defined(EAGER_SIZES) && !defined(ACK_EAGER_SIZES)
    handed[ID(r,k)] = !delta; /* no ack for what the library would have buffered */
#endif
    begun[r]++
  }
}
inline enter_native(r) {
  atomic {
#ifdef HAND_OVER
    k = 0;
    do
    :: k < begun[r] -> if :: ENDED(r,k) -> handed[ID(r,k)] = 1 :: else fi; k++
    :: else -> break
    od;
#endif
    progressing[r] = 0
  }
}

/* the runtime of rank r: may run whenever the rank is inside one of our loops */
#define RUNS (progressing[r] && !dropped)
#define HAND(k) atomic { RUNS && k < begun[r] && !handed[ID(r,k)] && !whole[ID(r,k)] && ACKED(r,k) && ENDED(r,k) -> handed[ID(r,k)] = 1 }
#define AWAIT(k) atomic { RUNS && MATCHED(1-r,k) && !whole[ID(1-r,k)] && !awaited[ID(1-r,k)] -> awaited[ID(1-r,k)] = 1 }
#define SEND_ACK(k) atomic { RUNS && MATCHED(1-r,k) && !whole[ID(1-r,k)] && !acked[ID(1-r,k)] -> acked[ID(1-r,k)] = 1 }

proctype runtime(byte r) {
  go;
end:
  do
  :: HAND(0) :: HAND(1) :: AWAIT(0) :: AWAIT(1)
#if CALLS > 2
  :: HAND(2) :: AWAIT(2)
#endif
#if CALLS > 3
  :: HAND(3) :: AWAIT(3)
#endif
#ifdef ACK_MESSAGE
  :: SEND_ACK(0) :: SEND_ACK(1)
#if CALLS > 2
  :: SEND_ACK(2)
#endif
#if CALLS > 3
  :: SEND_ACK(3)
#endif
#endif
  od
}

proctype rank(byte r) {
  byte pc, k;
  go;
  progressing[r] = 1;
  do
  :: pc == CALLS -> break
  :: pc < CALLS ->
     if
     :: op[ID(r,pc)] == END -> skip
     :: op[ID(r,pc)] == SEND -> MAY_LEAVE(r); begin_send(r,0,0); SENT(r,(begun[r]-1))
     :: op[ID(r,pc)] == SSEND -> MAY_LEAVE(r); begin_send(r,1,0); MATCHED(r,(begun[r]-1)) && SENT(r,(begun[r]-1))
     :: op[ID(r,pc)] == ISEND -> MAY_LEAVE(r); begin_send(r,0,0)
     :: op[ID(r,pc)] == IRECV -> posted[r]++
     :: op[ID(r,pc)] == SENDRECV -> MAY_LEAVE(r); begin_send(r,0,0); posted[r]++; SENT(r,(begun[r]-1)) && RECEIVED((1-r),(posted[r]-1))
     :: op[ID(r,pc)] == RECV -> posted[r]++;
#if RELEASE==0
          RECEIVED((1-r),(posted[r]-1))
#elif RELEASE==1
          MATCHED((1-r),(posted[r]-1));
          must_match[r] = posted[r]
#else
          must_match[r] = posted[r]
#endif
     :: op[ID(r,pc)] == DELTA_BEGIN -> MAY_LEAVE(r); begin_send(r,0,1)
     :: op[ID(r,pc)] == DELTA_END ->
          atomic { open[r] = 0;
#if defined(EAGER_SIZES) && !defined(ACK_EAGER_SIZES)
            handed[ID(r,open_message[r])] = 1
#else
            skip
#endif
          };
          SENT(r,open_message[r])
     :: op[ID(r,pc)] == WAITALL -> ALL_SENT(r) && ALL_RECEIVED(r)
     :: op[ID(r,pc)] == BARRIER -> MAY_LEAVE(r);
#ifdef NATIVE_BARRIER
          enter_native(r);
#endif
          barriers[r]++; barriers[1-r] >= barriers[r]; progressing[r] = 1
     :: op[ID(r,pc)] == NATIVE -> MAY_LEAVE(r);
#ifdef FENCE_FIRST
          fences[r]++; fences[1-r] >= fences[r];
#endif
          enter_native(r); natives[r]++; natives[1-r] >= natives[r]; progressing[r] = 1
     fi;
     pc++
  od;
  /* MPI_Finalize */
#ifdef NATIVE_FINALIZE
  enter_native(r);
#else
  ALL_SENT(r) && ALL_RECEIVED(r);
#endif
  finals[r]++; finals[1-r] >= finals[r];
  ALL_RECEIVED(r)  /* nothing may be lost */
}

init {
  byte i, r, changed;
  byte pc[2], sends[2], receives[2], barrier[2], native[2]; bit entered[2], begun_delta[2], misused; byte delta[2];
  do
  :: i < 2*CALLS ->
     if
     :: op[i] = SEND :: op[i] = ISEND :: op[i] = RECV :: op[i] = IRECV :: op[i] = WAITALL
#ifndef NO_BARRIER
     :: op[i] = BARRIER
#endif
#ifndef NO_NATIVE
     :: op[i] = NATIVE
#endif
#ifndef NO_SSEND_SENDRECV
     :: op[i] = SSEND :: op[i] = SENDRECV
#endif
#ifdef DELTA_SENDS
     :: op[i] = DELTA_BEGIN :: op[i] = DELTA_END
#endif
     fi; i++
  :: else -> break
  od;
  skip;
  d_step {  /* plain MPI, to its fixed point */
    changed = 1;
    do
    :: changed == 0 -> break
    :: else -> changed = 0; r = 0;
       do
       :: r == 2 -> break
       :: r < 2 && pc[r] == CALLS -> r++
       :: r < 2 && pc[r] < CALLS ->
          i = op[ID(r,pc[r])];
          if
          :: !entered[r] -> entered[r] = 1; changed = 1;
             if
             :: i == SEND || i == ISEND || i == SSEND -> sends[r]++
             :: i == DELTA_BEGIN -> misused = misused || begun_delta[r]; begun_delta[r] = 1; delta[r] = sends[r]; sends[r]++
             :: i == DELTA_END -> misused = misused || !begun_delta[r]; begun_delta[r] = 0
             :: i == RECV || i == IRECV -> receives[r]++
             :: i == SENDRECV -> sends[r]++; receives[r]++
             :: i == BARRIER -> barrier[r]++
             :: i == NATIVE -> native[r]++
             :: else
             fi
          :: else
          fi;
          if
          :: (i == ISEND || i == IRECV || i == DELTA_BEGIN || ((i == SEND || i == DELTA_END) && BUFFERED) ||
              (i == DELTA_END && receives[1-r] > delta[r]) ||
              ((i == SEND || i == SSEND) && receives[1-r] >= sends[r]) || (i == RECV && sends[1-r] >= receives[r] && !(begun_delta[1-r] && delta[1-r]+1 == receives[r])) ||
              (i == SENDRECV && (BUFFERED || receives[1-r] >= sends[r]) && sends[1-r] >= receives[r] && !(begun_delta[1-r] && delta[1-r]+1 == receives[r])) ||
              (i == WAITALL && (BUFFERED || receives[1-r] >= sends[r]) && sends[1-r] >= receives[r] && !(begun_delta[1-r] && delta[1-r] < receives[r])
               && !begun_delta[r]) ||
              (i == BARRIER && barrier[1-r] >= barrier[r]) || (i == NATIVE && native[1-r] >= native[r])) -> entered[r] = 0; pc[r]++; changed = 1
          :: else
          fi; r++
       od
    od;
    dropped = !(pc[0] == CALLS && pc[1] == CALLS && sends[0] == receives[1] && sends[1] == receives[0]) || misused || begun_delta[0] || begun_delta[1];
    i = 0; r = 0; sends[0] = 0; sends[1] = 0; receives[0] = 0; receives[1] = 0; barrier[0] = 0; barrier[1] = 0;
    native[0] = 0; native[1] = 0; pc[0] = 0; pc[1] = 0; entered[0] = 0; entered[1] = 0; changed = 0;
    begun_delta[0] = 0; begun_delta[1] = 0; delta[0] = 0; delta[1] = 0; misused = 0
  };
  if
  :: dropped
  :: else -> atomic { run rank(0); run rank(1); run runtime(0); run runtime(1); go = 1 }
  fi
}
