"""The README tells the truth."""

import re
import subprocess
import sys
from pathlib import Path

from tests.readme import README, with_policies


def test_policies_are_the_registry():
    text = README.read_text()
    assert with_policies(text) == text, "run: python -m tests.readme"


def test_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 4


def test_example_output_is_what_the_command_prints():
    text = README.read_text()
    command, output = re.search(r"\$ (sjoin replay traces/.*)\n((?s:.*?))```", text).groups()
    sjoin = Path(sys.executable).with_name("sjoin")
    done = subprocess.run(
        [sjoin, *command.split()[1:]],
        cwd=README.parent,
        capture_output=True,
        text=True,
    )
    assert [line.rstrip() for line in done.stdout.splitlines()] == output.splitlines()
