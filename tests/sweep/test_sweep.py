"""Sweeps: the same runs as replays, in any number of processes, and after interruptions."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError, SjoinError
from streamjoin_core.forked import spread
from tests.small_traces import SMALL, references

TOWER = sj.generate("tower", steps=300, seed=1)
ASKED = {"policy": "fifo,rand,opt", "mem": "2,5", "seeds": 3, "window": "10:15"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def interrupt_after(tasks: int):
    def progress(what, done, total):
        if what.startswith("sweeping ") and done == tasks:
            raise KeyboardInterrupt

    return progress


def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize("jobs", [1, 2])
def test_runs_are_those_of_replay(jobs):
    swept = sj.sweep(TOWER, **ASKED, jobs=jobs)
    replayed = sj.replay(TOWER, **ASKED | {"policy": "fifo,rand"}, opt=True)
    assert [run for run in swept.runs if run.label != "opt"] == list(replayed.runs)
    assert swept.summaries == replayed.summaries
    assert len(swept.runs) == 2 + 6 + 2


def test_the_optimum_is_one_curve():
    options = {"window": "10:15", "mem": "3,1,7", "warmup": 9, "count_same_step": True}
    swept = sj.sweep(TOWER, policy="opt", jobs=1, **options)
    solved = sj.opt_offline(TOWER, **options)
    names = ("mem", "results", "recall", "exact", "importance_recall")
    got, expected = (
        [[getattr(run, name) for name in names] for run in report.runs]
        for report in (swept, solved)
    )
    assert got == expected
    assert {run.ratio_to_opt for run in swept.runs} == {1.0}
    assert swept.runs[0].fairness is None  # depends on which of the best schedules is taken
    assert swept.runs[0].losses == {"never_admitted": None, "evicted": None, "expired": None}


def test_importance_may_be_the_objective():
    trace = sj.generate("importance", steps=2000, seed=1)
    report = sj.sweep(trace, policy="greedy,opt:objective=importance", mem=5, jobs=1)
    greedy, best = report.runs
    assert greedy.importance_recall < best.importance_recall
    assert (greedy.ratio_to_opt, best.results) == (None, None)


def test_caching():
    report = sj.sweep(references("abcabb"), policy="lru,lfd", mem="1:3", problem="caching", jobs=2)
    assert [run.hits for run in report.runs] == [1, 1, 3, 2, 3, 3]


@pytest.mark.parametrize("suffix", ["json", "csv", "parquet"])
def test_an_interrupted_sweep_goes_on_where_it_was(suffix):
    sj.sweep(TOWER, **ASKED, output=f"whole.{suffix}", jobs=1)
    output = f"sweep.{suffix}"
    with pytest.raises(KeyboardInterrupt) as end:
        sj.sweep(TOWER, **ASKED, output=output, jobs=1, progress=interrupt_after(4))
    assert end.value.args == (
        f"4 of 9 tasks are kept in {output}.partial: --resume goes on from there",
    )
    assert sorted(os.listdir()) == [f"{output}.partial", f"whole.{suffix}"]
    done, notes = [], []
    sj.sweep(
        TOWER,
        **ASKED,
        output=output,
        resume=True,
        jobs=1,
        note=notes.append,
        progress=lambda *told: done.append(told),
    )
    assert notes == [f"4 of 9 tasks are taken from {output}.partial"]
    assert [told[1] for told in done if told[0].startswith("sweeping")] == [4, 5, 6, 7, 8, 9]
    assert contents(output) == contents(f"whole.{suffix}")
    assert sorted(os.listdir()) == [output, f"whole.{suffix}"]


def test_a_line_that_was_cut_off_is_done_again():
    with pytest.raises(KeyboardInterrupt):
        sj.sweep(TOWER, **ASKED, output="a.json", jobs=1, progress=interrupt_after(4))
    os.truncate("a.json.partial", os.path.getsize("a.json.partial") - 5)
    notes = []
    report = sj.sweep(TOWER, **ASKED, output="a.json", resume=True, jobs=1, note=notes.append)
    assert notes == ["3 of 9 tasks are taken from a.json.partial"]
    assert report.as_dict() == sj.sweep(TOWER, **ASKED, jobs=1).as_dict()


@pytest.mark.parametrize(
    ("trace", "changed", "words"),
    [
        (TOWER, {"window": "10:16"}, "its options window is [10, 15], not [10, 16]"),
        (replace(TOWER, time=TOWER.time + 1), {}, "its trace fingerprint is"),
    ],
)
def test_another_question_cannot_be_resumed(trace, changed, words):
    with pytest.raises(KeyboardInterrupt):
        sj.sweep(TOWER, **ASKED, output="a.json", jobs=1, progress=interrupt_after(4))
    before = contents("a.json.partial")
    with pytest.raises(InputError) as refusal:
        sj.sweep(trace, **ASKED | changed, output="a.json", resume=True, jobs=1)
    assert words in str(refusal.value)
    assert contents("a.json.partial") == before


def test_without_resume_a_sweep_starts_anew():
    with pytest.raises(KeyboardInterrupt):
        sj.sweep(TOWER, **ASKED, output="a.json", jobs=1, progress=interrupt_after(4))
    sj.sweep(SMALL, policy="fifo", mem=1, output="a.json", jobs=1)
    with open("a.json") as file:
        assert len(json.load(file)["runs"]) == 1
    assert os.listdir() == ["a.json"]


def test_nothing_done_leaves_nothing():
    with pytest.raises(KeyboardInterrupt) as end:
        sj.sweep(TOWER, **ASKED, output="a.json", jobs=1, progress=_interrupt_at_once)
    assert end.value.args == ()
    assert os.listdir() == []


def test_a_full_disk_leaves_nothing(monkeypatch):
    def write_a_part(path, *arguments, **options):
        path.touch()
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(Path, "write_text", write_a_part)
    with pytest.raises(InputError, match=r"cannot write s\.json\.partial: No space left"):
        sj.sweep(SMALL, policy="fifo", mem=1, jobs=1, output="s.json")
    assert os.listdir() == []


def _interrupt_at_once(what, done, total):
    if what == "sweeping":
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resume": True}, "name the output with --output"),
        ({"output": "a.txt"}, "its suffix names no format"),
        ({"jobs": 0}, "number of jobs is 0"),
        ({"policy": "opt", "order": "evict-first"}, "no flow problem"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(InputError, match=words):
        sj.sweep(SMALL, **{"policy": "fifo", "mem": 1} | options)
    assert os.listdir() == []


def test_an_unknown_option_is_a_mistake_of_the_program():
    with pytest.raises(TypeError, match="no option 'windows'"):
        sj.sweep(SMALL, policy="fifo", mem=1, windows=3)


def test_the_first_failure_ends_all():
    def work(number):
        if number == 3:
            raise InputError("three")
        return number

    with pytest.raises(InputError, match="three"):
        list(spread(work, [range(100)], 2))


def test_a_killed_process_is_told():
    with pytest.raises(SjoinError, match="was killed"):
        list(spread(lambda number: os._exit(9), [range(4)], 2))


def test_waves_wait_for_each_other():
    done = [item for item, _ in spread(abs, [[1, 2], [-3, -4]], 2)]
    assert {*done[:2]} == {1, 2}
