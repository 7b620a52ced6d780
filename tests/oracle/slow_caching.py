"""Slow caching: one reference after the other, the victim found by a scan."""

from collections import Counter
from math import inf

from tests.oracle.rules import draw, jain, share, split_mix, swap_remove


def slow_caching(keys, times, *, policy, params=None, mem, warmup=0, seed=0, pmf=None) -> dict:
    """Replay references to keys; `cached_after` holds the set of cached keys after each of them."""
    first_counted = sorted(set(times))[warmup:][:1]
    words = split_mix(seed)
    cached = []  # keys, in the order that rand draws from
    inserted = {}
    lifetimes, cached_after = [], []
    references = hits = evicted = dropped = 0
    for now, (key, time) in enumerate(zip(keys, times, strict=True)):
        counts = bool(first_counted) and time >= first_counted[0]
        references += counts
        if key in cached:
            hits += counts
        else:
            cached.append(key)
            inserted[key] = now
            if len(cached) > mem:
                if policy == "rand":
                    victim = cached[draw(words, len(cached))]
                else:
                    victim = min(
                        cached,
                        key=lambda k: (
                            score(policy, params or {}, keys, now, k, inserted[k], pmf),
                            uses(keys, now, k)[-1],
                        ),
                    )
                swap_remove(cached, cached.index(victim))
                lifetimes.append(time - times[inserted[victim]])
                dropped += victim == key
                evicted += victim != key
        cached_after.append(set(cached))
    return {
        "references": references,
        "hits": hits,
        "hit_ratio": share(hits, references),
        "evicted": evicted,
        "dropped": dropped,
        "mean_lifetime": share(sum(lifetimes), len(lifetimes)),
        "fairness": jain(lifetimes),
        "cached_after": cached_after,
    }


def uses(keys, now, key) -> list:
    """References to a key so far, this one included."""
    return [i for i in range(now + 1) if keys[i] == key]


def score(policy, params, keys, now, key, inserted, pmf):
    """The lowest goes first; among equals the least recently referenced."""
    past = uses(keys, now, key)
    if policy == "lru":
        return past[-1]
    if policy == "lfu":
        return Counter(keys[: now + 1])[key]
    if policy == "lru-k":
        k = params.get("k", 2)
        return past[-k] if len(past) >= k else -inf
    if policy == "fifo":
        return inserted
    if policy == "lfd":
        return -next((i for i in range(now + 1, len(keys)) if keys[i] == key), inf)
    if policy == "a0":
        return pmf.get(key, 0.0)
    raise ValueError(f"the oracle has no caching policy {policy}")
