/* Exporting, fetching, death and membership: how recovery goes on. README.md says what the runtime does
   otherwise.

   Three PEs, of which 1 and 2 may die, or be taken for dead while they live. The root, on PE 0, needs
   two sparks, S0 and S1; each needs the same thunk T, which moves along with a spark or is fetched.
   A spark goes from PE to PE by SCHEDULE, its value home by RESUME, as in rts/heap. `check` proves for
   all orders of events: no state in which nobody can go on and the root lacks a value; a FETCH goes
   round no circle; no slot gets more weight back than it lent, and without deaths all of it. It also
   wants each case of recovery to happen.

   Left out: FISH (whoever has an unevaluated spark may send it to anyone), data beside T, lineage. */

#define PES 3
#ifndef DEATHS
#define DEATHS 2
#endif
#define FULL 8               /* weight of a reference that is lent */
#define LONGEST_WAY 5        /* of a FETCH, in hops */
#define NOBODY 7
#ifndef EXPORTS
#define EXPORTS 3            /* of sparks, in all */
#endif

/* States of a node, as in rts/heap. */
#define NONE 0
#define UNEVALUATED 1
#define BLACK_HOLE 2
#define VALUE 3
#define EXPORTED 4
#define FETCH_ME 5
#define FETCHING 6

/* How T goes along with a spark. */
#define AS_REFERENCE 1
#define AS_THUNK 2
#define AS_VALUE 3

/* Cases, each of which has to happen. */
#define EXPORTED_REVERTS 1
#define MOVED_REVERTS 2
#define IMPORT_DROPPED 3
#define ORPHANED 4
#define FETCH_AGAIN 5
#define GIVER_ASKED 6
#define LOST 7
#define DUPLICATE 8
#define DEAD_MANS_MESSAGE 9
#define FENCED 10
#define ALL_DEAD 11
#define FORWARDED 12
c_decl { int happened[13]; }
#define happens(c) c_code { if (!happened[c]++) printf("case %d happens\n", c); }

mtype = { SCHEDULE, FETCH, RESUME_VALUE, RESUME_THUNK, ACK, FREE, VIEW };

/* kind, what it is about (spark; asker of a FETCH), hops of a FETCH or how T goes
   along, home of the reference, its weight; of whom the sender knows that he is dead */
chan wire[9] = [8] of { mtype, byte, byte, byte, byte, byte };
#define way(from, to) wire[(from) * PES + (to)]

byte spark[6] = NONE;        /* state of spark s at PE p: spark[2 * p + s] */
byte owed[6] = NOBODY;       /* to whom its value goes; NOBODY */
byte holder[6] = NOBODY;     /* to whom it was exported */
#define at(p, s) (2 * (p) + (s))

byte thunk[PES];             /* state of T */
bool guard[PES];             /* its arguments are here */
byte home[PES];              /* where the proxy leads */
byte held[PES];              /* its weight */
byte givers[PES];            /* who gave it, a bit each */
byte waiting[PES];           /* PEs that wait for T's value here, a bit each */
byte lent[PES];              /* weight of T's slot that is elsewhere */

byte unacked[PES] = NOBODY;  /* who is still to say that T has come */

bool dead[PES];              /* really */
byte told[PES];              /* of whom it knows that he is dead, a bit each */
byte declared;               /* by the main PE, a bit each */
byte exports, deaths;
bool done;

hidden byte q, s, w, m, h, v, each, giver, known;  /* of the step at hand */

#define bit(x) (1 << (x))
#define knows_dead(x, y) ((told[x] & bit(y)) != 0)
#define holds(x, y) (!dead[x] && home[x] == y && (thunk[x] == FETCH_ME || thunk[x] == FETCHING) -> held[x] : 0)
#define all_quiet (empty(wire[0]) && empty(wire[1]) && empty(wire[2]) && empty(wire[3]) && empty(wire[4]) && \
                   empty(wire[5]) && empty(wire[6]) && empty(wire[7]) && empty(wire[8]))
#define wants_thunk(x) (spark[at(x, 0)] == BLACK_HOLE || spark[at(x, 1)] == BLACK_HOLE)

