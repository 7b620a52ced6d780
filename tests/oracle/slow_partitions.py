"""Partitions in plain Python: the hash from its definition, and counts added up by hand."""

import struct

from tests.oracle.rules import jain, share
from tests.oracle.slow_join import slow_replay

_64_BITS = 2**64
_SUMMED = ("exact", "results", "same_step_results", "exact_importance", "importance")
_COUNTED = ("evicted", "dropped", "expired")


def slow_hash(key) -> int:
    """The hash of one key."""
    if isinstance(key, str):
        word = 0xCBF29CE484222325
        for byte in key.encode():
            word = (word ^ byte) * 0x100000001B3 % _64_BITS
    elif isinstance(key, float):
        (word,) = struct.unpack("<Q", struct.pack("<d", 0.0 if key == 0 else key))
    else:
        word = key % _64_BITS
    return mixed(word)


def mixed(word: int) -> int:
    """MurmurHash3's finaliser."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        word = (word ^ (word >> 33)) * factor % _64_BITS
    return word ^ (word >> 33)


def slow_seed(seed: int, number: int) -> int:
    return seed if number == 0 else mixed((mixed(seed) + number) % _64_BITS) >> 1


def slow_balance(keys, partitions) -> dict:
    """The partition of each key, with heavy ones packed one by one."""
    weights = {key: keys.count(key) for key in set(keys)}
    heavy = [key for key in weights if 16 * partitions * weights[key] > len(keys)]
    place = {key: slow_hash(key) % partitions for key in weights if key not in heavy}
    loads = [sum(weights[k] for k in place if place[k] == p) for p in range(partitions)]
    for key in sorted(heavy, key=lambda key: (-weights[key], key)):
        place[key] = loads.index(min(loads))
        loads[place[key]] += weights[key]
    return place


def slow_partitioned(rows, partitions, *, balance=False, mem, warmup=0, seed=0, **options) -> dict:
    """Every measure of a replay of rows that are cut by key."""
    keys = [row[2] for row in rows]
    place = {key: slow_hash(key) % partitions for key in keys}
    if balance:
        place = slow_balance(keys, partitions)
    steps = sorted({row[0] for row in rows})
    runs = []
    for number in range(partitions):
        own = [row for row in rows if place[row[2]] == number]
        memory = mem // partitions + (1 if number < mem % partitions else 0)
        # Warm-up counts the steps of the whole trace, of which a partition has only some.
        warm = len({row[0] for row in own} & set(steps[:warmup]))
        chance = slow_seed(seed, number)
        run = slow_replay(own, mem=memory, warmup=warm, seed=chance, **options)
        runs.append((own, run))
    return _together(runs)


def _together(runs) -> dict:
    found = {name: sum(run[name] for _, run in runs) for name in (*_SUMMED, *_COUNTED)}
    lives = [life for own, run in runs for life in _lifetimes(own, run)]
    shares = [one for own, run in runs for one in _left_shares(own, run)]
    return found | {
        "recall": share(found["results"], found["exact"]),
        "importance_recall": share(found["importance"], found["exact_importance"]),
        "fairness": jain([life for _, life in lives]),
        "mean_lifetime": share(sum(life for _, life in lives), len(lives)),
        "occupancy_left": share(sum(shares), len(shares)),
        "losses": {
            cause: sum(run["losses"][cause] for _, run in runs)
            for cause in ("never_admitted", "evicted", "expired")
        },
        "groups": _groups(runs, lives),
    }


def _lifetimes(own, run) -> list:
    """Group and lifetime of everyone who left."""
    return [
        (own[row][4], left - own[row][0])
        for row, (how, left) in enumerate(run["fates"])
        if how != "cached"
    ]


def _left_shares(own, run) -> list:
    """The left stream's share of the used memory after each of the partition's steps."""
    return [
        sum(own[row][1] == 0 for row in cached) / len(cached)
        for cached in run["cached_after_step"]
        if cached
    ]


def _groups(runs, lives):
    known = [run["groups"] for _, run in runs if run["groups"] is not None]
    if not known:
        return None
    names = ("exact", "results", "exact_importance", "importance")
    found = {}
    for group in sorted({group for groups in known for group in groups}):
        own = [groups[group] for groups in known if group in groups]
        sums = {name: sum(entry[name] for entry in own) for name in names}
        found[group] = sums | {
            "recall": share(sums["results"], sums["exact"]),
            "importance_recall": share(sums["importance"], sums["exact_importance"]),
            "fairness": jain([life for of, life in lives if of == group]),
        }
    return found
