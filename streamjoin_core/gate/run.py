"""Checking replays against bounds and against a baseline."""

import os
from itertools import groupby
from math import fsum
from pathlib import Path

from streamjoin_core.errors import InputError
from streamjoin_core.execute import execute
from streamjoin_core.gate.baseline import (
    Entry,
    options_of,
    read_baseline,
    trace_name,
    with_entry,
    write_baseline,
)
from streamjoin_core.options import with_join_defaults
from streamjoin_core.plan import Plan, make_plan
from streamjoin_core.progress import Progress, silent
from streamjoin_core.report.report import Report
from streamjoin_core.report.verdict import Finding, Verdict
from streamjoin_core.trace.given import as_trace
from streamjoin_core.trace.read import read_trace


def check(
    trace,
    *,
    policy: str | list[str] | tuple[str, ...],
    mem: int | str | list | tuple | range | None = None,
    min_recall: float | None = None,
    min_ratio_to_opt: float | None = None,
    max_regression: float = 0.0,
    baseline: str | os.PathLike | None = None,
    update_baseline: bool = False,
    warmup: int = 0,
    seed: int = 0,
    seeds: int = 1,
    problem: str = "joining",
    model: dict | str | os.PathLike | None = None,
    progress: Progress | None = None,
    **joining,
) -> Verdict:
    """Replay a trace and tell which bounds hold; several seeds are judged by their mean.

    `min_recall` is of the recall, or of the hit ratio for caching; `min_ratio_to_opt` of the share
    of the offline optimum. With a `baseline` no run may reach less than it did by more than
    `max_regression`; `update_baseline` makes the baseline what these runs reach.
    """
    _check_bounds(min_recall, min_ratio_to_opt, max_regression, baseline, update_baseline)
    plan = make_plan(
        policy=policy,
        mem=mem,
        warmup=warmup,
        seed=seed,
        seeds=seeds,
        problem=problem,
        model=model,
        opt=min_ratio_to_opt is not None,
        **with_join_defaults(joining),
    )
    progress = progress or silent
    trace = as_trace(trace, problem, progress)
    entries = _known_entries(baseline, update_baseline)
    report = execute(plan, trace, progress)
    findings = [
        *_above(report, _measure(plan), min_recall),
        *_above(report, "ratio_to_opt", min_ratio_to_opt),
    ]
    if baseline is not None:
        entry = _entry(plan, report, trace_name(trace, baseline))
        if update_baseline:
            write_baseline(with_entry(entries, entry), baseline)
        else:
            findings += _not_behind(entry, entries, report, baseline, max_regression)
    return Verdict(tuple(findings), updated=update_baseline)


def check_baseline(
    baseline: str | os.PathLike,
    *,
    max_regression: float = 0.0,
    update_baseline: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Ask again all that a baseline tells; its traces have the usual names of columns."""
    _check_bounds(None, None, max_regression, baseline, update_baseline)
    findings = []
    for entry in read_baseline(baseline):
        path = Path(os.path.relpath(Path(baseline).parent / entry.trace))
        options = dict(entry.options)
        for memories, labels in _by_memories(entry):
            verdict = check(
                read_trace(path, problem=options["problem"], progress=progress),
                policy=labels,
                mem=memories,
                max_regression=max_regression,
                baseline=baseline,
                update_baseline=update_baseline,
                progress=progress,
                **options,
            )
            findings += verdict.findings
    return Verdict(tuple(findings), updated=update_baseline)


def _by_memories(entry: Entry) -> list[tuple[list[int] | None, list[str]]]:
    """Policies that were run with the same memories, which are replayed together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for label, memories in entry.reached.items():
        groups.setdefault(tuple(memories), []).append(label)
    return [
        (None if names == ("None",) else list(names), labels) for names, labels in groups.items()
    ]


def _check_bounds(min_recall, min_ratio_to_opt, max_regression, baseline, update_baseline) -> None:
    if min_recall is None and min_ratio_to_opt is None and baseline is None:
        raise InputError(
            "there is nothing to check: give --min-recall, --min-ratio-to-opt or --baseline"
        )
    if update_baseline and baseline is None:
        raise InputError("there is no baseline to update: name its file with --baseline")
    shares = {
        "least recall": min_recall,
        "least share of the optimum": min_ratio_to_opt,
        "largest regression": max_regression,
    }
    for name, value in shares.items():
        if value is not None and not 0 <= value <= 1:
            raise InputError(f"{name} is {value}: give a number from 0 to 1")


def _known_entries(baseline, update_baseline: bool) -> list[Entry]:
    if baseline is None or (update_baseline and not Path(baseline).exists()):
        return []
    return read_baseline(baseline)


def _measure(plan: Plan) -> str:
    return "hit_ratio" if plan.problem == "caching" else "recall"


def _means(report: Report, measure: str) -> list[tuple[str, int | None, float | None]]:
    """Policy, memory, and the mean over seeds, undefined if it is so for any."""
    means = []
    for (label, mem), runs in groupby(report.runs, key=lambda run: (run.label, run.mem)):
        values = [getattr(run, measure) for run in runs]
        means.append((label, mem, None if None in values else fsum(values) / len(values)))
    return means


def _above(report: Report, measure: str, least: float | None) -> list[Finding]:
    if least is None:
        return []
    path = report.trace["path"]
    return [
        Finding(path, label, mem, measure, least, got, got is not None and got >= least)
        for label, mem, got in _means(report, measure)
    ]


def _entry(plan: Plan, report: Report, name: str) -> Entry:
    reached: dict = {}
    for label, mem, mean in _means(report, _measure(plan)):
        reached.setdefault(label, {})[str(mem)] = mean
    return Entry(name, report.trace["fingerprint"], options_of(plan), _measure(plan), reached)


def _not_behind(
    now: Entry, entries: list[Entry], report: Report, baseline, max_regression: float
) -> list[Finding]:
    then = next((entry for entry in entries if entry.asks_like(now)), None)
    if then is None:
        raise InputError(
            f"{baseline} tells nothing of {now.trace} with these options: add it with "
            "--update-baseline"
        )
    if then.fingerprint != now.fingerprint:
        raise InputError(
            f"{now.trace} is not the trace that {baseline} tells of (fingerprint "
            f"{now.fingerprint}, not {then.fingerprint}): take that one, or --update-baseline"
        )
    findings = []
    for label, memories in now.reached.items():
        for mem, got in memories.items():
            if mem not in then.reached.get(label, {}):
                raise InputError(
                    f"{baseline} tells nothing of {label} with memory {mem}: add it with "
                    "--update-baseline"
                )
            findings.append(
                _regression(now, report, label, mem, then.reached[label][mem], got, max_regression)
            )
    return findings


def _regression(now, report, label, mem, before, got, most: float) -> Finding:
    """Undefined is no regression where it was undefined before."""
    holds = got == before or (None not in (got, before) and got >= before - most)
    memory = None if mem == "None" else int(mem)
    path = report.trace["path"]
    return Finding(path, label, memory, now.measure, before, got, holds, is_baseline=True)