inline send(from, to, kind, a, b, c, d) {
  if
  :: dead[to] -> skip
  :: else -> way(from, to)!kind(a, b, c, d, told[from])
  fi
}

inline lend(x, weight) { lent[x] = lent[x] + FULL; weight = FULL }

/* A proxy is done with: its weight goes home. */
inline let_go(x) {
  if
  :: held[x] > 0 && !knows_dead(x, home[x]) -> send(x, home[x], FREE, 0, 0, 0, held[x])
  :: else
  fi;
  held[x] = 0; home[x] = 0
}

inline ask(x) {
  thunk[x] = FETCHING;
  send(x, home[x], FETCH, x, 0, 0, 0)
}

/* A living giver of x's proxy, else NOBODY. */
inline find_giver(x, found) {
  found = NOBODY;
  if
  :: (givers[x] & ~told[x] & bit(0)) != 0 -> found = 0
  :: else ->
     if
     :: (givers[x] & ~told[x] & bit(1)) != 0 -> found = 1
     :: else ->
        if
        :: (givers[x] & ~told[x] & bit(2)) != 0 -> found = 2
        :: else
        fi
     fi
  fi
}

inline answer_waiting(x) {
  v = 0;
  do
  :: v < PES ->
     if
     :: (waiting[x] & bit(v)) != 0 -> send(x, v, RESUME_VALUE, NOBODY, 0, 0, 0)
     :: else
     fi;
     v++
  :: else -> break
  od;
  waiting[x] = 0; v = 0
}

/* T is about to go from x to y: both keep what they need to undo it. */
inline move_thunk(x, y) {
  thunk[x] = EXPORTED; guard[x] = true; home[x] = y; unacked[x] = y;
  lend(x, w)
}

inline evaluate_spark(x, y) {                        /* the sparks' own work is one step */
  spark[at(x, y)] = VALUE;
  if
  :: owed[at(x, y)] != NOBODY && !knows_dead(x, owed[at(x, y)]) ->
     send(x, owed[at(x, y)], RESUME_VALUE, y, 0, 0, 0)
  :: else
  fi;
  owed[at(x, y)] = NOBODY; holder[at(x, y)] = NOBODY
}

inline export(x, y, z) {                             /* spark z from x to y */
  exports++;
  spark[at(x, z)] = EXPORTED; holder[at(x, z)] = y;
  h = x; w = 0;
  if
  :: thunk[x] == VALUE -> m = AS_VALUE
  :: thunk[x] == UNEVALUATED && unacked[x] == NOBODY -> m = AS_THUNK; move_thunk(x, y)
  :: thunk[x] == UNEVALUATED || thunk[x] == BLACK_HOLE || thunk[x] == EXPORTED ->
     m = AS_REFERENCE; lend(x, w)
  :: thunk[x] == FETCH_ME || thunk[x] == FETCHING ->
     m = AS_REFERENCE; h = home[x]; w = held[x] / 2; held[x] = held[x] - w
  fi;
  send(x, y, SCHEDULE, z, m, h, w)
}

inline on_schedule(x, from) {                        /* s, m, h, w */
  if
  :: spark[at(x, s)] == NONE -> spark[at(x, s)] = UNEVALUATED
  :: else                                            /* an orphan of it is here: it will do */
  fi;
  owed[at(x, s)] = from;
  if
  :: spark[at(x, s)] == VALUE -> evaluate_spark(x, s)
  :: else
  fi;
  if
  :: m == AS_VALUE ->
     if
     :: thunk[x] == NONE || thunk[x] == FETCH_ME || thunk[x] == FETCHING ->
        let_go(x); thunk[x] = VALUE; answer_waiting(x)
     :: else
     fi
  :: m == AS_THUNK -> arrive(x, from)
  :: m == AS_REFERENCE ->
     givers[x] = givers[x] | bit(from);
     if
     :: h == x -> lent[x] = lent[x] - w
     :: h != x && thunk[x] == NONE -> thunk[x] = FETCH_ME; home[x] = h; held[x] = w
     :: h != x && (thunk[x] == FETCH_ME || thunk[x] == FETCHING) && home[x] == h ->
        held[x] = held[x] + w
     :: else ->
        if
        :: w > 0 && !knows_dead(x, h) -> send(x, h, FREE, 0, 0, 0, w)
        :: else
        fi
     fi;
     /* what it refers to may be known to be dead already */
     if
     :: (thunk[x] == FETCH_ME) && knows_dead(x, home[x]) -> home[x] = from; held[x] = 0
     :: else
     fi
  fi
}

