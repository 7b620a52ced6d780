"""The slow join itself, by cases worked by hand and by SQL."""

import pytest
from hypothesis import given, settings

from tests.oracle.duck import duck_exact
from tests.oracle.rules import draw, memory_parts, split_mix
from tests.oracle.slow_join import slow_replay
from tests.oracle.strategies import exact_questions, join_cases, known_model_cases

IJOIN_R = ["a1", "b2", "c3", "d4", "d4", "b2", "a1", "c3"]
IJOIN_S = ["b2", "a1", "b2", "b2", "c3", "c3", "d4", "a1"]
IJOIN = [
    (time, stream, item[0], float(item[1]), None)
    for time, pair in enumerate(zip(IJOIN_R, IJOIN_S, strict=True), start=1)
    for stream, item in enumerate(pair)
]
IJOIN_OPTIONS = {"mem": 4, "split": "even", "window": 8}

# Cache contents (R, S) after times 2 to 8, oldest first.
TABLE_2B_FIFO = "ab ba, bc ab, cd bb, dd bc, db cc, ba cd, ac da"
TABLE_4_GREEDY = "ab ba, bc bb, cd bb, dd bc, dd cc, dd cd, dd cd"


def arrivals(text):
    """Rows from words like 3Rb (time, stream, key) or 3Rb4 (with an importance)."""
    rows = []
    for word in text.split():
        at = word.index("R") if "R" in word else word.index("S")
        importance = float(word[at + 2 :] or 1)
        rows.append((int(word[:at]), "RS".index(word[at]), word[at + 1], importance, None))
    return rows


def contents(rows, cached):
    """Keys in memory as in the paper's tables: those of R, then those of S."""
    return " ".join(
        "".join(rows[row][2] for row in sorted(cached) if rows[row][1] == stream)
        for stream in (0, 1)
    )


@pytest.mark.parametrize(
    ("policy", "order", "importance", "results"),
    [
        ("exact", "evict-first", 36, 16),
        ("exact", "probe-first", 36, 16),
        ("fifo", "evict-first", 6, 4),
        ("greedy", "evict-first", 13, 5),
        ("fifo", "probe-first", 20, 9),
        ("greedy", "probe-first", 23, 9),
    ],
)
def test_ijoin_example(policy, order, importance, results):
    run = slow_replay(IJOIN, policy=policy, order=order, **IJOIN_OPTIONS)
    assert (run["exact"], run["exact_importance"]) == (16, 36)
    assert (run["importance"], run["results"]) == (importance, results)


@pytest.mark.parametrize(("policy", "table"), [("fifo", TABLE_2B_FIFO), ("greedy", TABLE_4_GREEDY)])
def test_ijoin_memory_contents(policy, table):
    run = slow_replay(IJOIN, policy=policy, order="evict-first", **IJOIN_OPTIONS)
    assert [contents(IJOIN, cached) for cached in run["cached_after_step"][1:]] == table.split(", ")


def test_ijoin_greedy_output_per_step():
    run = slow_replay(IJOIN, policy="greedy", order="evict-first", **IJOIN_OPTIONS)
    produced = [(IJOIN[y][0], IJOIN[y][2]) for _, y in run["pairs"]]
    assert produced == [(2, "b"), (2, "a"), (3, "b"), (7, "d"), (7, "d")]


def test_same_step_pairs_are_counted_apart():
    rows = arrivals("1Ra 1Sa 2Ra")
    run = slow_replay(rows, policy="exact", mem=1)
    assert (run["exact"], run["results"], run["same_step_results"]) == (1, 1, 1)
    run = slow_replay(rows, policy="exact", mem=1, count_same_step=True)
    assert (run["exact"], run["results"], run["same_step_results"]) == (2, 2, 1)


def test_window_zero_expires_at_the_next_step():
    run = slow_replay(arrivals("1Ra 2Sa"), policy="fifo", mem=5, window=0)
    assert (run["exact"], run["recall"], run["expired"]) == (0, None, 1)
    assert run["fates"] == [("expired", 2), ("cached", None)]
    assert (run["mean_lifetime"], run["fairness"]) == (1.0, 1.0)


def test_each_stream_has_its_own_window():
    run = slow_replay(arrivals("1Ra 1Sb 3Sa 3Rb"), policy="exact", mem=1, window=(1, 3))
    assert run["pairs"] == [(1, 3)]


def test_tuple_window_holds_the_last_tuples():
    rows = arrivals("1Ra 2Rb 3Rc 9Sa 9Sb 9Sc")
    run = slow_replay(rows, policy="exact", mem=1, window=2, window_kind="tuples")
    assert run["pairs"] == [(1, 4), (2, 5)]
    assert run["fates"][:3] == [("expired", 9), ("cached", None), ("cached", None)]


