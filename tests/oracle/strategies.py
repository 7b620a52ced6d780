"""Small traces and crossed options for hypothesis.

Importances, float keys, bands and probabilities are dyadic, so that every sum is exact and a
difference between two engines is never rounding.
"""

from collections import Counter
from itertools import accumulate

from hypothesis import strategies as st

WORDS = ["", "a", "B", "ab", "é", "z"]
JOIN_POLICIES = [
    "exact",
    "rand",
    "fifo",
    "recent",
    "until-expiry",
    "prob",
    "size",
    "life",
    "greedy",
    "ttl",
    "jtl",
]
CACHING_POLICIES = ["lru", "lfu", "lru-k", "fifo", "rand", "lfd", "a0"]
COMPARISONS = ["=", "=", "=", "<", "<=", "!=", ">=", ">"]

seeds = st.sampled_from([0, 1, 2, 12345, 2**63 - 1])


@st.composite
def times(draw, max_rows=40) -> list:
    """Non-decreasing times, with steps of several rows and with gaps."""
    gaps = draw(st.lists(st.sampled_from([0, 0, 1, 1, 1, 2, 5]), max_size=max_rows))
    now, result = draw(st.integers(-3, 3)), []
    for gap in gaps:
        now += gap
        result.append(now)
    return result


@st.composite
def key_sets(draw) -> list:
    """One to six distinct keys of one kind."""
    kind = draw(st.sampled_from(["int", "int", "float", "str"]))
    size = draw(st.integers(1, 6))
    if kind == "str":
        return draw(st.permutations(WORDS))[:size]
    first, width = draw(st.integers(-2, 2)), draw(st.sampled_from([1, 1, 3]))
    scale = 1 if kind == "int" else 0.5
    return [(first + width * i) * scale for i in range(size)]


@st.composite
def traces(draw, max_rows=40) -> list:
    """Rows of (time, stream, key, importance, group) as the slow join takes them."""
    moments = draw(times(max_rows))
    columns = [
        draw(st.sampled_from([st.integers(0, 1), st.integers(0, 1), st.just(0)])),
        st.sampled_from(draw(key_sets())),
        draw(st.sampled_from([st.just(1.0), st.integers(0, 8).map(lambda n: n / 4)])),
        draw(st.sampled_from([st.none(), st.sampled_from(["x", "y", "z"])])),
    ]
    size = len(moments)
    drawn = draw(st.lists(st.tuples(*columns), min_size=size, max_size=size))
    rows = [(time, *rest) for time, rest in zip(moments, drawn, strict=True)]
    if rows and not any(row[1] == 0 for row in rows):
        # A label that occurs alone is the left one.
        rows = [(time, 0, *rest) for time, _, *rest in rows]
    return rows


@st.composite
def dense_traces(draw) -> list:
    """Two streams that join often, so that budgets run out in the middle of things."""
    row = st.tuples(
        st.sampled_from([0, 0, 1, 1, 2]), st.integers(0, 1), st.sampled_from("aab"),
        st.sampled_from([1.0, 0.5, 2.25]), st.none(),
    )  # fmt: skip
    drawn = draw(st.lists(row, min_size=10, max_size=30))
    times = accumulate(gap for gap, *_ in drawn)
    rows = [(time, *rest) for time, (_, *rest) in zip(times, drawn, strict=True)]
    return rows if any(row[1] == 0 for row in rows) else []


@st.composite
def windows(draw):
    width = st.integers(0, 12)
    return draw(st.one_of(width, st.tuples(width, width)))


@st.composite
def parameters(draw, policy) -> dict:
    if policy == "ttl":
        sides = draw(st.sampled_from([("left",), ("right",), ("left", "right")]))
        return {side: draw(st.integers(0, 8)) for side in sides}
    if policy == "jtl":
        return {"n": draw(st.integers(1, 4))}
    if policy == "lru-k":
        return draw(st.sampled_from([{}, {"k": 1}, {"k": 2}, {"k": 3}]))
    return {}


@st.composite
def conditions(draw, numeric) -> dict:
    """Equality, a comparison or, for numbers, a band."""
    if numeric and draw(st.integers(0, 3)) == 0:
        low, width = draw(st.integers(-6, 4)), draw(st.integers(0, 8))
        return {"band": (low / 2, (low + width) / 2)}
    return {"on": draw(st.sampled_from(COMPARISONS))}


@st.composite
def exact_questions(draw) -> tuple:
    """A trace and the options that decide the exact join under time windows."""
    rows = draw(traces())
    return rows, {
        **draw(conditions(numeric=not any(isinstance(row[2], str) for row in rows))),
        "window": draw(st.one_of(st.none(), windows())),
        "combine": draw(st.sampled_from(["min", "max", "sum", "product"])),
        "warmup": draw(st.sampled_from([0, 0, 0, 1, 3, 10])),
        "count_same_step": draw(st.booleans()),
    }


@st.composite
def join_cases(draw, policies=JOIN_POLICIES) -> tuple:
    """A trace and the options of a replay, everything crossed, as keywords of the slow join."""
    rows, options = draw(exact_questions())
    policy = draw(st.sampled_from(policies))
    if policy == "life" and options["window"] is None:
        options["window"] = draw(windows())
    return rows, {
        **options,
        "policy": policy,
        "params": draw(parameters(policy)),
        "mem": draw(st.integers(1, 6)),
        "window_kind": draw(st.sampled_from(["time", "tuples"])),
        "split": draw(st.sampled_from(["shared", "shared", "even", "1:3", "2:1", "0:1"])),
        "order": draw(st.sampled_from(["probe-first", "evict-first"])),
        "seed": draw(seeds),
    }


@st.composite
def pmfs(draw, keys) -> dict:
    """Probabilities in sixteenths; some keys may be missing, one never occurs in the trace."""
    largest = max(keys, default=0)
    unseen = largest + ("q" if isinstance(largest, str) else 1)
    chosen = st.sampled_from([*sorted(set(keys)), unseen])
    sample = draw(st.lists(chosen, min_size=16, max_size=16))
    return {key: count / 16 for key, count in Counter(sample).items()}


@st.composite
def known_model_cases(draw) -> tuple:
    """A case of prob whose stationary model is known."""
    rows, options = draw(join_cases(["prob"]))
    keys = [row[2] for row in rows]
    return rows, {**options, "pmf": (draw(pmfs(keys)), draw(pmfs(keys)))}


@st.composite
def caching_cases(draw) -> tuple:
    """Keys, times and the options of a caching replay."""
    moments = draw(times())
    distinct = draw(key_sets())
    size = len(moments)
    keys = draw(st.lists(st.sampled_from(distinct), min_size=size, max_size=size))
    policy = draw(st.sampled_from(CACHING_POLICIES))
    return (keys, moments), {
        "policy": policy,
        "params": draw(parameters(policy)),
        "mem": draw(st.integers(1, 5)),
        "warmup": draw(st.sampled_from([0, 0, 1, 3, 10])),
        "seed": draw(seeds),
        "pmf": draw(pmfs(keys)) if policy == "a0" else None,
    }