/* T itself has come to x: it is there from now on, and its sender is told. */
inline arrive(x, from) {
  if
  :: thunk[x] == NONE -> thunk[x] = UNEVALUATED
  :: thunk[x] == FETCH_ME || thunk[x] == FETCHING -> let_go(x); thunk[x] = UNEVALUATED
  :: thunk[x] == EXPORTED -> thunk[x] = UNEVALUATED
  :: else
  fi;
  guard[x] = true;
  lend(x, h);
  send(x, from, ACK, 0, 0, x, FULL)
}

inline on_fetch(x) {                                 /* q asks, m hops */
  assert(m < LONGEST_WAY);
  if
  :: knows_dead(x, q)
  :: else ->
     if
     :: thunk[x] == VALUE -> send(x, q, RESUME_VALUE, NOBODY, 0, 0, 0)
     :: thunk[x] == UNEVALUATED && q != x && unacked[x] == NOBODY ->
        move_thunk(x, q);
        send(x, q, RESUME_THUNK, 0, 0, x, w)
     :: thunk[x] == UNEVALUATED || thunk[x] == BLACK_HOLE || thunk[x] == EXPORTED ||
        thunk[x] == FETCHING ->
        if
        :: q != x -> waiting[x] = waiting[x] | bit(q)
        :: else
        fi
     :: thunk[x] == FETCH_ME -> happens(FORWARDED); send(x, home[x], FETCH, q, m + 1, 0, 0)
     :: thunk[x] == NONE -> assert(false)
     fi
  fi
}

inline on_value(x) {                                 /* s: which spark; NOBODY: T */
  if
  :: s == NOBODY ->
     if
     :: thunk[x] == FETCHING || thunk[x] == FETCH_ME ->
        let_go(x); thunk[x] = VALUE; guard[x] = false; answer_waiting(x)
     :: else -> happens(DUPLICATE)
     fi
  :: else ->
     if
     :: spark[at(x, s)] == EXPORTED -> evaluate_spark(x, s)
     :: else -> happens(DUPLICATE)
     fi
  fi
}

inline on_ack(x) {                                   /* h, w: where T is now, what that weighs */
  lent[x] = lent[x] - FULL; unacked[x] = NOBODY;
  if
  :: thunk[x] == EXPORTED ->
     thunk[x] = FETCH_ME; home[x] = h; held[x] = w;
     if
     :: waiting[x] != 0 -> ask(x)
     :: else
     fi
  :: else -> send(x, h, FREE, 0, 0, 0, w)
  fi
}

/* What x does when it is told that y is dead. */
inline sweep(x, y) {
  told[x] = told[x] | bit(y);
  waiting[x] = waiting[x] & ~bit(y);
  if
  :: unacked[x] == y -> unacked[x] = NOBODY
  :: else
  fi;
  each = 0;
  do
  :: each < 2 ->
     if
     :: spark[at(x, each)] == EXPORTED && holder[at(x, each)] == y ->
        if
        :: owed[at(x, each)] == NOBODY && x != 0 -> spark[at(x, each)] = NONE
        :: else -> happens(EXPORTED_REVERTS); spark[at(x, each)] = UNEVALUATED
        fi;
        holder[at(x, each)] = NOBODY
     :: else
     fi;
     if
     :: owed[at(x, each)] == y ->
        owed[at(x, each)] = NOBODY;
        if
        :: spark[at(x, each)] == UNEVALUATED -> happens(IMPORT_DROPPED); spark[at(x, each)] = NONE
        :: spark[at(x, each)] == BLACK_HOLE -> happens(ORPHANED)
        :: else
        fi
     :: else
     fi;
     each++
  :: else -> break
  od;
  each = 0;
  if
  :: (thunk[x] == EXPORTED || thunk[x] == FETCH_ME || thunk[x] == FETCHING) && home[x] == y ->
     held[x] = 0;
     if
     :: guard[x] -> happens(MOVED_REVERTS); thunk[x] = UNEVALUATED
     :: else ->
        find_giver(x, giver);
        if
        :: giver != NOBODY ->
           happens(GIVER_ASKED);
           home[x] = giver;
           if
           :: thunk[x] == FETCHING -> ask(x)
           :: else
           fi
        :: else ->                                   /* nobody who lives can want what needs it */
           happens(LOST);
           assert(owed[at(x, 0)] == NOBODY && owed[at(x, 1)] == NOBODY && waiting[x] == 0);
           spark[at(x, 0)] = NONE; spark[at(x, 1)] = NONE; thunk[x] = NONE; givers[x] = 0
        fi
     fi
  :: else ->
     if                                              /* y may have been about to send it on */
     :: thunk[x] == FETCHING -> happens(FETCH_AGAIN); ask(x)
     :: else
     fi
  fi
}

