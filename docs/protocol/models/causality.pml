/* What may others see of a call that was let run on?
 *
 *   P0: Ssend(a to P2), Send(to P1)      P1: Recv(from P0), Send(b to P2)      P2: Recv(any), Recv(any)
 * Under plain MPI, P2 always receives a before b.
 *
 *   UNMATCHED      P1's receive is released before its match (rule 12)
 *   HOISTED        P0's second send is a delta send that begins before its first send
 *   EARLY_FLAG     rule 11: the header of such a send is flagged, and P1's receive counts as matched only at its end
 *   SHARED_MEMORY  P1 sets a word in shared memory after its receive; P0 reads it before its send
 * what the rules replaced:
 *   NOTHING_HELD   sends leave although a released receive has not matched
 */
bit header, commit, ended, a, b, word, a_received;
#ifdef EARLY_FLAG
#define COUNTS (header && commit)
#else
#define COUNTS header
#endif
active proctype P0() {
#ifdef HOISTED
  header = 1;
#endif
  a = 1; a_received;  /* Ssend: until received */
#ifdef SHARED_MEMORY
  assert(!word);  /* plain MPI: P1 cannot be past its receive */
#endif
  header = 1; commit = 1; ended = 1
}
active proctype P1() {
#ifndef UNMATCHED
  header;  /* released once matched */
#endif
#ifdef SHARED_MEMORY
  word = 1;
#endif
#ifndef NOTHING_HELD
  COUNTS;  /* held until every released receive counts as matched */
#endif
  b = 1;
  ended  /* touch the data */
}
active proctype P2() {
  if
  :: a -> a_received = 1; b
  :: b -> assert(a && a_received)  /* b first: plain MPI forbids it */
  fi
}
