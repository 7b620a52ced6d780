"""Which tuples to keep when a stream join does not fit in memory.

    import streamjoin_core as sj
    report = sj.replay(sj.read_trace("trace.parquet"), policy="prob", mem=10, window=500)

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module

from streamjoin_core.errors import CheckError, InputError, SjoinError

# Not left for later: the modules of these names would stand in the functions' places.
from streamjoin_core.opt_offline import opt_offline
from streamjoin_core.replay import replay
from streamjoin_core.shed import shed
from streamjoin_core.sweep import sweep

_HOMES = {
    "CachingRun": "report.report",
    "Columns": "trace.columns",
    "Fit": "models.fitting",
    "Inspection": "inspection",
    "JoinRun": "report.report",
    "Report": "report.report",
    "Trace": "trace.trace",
    "calibrate": "shedding.calibration",
    "dominated_subset": "optimal.dominance",
    "dominates": "optimal.dominance",
    "ecb": "optimal.dominance",
    "age_curve": "age.report",
    "alloc": "allocation",
    "fit": "models.fitting",
    "check": "gate",
    "check_baseline": "gate",
    "compare": "comparison",
    "explain": "explanation",
    "generate": "trace.scenarios",
    "ingest": "trace.ingest",
    "inspect": "inspection",
    "policy_names": "policies.registry",
    "read_trace": "trace.read",
    "reduce_caching": "trace.reduce",
    "run_experiment": "experiments.run",
    "sample": "sampling",
    "scenarios": "trace.scenarios",
    "trace_from_arrays": "trace.table",
    "trace_from_table": "trace.table",
    "write_report": "report.write",
    "write_trace": "trace.write",
}

__all__ = [
    "CheckError",
    "InputError",
    "SjoinError",
    "__version__",
    "opt_offline",
    "replay",
    "shed",
    "sweep",
    *_HOMES,
]


def __getattr__(name: str):
    if name == "__version__":
        from streamjoin_core.version import installed_version

        value = installed_version()
    elif name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