inline clear_wires_to(x) {
  v = 0;
  do
  :: v < PES ->
     do
     :: nempty(way(v, x)) -> way(v, x)?_, _, _, _, _, _
     :: empty(way(v, x)) -> break
     od;
     v++
  :: else -> break
  od;
  v = 0
}

inline die(x) {
  dead[x] = true; deaths++;
  clear_wires_to(x);
  if
  :: dead[1] && dead[2] -> happens(ALL_DEAD)
  :: else
  fi
}

/* x has the view. */
inline catch_up(x) {
  if
  :: (known & bit(x)) != 0 -> happens(FENCED); die(x)
  :: else
  fi;
  if
  :: !dead[x] && (known & bit(1)) != 0 && !knows_dead(x, 1) -> sweep(x, 1)
  :: else
  fi;
  if
  :: !dead[x] && (known & bit(2)) != 0 && !knows_dead(x, 2) -> sweep(x, 2)
  :: else
  fi
}

/* Who knows of fewer deaths than a message's sender leaves it unread until he has the view: else he may
   send a FETCH on to one of the dead after its sender has swept for the last time. */
#define of_view(from, x, deaths) way(from, x)?[_, _, _, _, _, deaths]
#define readable(from, x) (way(from, x)?[VIEW, _, _, _, _, _] || of_view(from, x, 0) || \
                           (knows_dead(x, 1) && of_view(from, x, 2)) || \
                           (knows_dead(x, 2) && of_view(from, x, 4)) || \
                           (knows_dead(x, 1) && knows_dead(x, 2) && of_view(from, x, 6)))

/* Room for all that a step may send. */
#define room(x) (len(way(x, 0)) < 6 && len(way(x, 1)) < 6 && len(way(x, 2)) < 6)

/* A message of a dead PE is no message. */
inline receive(x, from) {
  if
  :: way(from, x)?SCHEDULE(s, m, h, w, _) ->
     if
     :: knows_dead(x, from) -> happens(DEAD_MANS_MESSAGE)
     :: else -> on_schedule(x, from)
     fi
  :: way(from, x)?FETCH(q, m, _, _, _) ->
     if
     :: knows_dead(x, from) -> happens(DEAD_MANS_MESSAGE)
     :: else -> on_fetch(x)
     fi
  :: way(from, x)?RESUME_VALUE(s, _, _, _, _) ->
     if
     :: knows_dead(x, from) -> happens(DEAD_MANS_MESSAGE)
     :: else -> on_value(x)
     fi
  :: way(from, x)?RESUME_THUNK(_, _, _, w, _) ->
     if
     :: knows_dead(x, from) -> happens(DEAD_MANS_MESSAGE)
     :: else -> arrive(x, from)
     fi
  :: way(from, x)?ACK(_, _, h, w, _) ->
     if
     :: knows_dead(x, from) -> happens(DEAD_MANS_MESSAGE)
     :: else -> on_ack(x)
     fi
  :: way(from, x)?FREE(_, _, _, w, _) ->
     if
     :: knows_dead(x, from) -> happens(DEAD_MANS_MESSAGE)
     :: else -> assert(w <= lent[x]); lent[x] = lent[x] - w
     fi
  :: way(from, x)?VIEW(_, _, _, _, known) -> catch_up(x)
  fi
}

