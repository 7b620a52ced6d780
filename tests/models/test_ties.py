"""Mirror images are worth the same, and must be so as numbers: rounding decides no ties."""

import numpy as np
import pytest

import streamjoin_core as sj
from streamjoin_core.engine.sure import sure
from streamjoin_core.models.ar1 import Ar1
from streamjoin_core.models.chances import Ask
from streamjoin_core.models.life import Life
from streamjoin_core.models.trend import Trend

VALUES = np.arange(-25, 26)
LIVES = (Life("exp", alpha=3.7), Life("fixed", limit=9))


def asked(life: Life, is_caching: bool, on: str = "=", window: int | None = None) -> Ask:
    """Of a trace that has all values, on both streams where there are two."""
    if is_caching:
        return Ask(sj.trace_from_arrays(VALUES, VALUES), 0, (life,), "=", None, None, True)
    keys, labels = np.repeat(VALUES, 2), ["R", "S"] * len(VALUES)
    trace = sj.trace_from_arrays(np.arange(len(keys)) // 2, keys, labels)
    return Ask(trace, 0, (life,), on, None, window)


@pytest.mark.parametrize("is_caching", [False, True])
def test_a_trend_under_a_fixed_life(is_caching):
    """Distances d and 10 - d from the line see the same chances, in opposite orders."""
    ask = asked(LIVES[1], is_caching)
    model = Trend(1.0, 0.0, 2.3, 12)
    table = (model.caching(ask) if is_caching else model.joining(ask)).tables[0]
    places = np.arange(-3, 14)
    found = table.at(places)
    assert len(set(found.tolist())) > 5
    assert found.tolist() == found[::-1].tolist()


@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize(
    ("is_caching", "on", "window"),
    [(True, "=", None), (False, "=", None), (False, "!=", None), (False, "=", 5)],
)
def test_ar1_at_its_mean(life, is_caching, on, window):
    """What is as far above the mean as below it, when the last value was the mean."""
    ask = asked(life, is_caching, on, window)
    model = Ar1(0.0, 0.6, 2.3)
    cells = (model.caching(ask) if is_caching else model.joining(ask)).tables[0].cells
    for surface in sure(cells)[len(VALUES) // 2]:
        assert surface.tolist() == surface[::-1].tolist()
