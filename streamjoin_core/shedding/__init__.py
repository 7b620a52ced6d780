"""Shedding when the processor is the limit: which tuples probe and enter under a budget.

Eq. 2 of Ayad, Naughton, Wright and Srivastava (2005) says what a windowed join costs: `update` for
each tuple that enters memory (it pays for leaving, too), and `production` for each result. A
strategy decides for each arrival whether it probes and whether it enters:

    CF   coin flipping      both, or neither
    INP  insert, no probe   it enters, and probes or not
    PNI  probe, no insert   it probes, and enters or not

A replay under a budget goes, step by step, as every replay, probe-first:

1. The purse, a token bucket, gets rate * (time since the step before), up to `burst`; the first
   step starts with a full burst.
2. Who is outside its window leaves, for nothing.
3. Arrivals probe by row, if the strategy wants it: they meet their partners in memory, the oldest
   first, for `production` each, as far as the purse goes. The rest is lost to the budget.
4. Arrivals enter by row, if the strategy wants it and the purse holds `update`, which is paid if
   the memory's policy lets them in. Otherwise they are gone.

So from any time to any other the cost is at most burst + rate * (time between them). Pairs of one
step need no memory: they cost nothing and are counted apart, as everywhere.
"""