/* Told by the main PE, who sweeps at once. */
inline declare(y) {
  declared = declared | bit(y);
  told[0] = told[0] | bit(y);                        /* the view comes before all that rests on it */
  send(0, 1, VIEW, 0, 0, 0, 0);
  send(0, 2, VIEW, 0, 0, 0, 0);
  sweep(0, y)
}

/* Nothing is on its way: what each slot has lent is held by proxies; more, where a death has lost some. */
inline check_weights() {
  v = 0;
  do
  :: v < PES ->
     w = holds(0, v) + holds(1, v) + holds(2, v);
     assert(dead[v] || w <= lent[v]);
     assert(deaths > 0 || declared != 0 || w == lent[v]);
     v++
  :: else -> break
  od
}

inline evaluate_thunk(x) { thunk[x] = VALUE; guard[x] = false; answer_waiting(x) }

#define may_export(x, y, z) (x != y && exports < EXPORTS && !knows_dead(x, y) && !done && \
                             spark[at(x, z)] == UNEVALUATED && owed[at(x, z)] != y && \
                             !(held[x] == 1 && home[x] != x && !guard[x]))

proctype pe(byte me) {
  byte other1 = (me + 1) % PES;
  byte other2 = (me + 2) % PES;
end:
  do
  :: atomic { !dead[me] && room(me) && readable(me, me) -> receive(me, me) }
  :: atomic { !dead[me] && room(me) && readable(other1, me) -> receive(me, other1) }
  :: atomic { !dead[me] && room(me) && readable(other2, me) -> receive(me, other2) }
  :: atomic { !dead[me] && spark[at(me, 0)] == UNEVALUATED -> spark[at(me, 0)] = BLACK_HOLE }
  :: atomic { !dead[me] && spark[at(me, 1)] == UNEVALUATED -> spark[at(me, 1)] = BLACK_HOLE }
  :: atomic { !dead[me] && room(me) && spark[at(me, 0)] == BLACK_HOLE && thunk[me] == VALUE ->
              evaluate_spark(me, 0) }
  :: atomic { !dead[me] && room(me) && spark[at(me, 1)] == BLACK_HOLE && thunk[me] == VALUE ->
              evaluate_spark(me, 1) }
  :: atomic { !dead[me] && room(me) && wants_thunk(me) && thunk[me] == FETCH_ME -> ask(me) }
  :: atomic { !dead[me] && (wants_thunk(me) || waiting[me] != 0) && thunk[me] == UNEVALUATED ->
              thunk[me] = BLACK_HOLE }
  :: atomic { !dead[me] && room(me) && thunk[me] == BLACK_HOLE -> evaluate_thunk(me) }
  :: atomic { !dead[me] && room(me) && may_export(me, 1, 0) -> export(me, 1, 0) }
  :: atomic { !dead[me] && room(me) && may_export(me, 1, 1) -> export(me, 1, 1) }
  :: atomic { !dead[me] && room(me) && may_export(me, 2, 0) -> export(me, 2, 0) }
  :: atomic { !dead[me] && room(me) && may_export(me, 2, 1) -> export(me, 2, 1) }
  :: atomic { me != 0 && !dead[me] && deaths < DEATHS && !done -> die(me) }
  od
}

/* The main PE's watch, and its root. */
proctype main_pe() {
  do
  :: atomic { !done && room(0) && (declared & 2) == 0 && (dead[1] || deaths < DEATHS) -> declare(1) }
  :: atomic { !done && room(0) && (declared & 4) == 0 && (dead[2] || deaths < DEATHS) -> declare(2) }
  :: atomic { !done && spark[0] == VALUE && spark[1] == VALUE -> done = true }
  :: atomic { done && all_quiet -> check_weights() }; break
  od
}

init {
  atomic {
    spark[0] = UNEVALUATED; spark[1] = UNEVALUATED; thunk[0] = UNEVALUATED; guard[0] = true;
    run pe(0); run pe(1); run pe(2); run main_pe()
  }
}
