"""Every lost pair, against the slow engine; and the tables that are made of them."""

from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from streamjoin_core.explanation.counting import list_partners
from streamjoin_core.explanation.ledger import _table
from streamjoin_core.explanation.run import analyse, explained_plan
from tests.oracle.rules import window_pair
from tests.oracle.slow_join import Arrivals, slow_replay
from tests.oracle.strategies import join_cases
from tests.small_traces import SMALL, trace
from tests.test_against_oracle import as_policy, as_trace, examples

CAUSES = {
    "dropped": "dropped on arrival",
    "evicted": "evicted too early",
    "left": ("past its time to live", "had joined often enough"),
}


def lost_slowly(rows, slow, options) -> set:
    """Pairs after the warm-up that an unlimited memory has and the slow engine has not."""
    join = Arrivals(
        rows,
        window_pair(options["window"]),
        options["window_kind"],
        options.get("on", "="),
        options.get("band"),
    )
    counted = [pair for pair in join.exact_pairs if join.step_of[pair[1]] >= options["warmup"]]
    return {*counted} - {*slow["pairs"]}


def idle_slowly(rows, slow, x, y, parts) -> bool:
    """Whether from x's leaving to y memory held another one without a result from then on."""
    steps = slow["cached_after_step"]
    step_of = {row: step for step, here in enumerate(_steps(rows)) for row in here}
    gone_at = next(s for s in range(step_of[x], len(steps)) if x not in steps[s])
    others = set.intersection(*(steps[s] for s in range(gone_at, step_of[y])))
    others = {z for z in others if parts == 1 or rows[z][1] == rows[x][1]}
    return any(
        not any(step_of[later] > gone_at for z1, later in slow["pairs"] if z1 == z) for z in others
    )


def _steps(rows):
    times = sorted({row[0] for row in rows})
    return [[n for n, row in enumerate(rows) if row[0] == time] for time in times]


@examples(3)
@given(join_cases())
def test_the_ledger_has_every_lost_pair(case):
    rows, options = case
    assume(options["order"] == "probe-first")
    policy = as_policy(options["policy"], options["params"])
    asked = {
        name: value
        for name, value in options.items()
        if name not in ("policy", "params", "mem", "warmup", "seed")
    }
    plan = explained_plan(
        policy=policy,
        mem=options["mem"],
        warmup=options["warmup"],
        seed=options["seed"],
        model=None,
        **asked,
    )
    analysis = analyse(plan, as_trace(rows))
    slow = slow_replay(rows, **options)
    pairs = list_partners(
        analysis.join,
        analysis.losses.partners,
        analysis.fates.until,
        analysis.losses.lost,
        range(len(rows)),
    )
    ledger = _table(analysis, pairs).to_pylist()
    lost = lost_slowly(rows, slow, options)
    assert len(ledger) == len(lost)
    assert {(entry["row"], entry["missed_row"]) for entry in ledger} == lost
    for entry in ledger:
        how, when = slow["fates"][entry["row"]]
        assert entry["cause"] in CAUSES[how]
        assert entry["decision_time"] == when
        if how in ("dropped", "evicted") and options["warmup"] == 0:
            idle = idle_slowly(rows, slow, entry["row"], entry["missed_row"], len(analysis.parts))
            assert entry["beside_idle"] == idle
    # The optimum's pairs, counted from either side.
    losses = analysis.losses
    if analysis.best is not None:
        optimum = losses.arrived_to_optimum.sum()
        assert (
            optimum == losses.produced.sum() + losses.had_by_optimum.sum() - losses.only_here.sum()
        )
        had = [entry["had_by_optimum"] for entry in ledger]
        assert sum(had) == losses.had_by_optimum.sum()
        assert optimum >= losses.produced.sum() or policy == "exact"
    assert np.array_equal(losses.arrived_to.sum(), losses.produced.sum())


def test_tables_add_up(tmp_path):
    tower = sj.generate("tower", steps=800, seed=2)
    path = tmp_path / "losses.parquet"
    told = sj.explain(tower, policy="prob", mem=6, window="10:15", ledger=path, top=5)
    (run,) = sj.replay(tower, policy="prob", mem=6, window="10:15", opt=True).runs
    assert (told.exact, told.results) == (run.exact, run.results)
    assert told.results / told.optimum == run.ratio_to_opt
    causes = {cause.cause: cause.lost for cause in told.causes}
    assert causes == {
        "dropped on arrival": run.losses["never_admitted"],
        "evicted too early": run.losses["evicted"],
    }
    assert told.lost == sum(causes.values()) == sum(stream.lost for stream in told.streams)
    assert told.optimum - told.results == told.only_optimum - told.only_run
    assert sum(period.results for period in told.periods) == told.results
    assert sum(period.optimum for period in told.periods) == told.optimum
    ledger = pq.read_table(path)
    assert len(ledger) == told.lost
    by_row = Counter(ledger["row"].to_pylist())
    for worst in told.worst:
        assert worst.lost == by_row[worst.row]
    by_key = Counter(ledger["key"].to_pylist())
    assert [key.lost for key in told.keys] == sorted(by_key.values(), reverse=True)[:5]


def test_the_one_that_stayed_is_named():
    """Memory 1 and oldest first: each newcomer takes the place of the one before."""
    told = sj.explain(SMALL, policy="fifo", mem=1)
    first = next(worst for worst in told.worst if worst.row == 0)
    assert (first.key, first.left_at, first.lost, first.produced) == ("a", 2, 2, 0)
    assert (first.stayed_row, first.stayed_key, first.stayed_produced) == (1, "b", 0)


def test_nothing_lost():
    told = sj.explain(SMALL, policy="fifo", mem=10)
    assert (told.lost, told.causes, told.worst, told.keys) == (0, (), (), ())


def test_an_empty_trace():
    told = sj.explain(trace(""), policy="fifo", mem=1)
    assert (told.exact, told.optimum, told.periods) == (0, None, ())


def test_without_the_optimum():
    told = sj.explain(SMALL, policy="fifo", mem=1, opt=False)
    assert (told.optimum, told.only_optimum, told.causes[0].had_by_optimum) == (None, None, None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": "evict-first"}, "probe-first only"),
        ({"policy": "fifo,prob"}, "one run is explained at a time"),
        ({"mem": "1,2"}, "one run is explained at a time"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(InputError, match=words):
        sj.explain(SMALL, **{"policy": "fifo", "mem": 1} | options)


def test_whoever_stayed_is_still_there_when_the_step_ends():
    rows = sj.trace_from_arrays([1, 2, 2, 3], ["a", "b", "c", "a"], ["R", "R", "R", "S"])
    (worst,) = sj.explain(rows, policy="fifo", mem=1, opt=False).worst
    assert (worst.row, worst.stayed_row, worst.stayed_key) == (0, 2, "c")


def test_more_keys_than_a_byte_can_count():
    """Streams are bytes, which stay so where the engine runs as plain Python."""
    times = list(range(600))
    rows = sj.trace_from_arrays(times, [time // 2 for time in times], ["R", "S"] * 300)
    told = sj.explain(rows, policy="fifo", mem=1)
    assert (told.results, told.optimum, told.exact) == (300, 300, 300)
