"""Bounds and baselines; and the repository's own baseline, which no policy may fall behind."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from streamjoin_core.report.verdict_output import github_annotations, write_junit
from tests.small_traces import SMALL, references

ROOT = Path(__file__).resolve().parents[1]
ASKED = {"policy": "fifo", "mem": "1,2"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sj.write_trace(SMALL, "small.parquet")


def test_the_sample_traces_reach_their_baseline():
    verdict = sj.check_baseline(ROOT / "traces" / "baseline.json")
    assert len(verdict.findings) > 30
    assert verdict.breaches == []


def test_bounds(folder):
    # Of 5 results fifo has 1 with memory 1, and 4 with memory 2; the optimum has 3 and 5.
    verdict = sj.check("small.parquet", **ASKED, min_recall=0.8, min_ratio_to_opt=0.7)
    assert [finding.holds for finding in verdict.findings] == [False, True, False, True]
    assert [finding.got for finding in verdict.breaches] == [0.2, 1 / 3]


def test_what_is_undefined_reaches_no_bound():
    lonely = sj.trace_from_arrays([1], ["a"], ["R"])
    assert len(sj.check(lonely, policy="fifo", mem=1, min_recall=0.0).breaches) == 1


def test_a_baseline_is_held_against(folder):
    sj.check("small.parquet", **ASKED, baseline="base.json", update_baseline=True)
    assert sj.check("small.parquet", **ASKED, baseline="base.json").breaches == []
    assert sj.check_baseline("base.json").breaches == []
    content = json.loads(Path("base.json").read_text())
    (entry,) = content["entries"]
    assert entry["trace"] == "small.parquet"
    entry["reached"]["fifo"]["2"] += 0.05
    Path("base.json").write_text(json.dumps(content))
    (breach,) = sj.check_baseline("base.json").breaches
    assert (breach.label, breach.mem) == ("fifo", 2)
    assert breach.change == pytest.approx(-0.05)
    assert sj.check_baseline("base.json", max_regression=0.06).breaches == []
    assert sj.check_baseline("base.json", update_baseline=True).findings == ()
    assert sj.check_baseline("base.json").breaches == []


def test_an_update_keeps_other_questions(folder):
    for options in ({}, {"window": 3}, {"window": 3, "mem": 3}):
        asked = ASKED | options
        sj.check("small.parquet", **asked, baseline="base.json", update_baseline=True)
    entries = json.loads(Path("base.json").read_text())["entries"]
    assert sorted(len(entry["reached"]["fifo"]) for entry in entries) == [2, 3]


def test_a_baseline_may_be_of_caching_and_without_limit(folder):
    sj.write_trace(references("abcabb"), "cache.parquet")
    options = {"baseline": "base.json", "update_baseline": True}
    sj.check("cache.parquet", policy="lru", mem=2, problem="caching", **options)
    sj.check("small.parquet", policy="ttl:left=2,right=3", **options)
    findings = sj.check_baseline("base.json").findings
    assert [(f.label, f.mem, f.measure, f.holds) for f in findings] == [
        ("lru", 2, "hit_ratio", True),
        ("ttl:left=2,right=3", None, "recall", True),
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "nothing to check"),
        ({"min_recall": 1.5}, "least recall is 1.5"),
        ({"update_baseline": True, "min_recall": 0.5}, "no baseline to update"),
        ({"baseline": "gone.json"}, "cannot read gone.json"),
        ({"baseline": "base.json", "window": 9}, "tells nothing of small.parquet"),
        ({"baseline": "base.json", "mem": 3}, "nothing of fifo with memory 3"),
        ({"baseline": "small.parquet"}, "no JSON"),
    ],
)
def test_refusals(folder, options, words):
    sj.check("small.parquet", **ASKED, baseline="base.json", update_baseline=True)
    with pytest.raises(InputError, match=words):
        sj.check("small.parquet", **ASKED | options)


def test_another_trace_under_the_same_name(folder):
    sj.check("small.parquet", **ASKED, baseline="base.json", update_baseline=True)
    sj.write_trace(sj.trace_from_arrays([1], ["a"], ["R"]), "small.parquet")
    with pytest.raises(InputError, match="is not the trace that"):
        sj.check_baseline("base.json")


def test_for_build_servers(folder):
    os.rename("small.parquet", "a,b%.parquet")
    verdict = sj.check("a,b%.parquet", **ASKED, min_recall=0.5)
    (line,) = github_annotations(verdict).splitlines()
    assert line.startswith("::error file=a%2Cb%25.parquet,title=sjoin check::fifo with memory 1: ")
    write_junit(verdict, "out.xml")
    suites = ElementTree.parse("out.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    (failure,) = suites.iter("failure")
    assert "recall is 0.2, at least 0.5 is wanted" in failure.get("message")
