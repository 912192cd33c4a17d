/* Does every receive and probe get the message that plain MPI would give it?
 *
 * Two senders, one receiver; plain and framed messages, wildcards, Iprobe, Ssend. In native MPI each sender's messages
 * form a queue in the order of sending; a receive or probe takes, from some sender, the earliest one there that matches
 * (MPI 4.1, 3.5). The protocol adds the list of probed messages (rule 9). Asserted on every receive and probe: of all of
 * that sender's messages which the program has not received, it got the earliest that matches. A receive is tried only
 * where plain MPI could complete it now, so one that then blocks for ever is a new hang.
 *
 *   MESSAGES           per sender
 *   THREADS            a second thread probes
 * what the rules replaced:
 *   TAKE_ONLY_THE_HIT  a probe lists the message that it hit, not the ones before it
 *   LOOK_THEN_POST     looking in the list and posting natively are not one critical section
 *   FRAMED_SSEND       MPI_Ssend framed, its first fragment by PMPI_Issend (against rule 1)
 */
#ifndef MESSAGES
#define MESSAGES 3
#endif
#define ANY 9
#define UNSENT 0  /* not sent */
#define NATIVE 1  /* in the native queue */
#define LISTED 2  /* in our list */
#define RECEIVED 3  /* received by the program */
#define AT(from,i) ((from)*MESSAGES+(i))
byte state[2*MESSAGES]; bit tag[2*MESSAGES], framed[2*MESSAGES], sync[2*MESSAGES];
bit  completed[2*MESSAGES];  /* native synchronous completion */
byte received; bit lock;
#define MATCHES(from,i,with) (with == ANY || tag[AT(from,i)] == with)
#define OUTSTANDING(from,i) (state[AT(from,i)] == NATIVE || state[AT(from,i)] == LISTED)

/* j = index of the earliest message of s in state x that matches t, else NM */
#define FIRST(from,with,x) place = 0; do :: place < MESSAGES && !(state[AT(from,place)] == x && MATCHES(from,place,with)) -> place++ :: else -> break od
#define FIRST_FOR_THE_PROGRAM(from,with) should = 0; do :: should < MESSAGES && !(OUTSTANDING(from,should) && MATCHES(from,should,with)) -> should++ :: else -> break od

proctype sender(byte from) {
  byte i;
  do
  :: i == MESSAGES -> break
  :: i < MESSAGES ->
     if :: tag[AT(from,i)] = 0 :: tag[AT(from,i)] = 1 fi;
     if :: framed[AT(from,i)] = 1
        :: sync[AT(from,i)] = 1
#ifdef FRAMED_SSEND
           ; framed[AT(from,i)] = 1
#endif
        :: skip
     fi;
     state[AT(from,i)] = NATIVE;
     if :: sync[AT(from,i)] -> completed[AT(from,i)]; assert(state[AT(from,i)] == RECEIVED)  /* Ssend after its receive */
        :: else
     fi;
     i++
  od
}

inline pattern() {  /* a source, a tag */
  if :: from = 0 :: from = 1 :: from = ANY fi;
  if :: with = 0 :: with = 1 :: with = ANY fi
}
inline lookup(x) {  /* u,j: a message in state x matching (s,t); u=ANY if none */
  hit = ANY;
  if
  :: from != 1 -> FIRST(0,with,x); if :: place < MESSAGES -> hit = 0 :: else fi
  :: else
  fi;
  if
  :: from != 0 && hit == ANY -> FIRST(1,with,x); if :: place < MESSAGES -> hit = 1 :: else fi
  :: from == ANY && hit == 0 ->  /* two senders: either */
     if :: skip
        :: FIRST(1,with,x); if :: place < MESSAGES -> hit = 1 :: else -> FIRST(0,with,x) fi
     fi
  :: else
  fi
}
#define FITS(from,i,p,with) (p != 1-from && OUTSTANDING(from,i) && MATCHES(from,i,with))
#if MESSAGES==2
#define PLAIN_MPI_HAS(p,with) (FITS(0,0,p,with) || FITS(0,1,p,with) || FITS(1,0,p,with) || FITS(1,1,p,with))
#else
#define PLAIN_MPI_HAS(p,with) (FITS(0,0,p,with) || FITS(0,1,p,with) || FITS(0,2,p,with) || FITS(1,0,p,with) || FITS(1,1,p,with) || FITS(1,2,p,with))
#endif
inline take() {
  FIRST_FOR_THE_PROGRAM(hit,with); assert(should == place);  /* non-overtaking */
  state[AT(hit,place)] = RECEIVED; completed[AT(hit,place)] = 1; received++
}
inline iprobe() {
  lookup(LISTED);
  if
  :: hit != ANY -> FIRST_FOR_THE_PROGRAM(hit,with); assert(should == place)
  :: else ->
     lookup(NATIVE);
     if
     :: hit == ANY -> skip
     :: else -> FIRST_FOR_THE_PROGRAM(hit,with); assert(should == place);
        if
        :: framed[AT(hit,place)] ->
           state[AT(hit,place)] = LISTED; completed[AT(hit,place)] = 1;  /* improbe + imrecv */
#ifndef TAKE_ONLY_THE_HIT
           do  /* all earlier ones of this sender: improbe only, so no Ssend completes;
                        a framed one is received to learn its size when it is probed itself */
           :: place > 0 -> place--; if :: state[AT(hit,place)] == NATIVE -> state[AT(hit,place)] = LISTED :: else fi
           :: else -> break
           od
#endif
        :: else
        fi
     fi
  fi;
  hit = 0; place = 0; should = 0
}

proctype receiver() {
  byte from, with, hit, place, should;
  do
  :: received == 2*MESSAGES -> break
  :: received < 2*MESSAGES ->
     atomic { pattern(); if :: PLAIN_MPI_HAS(from,with) :: else -> goto again fi };
     if
     :: atomic { !lock -> iprobe() }
     :: atomic { !lock -> lock = 1 };
        atomic { lookup(LISTED);
          if :: hit != ANY -> take() :: else fi
#ifdef LOOK_THEN_POST
          ; lock = 0
#endif
        };
        if
        :: hit == ANY ->
           atomic {
#ifdef LOOK_THEN_POST
             !lock;
#endif
             lookup(NATIVE); if :: hit == ANY -> false :: else fi; take(); lock = 0 }
        :: else -> lock = 0
        fi
     fi;
again:
     atomic { from = 0; with = 0; hit = 0; place = 0; should = 0 }
  od
}
#ifdef THREADS
proctype prober() {
  byte from, with, hit, place, should;
end:
  do
  :: received == 2*MESSAGES -> break
  :: received < 2*MESSAGES -> atomic { !lock -> lock = 1; pattern(); iprobe(); lock = 0; from = 0; with = 0 }
  od
}
#endif
init { atomic { run sender(0); run sender(1); run receiver();
#ifdef THREADS
  run prober();
#endif
  } }
