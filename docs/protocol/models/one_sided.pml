/* Does every piece of a message reach its own receive, however full the memory is that both ranks share?
 *
 * One sender, one receiver, MESSAGES messages of two pieces, sent in turn; their receives are posted natively at the beginning and waited for in any
 * order. Pieces are records of a ring of RECORDS. A message under way reserves one record; where there is no room it waits for some, or says in that
 * record that the rest goes through the library. Both ranks come to a native barrier: the sender behind its sends, the receiver before its waits or
 * behind them. Asserted: a piece comes once, what was posted comes, what says that the rest goes another way finds room; everything ends.
 *
 * what rule 19 replaced:
 *   NO_TURN       pieces only wait for room
 *   NO_RESERVE    nothing is reserved
 *   FLAG_BESIDE   a word beside the ring says that the rest goes through the library
 *   KEPT_IN_RING  a record of a message that is not waited for yet stays in the ring
 */
#define MESSAGES 3
#define RECORDS 3
#define PIECES 6
#define TURN 2
chan ring = [RECORDS] of { byte, byte };  /* message, piece or TURN */
byte reserved;
bit shared[MESSAGES], flag[MESSAGES];  /* the header's word; FLAG_BESIDE */
bit header[MESSAGES], sent[PIECES], posted[PIECES];
byte came[PIECES];
bit sender_there, receiver_there;

#define ROOM (len(ring) + reserved < RECORDS)
#ifdef NO_RESERVE
#define RESERVE skip
#define GIVE_BACK skip
#define HAS_RESERVE true
#else
#define RESERVE reserved++
#define GIVE_BACK reserved--
#define HAS_RESERVE ROOM
#endif
#ifdef FLAG_BESIDE
#define SAY(m) flag[m] = 1
#else
#define SAY(m) assert(len(ring) < RECORDS); ring!m,TURN
#endif

proctype sender() {
  byte m, k; bit in_ring;
  do
  :: m == MESSAGES -> break
  :: m < MESSAGES ->
     atomic { if
              :: HAS_RESERVE -> RESERVE; in_ring = 1; shared[m] = 1
              :: !HAS_RESERVE -> in_ring = 0
              fi; header[m] = 1 }
     k = 0;
     do
     :: k == 2 -> break
     :: k < 2 && !in_ring -> sent[2*m+k] = 1; k++
     :: k < 2 && in_ring && ROOM -> ring!m,k; k++
#ifndef NO_TURN
     :: atomic { k < 2 && in_ring && !ROOM -> GIVE_BACK; SAY(m); in_ring = 0 }
#endif
     od;
     atomic { if :: in_ring -> GIVE_BACK :: else fi; in_ring = 0 }
     m++
  od;
  sender_there = 1; receiver_there
}

/* a piece that was posted, or in the ring */
#define COMES(i) came[i]++; assert(came[i] == 1)
#define DELIVER(i) atomic { sent[i] && posted[i] -> sent[i] = 0; posted[i] = 0; COMES(i) }
proctype library() {
end:
  do
  :: DELIVER(0) :: DELIVER(1) :: DELIVER(2) :: DELIVER(3) :: DELIVER(4) :: DELIVER(5)
  od
}

#define POST(m) \
  if :: !came[2*m] -> posted[2*m] = 1 :: else fi; \
  if :: !came[2*m+1] -> posted[2*m+1] = 1 :: else fi

#define WHOLE(m) (came[2*m] && came[2*m+1])

proctype receiver() {
  byte their, whose, what; bit looked[MESSAGES], turned[MESSAGES];
  if :: receiver_there = 1; sender_there :: true fi;
  do
  :: WHOLE(0) && WHOLE(1) && WHOLE(2) -> break
  :: else ->
     if :: !WHOLE(0) -> their = 0 :: !WHOLE(1) -> their = 1 :: !WHOLE(2) -> their = 2 fi;
     /* waits for this one */
     atomic { header[their] -> looked[their] = 1;
        if :: !shared[their] || turned[their] -> POST(their) :: else fi }
     do
     :: WHOLE(their) -> break
#ifdef FLAG_BESIDE
     :: atomic { flag[their] && !turned[their] && !WHOLE(their) -> turned[their] = 1; POST(their) }
#endif
     :: atomic { !WHOLE(their) && nempty(ring) ->
        ring?<whose, what>;
#ifdef KEPT_IN_RING
        looked[whose];
#endif
        ring?whose,what;
        if
        :: what < TURN -> COMES(2*whose+what)
        :: what == TURN && looked[whose] -> POST(whose)
        :: else -> turned[whose] = 1
        fi }
     od
  od;
  if :: !receiver_there -> receiver_there = 1; sender_there :: else fi;
  assert(!posted[0] && !posted[1] && !posted[2] && !posted[3] && !posted[4] && !posted[5] && empty(ring))
}
init { atomic { run sender(); run library(); run receiver() } }
