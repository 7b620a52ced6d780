"""Compiled code: never yesterday's, never different from plain Python, and never a crash."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from streamjoin_core.engine.compiled import _candidate_roots, _forget_old_versions

PACKAGE = Path(__file__).resolve().parents[2] / "streamjoin_core"

HITS = """
import sys; sys.path.insert(0, sys.argv[1])
import streamjoin_core as sj
trace = sj.trace_from_arrays(range(8), [1, 2, 1, 3, 1, 2, 4, 1])
print(sj.replay(trace, policy="fifo", mem=2, problem="caching").runs[0].hits)
"""

EVERYTHING = """
import json, sys
import streamjoin_core as sj
from streamjoin_core.checks.cases import random_trace, references
from streamjoin_core.policies.registry import all_policies
joining = [p.name for p in all_policies() if p.joining and not p.knows_future]
caching = [p.name for p in all_policies() if p.caching and "model" not in p.needs]
runs = []
trace = random_trace(8, 80)
evict_first = {"order": "evict-first", "split": "even"}
for options in ({}, {"on": "<"}, evict_first, {"window_kind": "tuples"}):
    report = sj.replay(trace, policy=joining, mem=[2, 5], window=9, **options)
    runs += report.as_dict()["runs"]
report = sj.replay(references(trace), policy=caching, mem=[2, 5], problem="caching")
print(json.dumps(runs + report.as_dict()["runs"]))
"""


def python(code, *arguments, **environment):
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_change_anywhere_is_noticed(tmp_path):
    """Numba alone looks only at the file of the cached function."""
    copy = tmp_path / "streamjoin_core"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))

    def hits():
        return int(python(HITS, tmp_path, SJOIN_CACHE_DIR=str(tmp_path / "cache")))

    assert hits() == hits() == 1
    change(copy / "engine" / "caching.py", "hits += row >= references.first_counted", "hits += 10")
    assert hits() == 10


def test_plain_python_gives_the_same():
    compiled, plain = (python(EVERYTHING, NUMBA_DISABLE_JIT=flag) for flag in ("0", "1"))
    assert len(json.loads(compiled)) > 60
    assert compiled == plain


@pytest.mark.parametrize("place", ["missing/file", "file"])
def test_no_place_for_compiled_code_is_no_crash(tmp_path, place):
    (tmp_path / "file").write_text("")
    place = tmp_path / place if place == "file" else tmp_path / "file" / "below"
    assert python(HITS, PACKAGE.parent, SJOIN_CACHE_DIR=str(place)) == "1\n"


def test_nobody_needs_a_home(monkeypatch, tmp_path):
    """Executors may run as a user whom the machine does not know."""
    monkeypatch.delenv("SJOIN_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert [root.parent for root in _candidate_roots()] == [tmp_path]


def test_installations_keep_their_own_compiled_code(tmp_path):
    """However many versions of one there were, the others' are still there."""
    mine, theirs = ("0" * 8, "1" * 8)
    for name in [f"{mine}-{number}" for number in range(6)] + [f"{theirs}-0"]:
        (tmp_path / name).mkdir()
    _forget_old_versions(tmp_path, mine, tmp_path / f"{mine}-0")
    left = sorted(path.name.split("-")[0] for path in tmp_path.iterdir())
    assert left == [mine] * 4 + [theirs]
    assert (tmp_path / f"{mine}-0").exists()