@pytest.mark.parametrize(
    ("condition", "pairs"),
    [
        ({"on": "<"}, [(0, 3), (0, 4), (1, 4)]),
        ({"on": ">="}, [(0, 2), (1, 2), (1, 3)]),
        ({"on": "!="}, [(0, 2), (0, 3), (0, 4), (1, 2), (1, 4)]),
        ({"band": (-1, 0)}, [(0, 2), (1, 3)]),
        ({"band": (1, 2)}, [(0, 3), (0, 4), (1, 4)]),
    ],
)
def test_conditions_read_left_then_right(condition, pairs):
    rows = [(1, 0, 1, 1.0, None), (1, 0, 2, 1.0, None)]
    rows += [(2, 1, key, 1.0, None) for key in (0, 2, 3)]
    run = slow_replay(rows, policy="exact", mem=1, **condition)
    assert sorted(run["pairs"]) == pairs


def test_warmup_changes_results_only():
    rows = arrivals("1Ra 2Sa 3Sa")
    whole = slow_replay(rows, policy="fifo", mem=1)
    late = slow_replay(rows, policy="fifo", mem=1, warmup=2)
    assert (whole["exact"], whole["results"], whole["losses"]["evicted"]) == (2, 1, 1)
    assert (late["exact"], late["results"], late["losses"]["evicted"]) == (1, 0, 1)
    assert late["evicted"] == whole["evicted"] == 2
    assert slow_replay(rows, policy="fifo", mem=1, warmup=3)["recall"] is None


def test_until_expiry_serves_rows_first_come():
    run = slow_replay(arrivals("1Ra 1Rb 1Rc 2Rd"), policy="until-expiry", mem=2)
    assert run["cached_after_step"] == [{0, 1}, {0, 1}]
    assert (run["dropped"], run["evicted"], run["fairness"]) == (2, 0, None)


def test_prob_is_relative_to_the_other_stream():
    # Half of S joins Ra, all of R joins Sa, none of R joins Sb.
    run = slow_replay(arrivals("1Ra 1Sa 1Sb"), policy="prob", mem=1)
    assert run["cached_after_step"] == [{1}]


def test_known_model_replaces_the_counts():
    pmf = ({"a": 0.25, "b": 0.75}, {"a": 0.5, "b": 0.5})
    run = slow_replay(arrivals("1Ra 1Sa 1Sb"), policy="prob", mem=1, pmf=pmf)
    assert run["cached_after_step"] == [{2}]


def test_life_falls_as_the_window_runs_out():
    # At 2: Ra 2/3 of 3 left beats Rb 1/3 of 4. At 4: Ra 2/3 of 1 loses to Rb 1/3 of 4.
    rows = arrivals("1Ra 2Rb 2Sa 2Sa 2Sb 4Rb")
    options = {"mem": 1, "split": "1:0", "window": 4}
    assert slow_replay(rows, policy="life", **options)["cached_after_step"] == [{0}, {0}, {5}]
    assert slow_replay(rows, policy="prob", **options)["cached_after_step"] == [{0}, {0}, {0}]


@pytest.mark.parametrize(("window", "kept"), [(1, 1), (2, 0)])
def test_life_counts_tuples_in_tuple_windows(window, kept):
    # Rb is the newest R, so it has W tuples left and Ra W - 1; S is a in 3 of 4 arrivals.
    # W = 1: Ra 0, Rb 1/4. W = 2: Ra 3/4, Rb 2/4.
    rows = arrivals("1Ra 1Rb 1Sa 1Sa 1Sa 1Sb")
    options = {"mem": 1, "split": "1:0", "window": window, "window_kind": "tuples"}
    assert slow_replay(rows, policy="life", **options)["cached_after_step"] == [{kept}]


@pytest.mark.parametrize(
    ("window", "exact", "expired_losses", "how"), [(None, 2, 1, "left"), (2, 1, 0, "expired")]
)
def test_ttl_loses_results_only_inside_the_window(window, exact, expired_losses, how):
    rows = arrivals("1Ra 3Sa 4Sa")
    run = slow_replay(rows, policy="ttl", params={"left": 2}, mem=9, window=window)
    assert (run["exact"], run["results"], run["losses"]["expired"]) == (exact, 1, expired_losses)
    assert (run["expired"], run["fates"][0]) == (1, (how, 4))


