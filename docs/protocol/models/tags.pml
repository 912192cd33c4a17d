/* Does every delta arrive in the buffer of its own message?
 *
 * One sender, one receiver, MESSAGES framed messages, received in any order; up to two deltas each on the private
 * communicator, which has INTERVALS intervals of two tags. A message of variable size may end after one delta, when the
 * receives for both are posted. Asserted: each delta meets the receive of its own message; everything ends.
 *
 *   FIXED_SIZES  every message has two deltas
 * what rule 6 replaced (an interval is free again after the receiver's fin: all arrived, surplus receives cancelled):
 *   COMPUTED     interval = message number mod INTERVALS, without any condition
 *   ACKED        an interval is free again once its message was acknowledged and its deltas have left
 *   WINDOW       with ACKED: the receiver posts the second receive only after the first delta has come
 */
#define MESSAGES 4
#define INTERVALS 2
byte deltas[MESSAGES], interval[MESSAGES]; bit header[MESSAGES], whole[MESSAGES], taken[MESSAGES], acked[MESSAGES], all_in[MESSAGES], ended[MESSAGES], all_left[MESSAGES];
byte arrived[MESSAGES];  /* deltas that arrived */
chan sent[2*INTERVALS] = [MESSAGES] of { byte };  /* per private tag: deltas on their way, in order */
chan awaited[2*INTERVALS] = [MESSAGES] of { byte };  /* per private tag: posted receives, in order */
byte owner[INTERVALS];  /* 0 free, else message + 1 */
byte done; bit more[MESSAGES];

inline free_intervals() {
  d_step { k = 0;
    do
    :: k == INTERVALS -> break
    :: else ->
       if
       :: owner[k] != 0 &&
#ifdef ACKED
          acked[owner[k]-1] && all_left[owner[k]-1]
#else
          all_in[owner[k]-1]
#endif
          -> owner[k] = 0
       :: else
       fi; k++
    od; k = 0 }
}

proctype sender() {
  byte message, k;
  do
  :: message == MESSAGES -> break
  :: message < MESSAGES ->
#ifdef FIXED_SIZES
     deltas[message] = 2;
#else
     if :: deltas[message] = 1 :: deltas[message] = 2 fi;
#endif
#ifdef COMPUTED
     interval[message] = message % INTERVALS;
#else
     free_intervals();
     if
     :: owner[0] == 0 -> interval[message] = 0; owner[0] = message+1
     :: owner[1] == 0 -> interval[message] = 1; owner[1] = message+1
     :: owner[0] != 0 && owner[1] != 0 -> whole[message] = 1  /* no interval: native, whole; never wait */
     fi;
#endif
     header[message] = 1;
     if
     :: whole[message]
     :: else ->
        if
        :: deltas[message] == 1 -> sent[2*interval[message]]!message
        :: deltas[message] == 2 -> if :: sent[2*interval[message]]!message; sent[2*interval[message]+1]!message
                            :: sent[2*interval[message]+1]!message; sent[2*interval[message]]!message fi
        fi;
        all_left[message] = 1
     fi;
     ended[message] = 1; message++
  od
}

/* the native library: matches in order, per tag */
#define DELIVER(t) atomic { nempty(sent[t]) && nempty(awaited[t]) -> sent[t]?sent_by; awaited[t]?awaited_by; assert(sent_by == awaited_by); arrived[sent_by]++; sent_by = 0; awaited_by = 0 }
proctype library() {
  byte sent_by, awaited_by;
end:
  do
  :: DELIVER(0) :: DELIVER(1) :: DELIVER(2) :: DELIVER(3)
  od
}

#define TAKE(i) atomic { header[i] && !taken[i] -> taken[i] = 1; \
   if :: whole[i] -> all_in[i] = 1; done++ \
      :: else -> POST(i); acked[i] = 1 fi }
#ifdef WINDOW
#define POST(i) awaited[2*interval[i]]!i
#define MORE(i) atomic { taken[i] && !whole[i] && !more[i] && arrived[i] == 1 && deltas[i] == 2 -> more[i] = 1; awaited[2*interval[i]+1]!i }
#else
#define POST(i) awaited[2*interval[i]]!i; awaited[2*interval[i]+1]!i
#endif
#define FINISH(i) atomic { taken[i] && !whole[i] && !all_in[i] && ended[i] && arrived[i] == deltas[i] -> \
   if :: deltas[i] == 1 && awaited[2*interval[i]+1]??[eval(i)] -> awaited[2*interval[i]+1]??eval(i) :: else fi; \
   all_in[i] = 1; done++ }
proctype receiver() {
  do
  :: done == MESSAGES -> break
  :: TAKE(0) :: TAKE(1) :: TAKE(2) :: TAKE(3)
  :: FINISH(0) :: FINISH(1) :: FINISH(2) :: FINISH(3)
#ifdef WINDOW
  :: MORE(0) :: MORE(1) :: MORE(2) :: MORE(3)
#endif
  od
}
init { atomic { run sender(); run library(); run receiver() } }
