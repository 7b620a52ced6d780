"""Caching on REAL: daily temperatures in Melbourne, each a reference to its tenth of a degree.

HEEB has the AR(1) model that the paper fitted, once with the paper's alpha = memory and once with
the alpha that it finds by itself. Only rand draws, so only its curve has an interval.
"""

import numpy as np

from streamjoin_core.errors import InputError
from streamjoin_core.experiments.base import Claim, Curve, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.files import reason
from streamjoin_core.replay import replay
from streamjoin_core.trace.scenarios.ar1 import SCENARIO
from streamjoin_core.trace.table import trace_from_arrays
from streamjoin_core.trace.trace import Trace

_MEMORIES = (10, 20, 30, 40, 50, 60, 80, 100, 130, 160, 200, 250, 300)
_PAPERS = "heeb:alpha=mem"
_FORGETS = (
    "The AR(1) forgets soon: after 5 days a fifth of today's distance from the mean is left, "
    "0.72^5. With alpha = memory HEEB weighs weeks, in which what is near the mean is referenced "
    "before what is near today. With few places the next days are what counts, so the paper's "
    "alpha is behind there, and ahead when the memory holds most of what is usual."
)


def _references(path) -> Trace:
    """The last column of a CSV file with a heading, in tenths."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        column = csv.read_csv(path).columns[-1]
        degrees = column.cast(pa.float64()).to_numpy()
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from error
    except (pa.ArrowException, IndexError) as error:
        raise InputError(
            f"{path} has no numbers in its last column: give such a CSV file"
        ) from error
    if not len(degrees) or not np.isfinite(degrees).all():
        raise InputError(f"{path} has rows without a number in its last column: give one in each")
    model = SCENARIO.model(SCENARIO.parameters(), None)
    tenths = np.rint(degrees * 10).astype(np.int64)
    return trace_from_arrays(np.arange(len(tenths)), tenths, metadata={"model": model})


def _hits(trace: Trace, setup: Setup) -> tuple[Curve, ...]:
    found: dict[str, dict[int, list[int]]] = {}
    for done, mem in enumerate(_MEMORIES):
        setup.progress("replaying", done, len(_MEMORIES))
        policies = ["lfd", "heeb", f"heeb:alpha={mem}", "rand", "lfu", "lru"]
        report = replay(
            trace,
            policy=policies,
            mem=mem,
            problem="caching",
            seed=setup.seed,
            seeds=setup.runs,
        )
        for run in report.runs:
            label = _PAPERS if run.label.startswith("heeb:") else run.label
            found.setdefault(label, {}).setdefault(mem, []).append(run.hits)
    return tuple(
        Curve(label, {mem: tuple(hits) for mem, hits in places.items()})
        for label, places in found.items()
    )


def claims(panel: Panel) -> tuple[Claim, ...]:
    others = ("lru", "lfu", "rand")
    return (
        is_ahead("nobody beats LFD", panel, "lfd", ("heeb", _PAPERS, *others), ties=True),
        is_ahead("HEEB with alpha = memory leads LRU, LFU and RAND", panel, _PAPERS, others),
        _by_as_much(panel),
        is_ahead("beyond the paper: HEEB with its own alpha leads them", panel, "heeb", others),
    )


def _by_as_much(panel: Panel) -> Claim:
    leads = {
        mem: panel.curve(_PAPERS).mean(mem)
        / max(panel.curve(other).mean(mem) for other in ("lru", "lfu"))
        - 1
        for mem in panel.places()
    }
    mem = max(leads, key=leads.get)
    text = "HEEB with alpha = memory leads LRU and LFU by as much as 20 %"
    return Claim(text, leads[mem] >= 0.195, f"at most by {leads[mem]:.1%} (memory {mem})")


def find(setup: Setup) -> Findings:
    panel = Panel("REAL", "memory", "hits", _hits(_references(setup.data), setup))
    return Findings((panel,), claims(panel), (_FORGETS,))


EXPERIMENT = Experiment(
    name="fig15",
    summary="hits on daily temperatures in Melbourne with memories from 10 to 300",
    paper="Xie, Yang, Chen 2005, figure 15",
    find=find,
    runs=10,
    paper_runs=1,
    data="daily temperatures in degrees, the last column of a CSV file",
)
