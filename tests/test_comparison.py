"""Two reports side by side."""

import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError

TOWER = sj.generate("tower", steps=400, seed=1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(name: str, trace=TOWER, **options) -> str:
    sj.write_report(sj.replay(trace, **options), name)
    return name


def by_measure(found, label: str) -> dict:
    return {one.measure: one for one in found.differences if one.label == label}


def test_pairs_over_seeds():
    asked = {"policy": "rand,fifo", "mem": 5, "seeds": 8}
    one, other = written("a.json", **asked), written("b.json", **asked | {"mem": [5, 6]}, window=8)
    found = sj.compare(one, other)
    rand, fifo = by_measure(found, "rand")["recall"], by_measure(found, "fifo")["recall"]
    assert (rand.seeds, fifo.seeds) == (8, 1)
    assert fifo.p is None
    assert fifo.is_significant == (fifo.change != 0)
    from scipy.stats import ttest_rel

    runs = [
        [run.recall for run in sj.replay(TOWER, policy="rand", mem=5, seeds=8, window=w).runs]
        for w in (None, 8)
    ]
    assert rand.p == pytest.approx(ttest_rel(*runs).pvalue, abs=1e-9)
    assert rand.is_significant == (rand.p < 0.05)
    assert rand.change == pytest.approx(sum(runs[1]) / 8 - sum(runs[0]) / 8)
    assert (found.only_first, found.only_second) == ((), ("rand 6", "fifo 6"))
    assert found.options["window"] == (None, [8, 8])
    assert found.same_trace


def test_the_same_report_differs_in_nothing():
    name = written("a.json", policy="rand,fifo", mem=5, seeds=3)
    found = sj.compare(name, name)
    assert found.options == {}
    assert not any(one.is_significant for one in found.differences)
    assert {one.change for one in found.differences} == {0.0}


def test_one_seed_of_chance_tells_nothing():
    one = written("a.json", policy="rand", mem=5)
    other = written("b.json", sj.generate("tower", steps=400, seed=2), policy="rand", mem=5)
    found = sj.compare(one, other)
    assert not found.same_trace
    assert by_measure(found, "rand")["recall"].is_significant is None


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"runs": [], "trace": 1, "options": 2}'])
def test_what_is_no_report(content):
    with open("a.json", "w") as file:
        file.write(content)
    with pytest.raises(InputError, match="it is no report"):
        sj.compare("a.json", "a.json")
    with pytest.raises(InputError, match="No such file"):
        sj.compare("gone.json", "a.json")
