"""The README's example of a new policy: as a file of the user's own, and as one of the package."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import streamjoin_core as sj
from streamjoin_core.errors import InputError
from streamjoin_core.policies.registry import find_policy
from tests.readme import README
from tests.small_traces import SMALL, trace

PACKAGE = Path(sj.__file__).parent
# In a package of its own: replays, is listed, and holds what every policy must hold.
CHECK = """
import streamjoin_core as sj
from streamjoin_core.checks.joining import check_joining
from streamjoin_core.policies.registry import find_policy, policy_names
assert "left-first" in policy_names()
check_joining(find_policy("left-first"))
trace = sj.trace_from_arrays([1, 2, 3, 4, 5], ["a", "b", "a", "b", "b"], ["R", "S", "S", "R", "R"])
print([run.results for run in sj.replay(trace, policy="left-first", mem="1:3").runs])
"""


@pytest.fixture
def example(tmp_path, monkeypatch) -> Path:
    """The README's file."""
    monkeypatch.chdir(tmp_path)
    block = r"<!-- policy (\S+): run by a test -->\n```py\n(.*?)```\n<!-- end of policy -->"
    found = re.search(block, README.read_text(), re.DOTALL)
    name, code = found.groups()
    path = tmp_path / name
    path.write_text(code)
    find_policy.cache_clear()
    return path


def test_it_is_short(example):
    lines = example.read_text().partition('"""\n\n')[2].splitlines()
    assert len([line for line in lines if line]) <= 20


def test_a_file_anywhere_is_a_policy(example):
    # 3Sa meets 1Ra, which then leaves under both; 2Sb meets 4Rb, and 5Rb if it is kept for it.
    runs = sj.replay(trace("1Ra 2Sb 3Sa 4Rb 5Rb"), policy="./left_first.py,fifo", mem=2).runs
    assert [(run.label, run.results) for run in runs] == [("left-first", 3), ("fifo", 2)]


def test_in_the_package_it_is_one_of_the_others(example, tmp_path):
    copy = tmp_path / "copied" / "streamjoin_core"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(example, copy / "policies")
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=copy.parent,
        env={"PYTHONPATH": str(copy.parent), "NUMBA_DISABLE_JIT": "1", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr == ""
    assert done.stdout == "[0, 3, 3]\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (None, "there is no such file"),
        ("", "has no policy: end it with POLICY"),
        ("import nowhere", "cannot load ./mine.py: ModuleNotFoundError"),
        ("from streamjoin_core.policies.fifo import POLICY", "as another one is: rename it"),
    ],
)
def test_what_is_no_policy(tmp_path, monkeypatch, code, words):
    monkeypatch.chdir(tmp_path)
    find_policy.cache_clear()
    if code is not None:
        Path("mine.py").write_text(code)
    with pytest.raises(InputError, match=words):
        sj.replay(SMALL, policy="./mine.py", mem=1)