def test_jtl_leaves_after_matches():
    run = slow_replay(arrivals("1Ra 2Sa 2Sa 3Sa"), policy="jtl", params={"n": 1}, mem=1)
    assert run["pairs"] == [(0, 1), (0, 2)]
    assert run["fates"] == [("left", 2), ("left", 2), ("left", 2), ("cached", None)]
    assert (run["expired"], run["dropped"], run["evicted"]) == (3, 0, 0)
    assert run["losses"] == {"never_admitted": 0, "evicted": 0, "expired": 1}


def test_jtl_under_evict_first_waits_for_the_end_of_the_step():
    rows = arrivals("1Ra 2Sa 3Sa")
    run = slow_replay(rows, policy="jtl", params={"n": 1}, mem=2, order="evict-first")
    assert run["fates"] == [("left", 2), ("left", 2), ("cached", None)]
    assert run["occupancy_left"] == 0.5  # shares 1, 1/2 and 0 after each keep


def test_dropped_arrival_does_not_probe_under_evict_first():
    rows = arrivals("1Ra5 2Sa1")
    probe_first = slow_replay(rows, policy="greedy", mem=1)
    evict_first = slow_replay(rows, policy="greedy", mem=1, order="evict-first")
    assert (probe_first["results"], evict_first["results"]) == (1, 0)
    assert evict_first["losses"] == {"never_admitted": 1, "evicted": 0, "expired": 0}


def test_eviction_in_the_very_step_counts_as_evicted():
    run = slow_replay(arrivals("1Ra 2Sa"), policy="fifo", mem=1, order="evict-first")
    assert run["losses"] == {"never_admitted": 0, "evicted": 1, "expired": 0}


def test_rand_draws_from_splitmix():
    words = split_mix(0)
    assert [next(words) for _ in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    assert draw(split_mix(0), 3) == 2  # 0.883 of 3
    run = slow_replay(arrivals("1Ra 2Rb 3Rc"), policy="rand", mem=1)
    assert run["fates"] == [("evicted", 3), ("dropped", 2), ("cached", None)]
    # A shared pool counts left tuples first: 0.883 of 2 is the only right one.
    assert slow_replay(arrivals("1Sa 1Rb"), policy="rand", mem=1)["cached_after_step"] == [{1}]


def test_split_rounds_half_up():
    sizes = [[size for size, _ in memory_parts(*part)] for part in ((5, "even"), (1, "even"))]
    assert sizes == [[3, 2], [1, 0]]
    assert memory_parts(10, "3:7") == [(3, (0,)), (7, (1,))]
    assert memory_parts(5, "0:1") == [(0, (0,)), (5, (1,))]


def test_groups_follow_the_later_tuple():
    rows = [(1, 0, "a", 1.0, "x"), (2, 1, "a", 2.0, "y"), (4, 1, "a", 3.0, "x")]
    groups = slow_replay(rows, policy="fifo", mem=1)["groups"]
    assert (groups["y"]["results"], groups["y"]["exact"], groups["y"]["importance"]) == (1, 1, 1.0)
    assert (groups["x"]["results"], groups["x"]["exact"], groups["x"]["recall"]) == (0, 1, 0.0)
    assert (groups["x"]["fairness"], groups["y"]["fairness"]) == (1.0, 1.0)


def test_fairness_and_lifetime():
    # Ra is evicted at 3 (lifetime 2), Rb dropped at 1 (lifetime 0).
    run = slow_replay(arrivals("1Ra5 1Rb1 3Rc6"), policy="greedy", mem=1)
    assert (run["fairness"], run["mean_lifetime"], run["occupancy_left"]) == (0.5, 1.0, 1.0)


def test_empty_trace():
    run = slow_replay([], policy="prob", mem=1)
    assert (run["exact"], run["results"], run["exact_importance"]) == (0, 0, 0.0)
    undefined = ["recall", "importance_recall", "fairness", "occupancy_left", "mean_lifetime"]
    assert all(run[name] is None for name in undefined)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(exact_questions())
def test_exact_join_equals_sql(question):
    rows, options = question
    run = slow_replay(rows, policy="exact", mem=1, **options)
    sql = duck_exact(rows, **options)
    assert {name: run[name] for name in sql} == sql
    assert run["results"] == run["exact"]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(join_cases() | known_model_cases())
def test_books_balance(case):
    rows, options = case
    run = slow_replay(rows, **options)
    assert run["results"] + sum(run["losses"].values()) == run["exact"]
    if options["policy"] != "exact":
        assert all(len(cached) <= options["mem"] for cached in run["cached_after_step"])
    cached = len(run["cached_after_step"][-1]) if rows else 0
    assert run["evicted"] + run["dropped"] + run["expired"] + cached == len(rows)
