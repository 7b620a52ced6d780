"""Today's counts on the sample traces are those that were looked at when they were written."""

import json

from tests.golden import GOLDEN, counts


def test_counts():
    golden, found = json.loads(GOLDEN.read_text()), counts()
    changed = {name: (golden.get(name), found.get(name)) for name in golden.keys() | found.keys()}
    changed = {name: pair for name, pair in changed.items() if pair[0] != pair[1]}
    assert changed == {}, "if this is wanted: make golden"
