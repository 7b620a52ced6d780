"""`python -m tests.golden` rewrites the golden counts: exact figures on the sample traces.

They pin what every policy does today, so that a change that was not meant to change anything shows.
"""

import json
from pathlib import Path

import streamjoin_core as sj
from streamjoin_core.policies.registry import all_policies

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden.json"
TRACES = HERE.parent / "traces"
# Per sample trace: the options that suit it.
JOINS = {
    "tower": {"window": "10:15"},
    "zipf": {"window": 500},
    "importance": {"window": 25000, "split": "even", "order": "evict-first"},
}
MEMORIES = (5, 10, 50)
PARAMETERS = {"ttl": "ttl:left=4,right=6", "jtl": "jtl:n=2"}
JOIN_COUNTS = ("exact", "results", "importance", "evicted", "dropped", "expired")
CACHING_COUNTS = ("hits", "evicted", "dropped")


def counts() -> dict:
    """Every policy's counts by trace, policy and memory."""
    found = {}
    for name, options in JOINS.items():
        joining = [
            PARAMETERS.get(p.name, p.name)
            for p in all_policies()
            if p.joining and not ("order" in options and "probe-first" in p.needs)
        ]
        report = sj.replay(TRACES / f"{name}.parquet", policy=joining, mem=MEMORIES, **options)
        for run in report.runs:
            found[f"{name} {run.label} {run.mem}"] = [getattr(run, c) for c in JOIN_COUNTS]
    trace = sj.read_trace(TRACES / "zipf.parquet")
    references = sj.trace_from_arrays(trace.time, trace.key_values[trace.key])
    pmf = trace.metadata["model"]["R"]
    caching = [p.name for p in all_policies() if p.caching]
    report = sj.replay(
        references, policy=caching, mem=MEMORIES, problem="caching", model={"R": pmf}
    )
    for run in report.runs:
        found[f"caching {run.label} {run.mem}"] = [getattr(run, c) for c in CACHING_COUNTS]
    return found


def written(found: dict) -> str:
    """One line per run, so that a difference shows which."""
    lines = [f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    GOLDEN.write_text(written(counts()))
