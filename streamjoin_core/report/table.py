"""The report as a person reads it in a terminal of 80 columns."""

from dataclasses import dataclass
from itertools import groupby
from statistics import fmean as mean

from rich.console import Group
from rich.table import Table
from rich.text import Text

from streamjoin_core.report.partitions import sharing
from streamjoin_core.report.report import CachingRun, JoinRun, Report

UNDEFINED = "-"
_WORST_SHOWN = 5
_TEXT_COLUMNS = ("policy", "group", "strategy", "cause", "stream", "key", "from")


@dataclass(frozen=True)
class _Row:
    """The runs of one policy with one memory, which differ in their seeds only."""

    runs: list[JoinRun] | list[CachingRun]  # one, or one for each seed

    def head(self) -> tuple[str, str]:
        """Who and how large."""
        return self.runs[0].label, memory_text(self.runs[0].mem)

    def count(self, name: str) -> str:
        """A count; over seeds, its mean."""
        return f"{round(self._mean(lambda run: getattr(run, name))):,}"

    def measure(self, name: str) -> str:
        """A measure; over seeds, its mean."""
        if any(getattr(run, name) is None for run in self.runs):
            return UNDEFINED
        return number_text(self._mean(lambda run: getattr(run, name)))

    def lost(self, cause: str) -> str:
        """The share of all pairs that were lost by a cause, in percent."""
        exact = self.runs[0].exact
        if exact == 0:
            return UNDEFINED
        return f"{100 * self._mean(lambda run: run.losses[cause]) / exact:.2f}"

    def _mean(self, value) -> float:
        return sum(map(value, self.runs)) / len(self.runs)


def report_table(report: Report) -> Group:
    """What was asked, all runs, how far chance moves them, and the worst groups, if any."""
    rows = _rows(report)
    is_joining = report.options["problem"] == "joining"
    shared = [sharing(report.partitions)] if report.partitions else []
    parts = [Text(line) for line in [*headline(report), *shared, ""]]
    parts.append(_join_table(rows) if is_joining else _caching_table(rows))
    if report.summaries:
        heading = f"\nOver {report.options['seeds']} seeds: mean, and its 95 % confidence interval"
        parts += [Text(heading), _interval_table(report.summaries)]
    if is_joining and report.runs[0].decisions is not None:
        parts += [Text("\nDecisions who had to leave"), _decision_table(rows)]
    if is_joining:
        parts += [Text(line) for line in _recomputed(rows)]
    if is_joining and report.runs[0].stays:
        heading = (
            "\nHow those that left had stayed: early drops, lifetimes, time after the last result"
        )
        parts += [Text(heading), _stays_table(rows)]
    if is_joining and report.runs[0].groups:
        parts += [Text("\nGroups with the lowest recall"), _group_table(rows)]
    return Group(*parts)


def _rows(report: Report) -> list[_Row]:
    runs = groupby(report.runs, key=lambda run: (run.label, run.mem))
    return [_Row(list(group)) for _, group in runs]


def _join_table(rows: list[_Row]) -> Table:
    has_importance = any(run.importance_recall != run.recall for row in rows for run in row.runs)
    is_compared = any(run.ratio_to_opt is not None for row in rows for run in row.runs)
    compared = ["of the\nbest"] if is_compared else []
    is_weighed_too = any(
        run.ratio_to_opt_importance is not None for row in rows for run in row.runs
    )
    # Both comparisons with the best leave no room for it.
    has_importance = has_importance and not (is_compared and is_weighed_too)
    weighed = ["weighed\nrecall"] if has_importance else []
    weighed += ["weighed\nof best"] if is_weighed_too else []
    is_foretold = any(run.theoretical_recall is not None for row in rows for run in row.runs)
    is_foretold = is_foretold and len(weighed + compared) < 2  # more leave no room for it
    foretold = ["in\ntheory"] if is_foretold else []
    lost = ["lost %\nnever in", "lost %\nevicted", "lost %\nexpired"]
    table = plain_table(
        ["policy", "mem", "results", "recall", *foretold, *compared, *weighed, *lost, "fairness"]
    )
    for row in rows:
        table.add_row(
            *row.head(),
            row.count("results"),
            row.measure("recall"),
            *([row.measure("theoretical_recall")] if is_foretold else []),
            *([row.measure("ratio_to_opt")] if is_compared else []),
            *([row.measure("importance_recall")] if has_importance else []),
            *([row.measure("ratio_to_opt_importance")] if is_weighed_too else []),
            *map(row.lost, ("never_admitted", "evicted", "expired")),
            row.measure("fairness"),
        )
    return table


def _decision_table(rows: list[_Row]) -> Table:
    table = plain_table(["policy", "mem", "decisions", "decidable", "provably optimal"])
    for row in rows:
        counts = map(row.count, ("decisions", "decidable_decisions", "optimal_decisions"))
        table.add_row(*row.head(), *counts)
    return table


def _recomputed(rows: list[_Row]) -> list[str]:
    """How often policies recomputed their scores, if they tell."""
    told = [
        f"{' with memory '.join(row.head())}: scores recomputed {row.count('recomputations')} times"
        for row in rows
        if row.runs[0].recomputations is not None
    ]
    return ["", *told] if told else []


def _stays_table(rows: list[_Row]) -> Table:
    table = plain_table(
        ["policy", "mem", "left", "early", "early %", "p10", "median", "p90", "most", "idle %"]
    )
    for row in rows:
        stays = [run.stays for run in row.runs]
        lives = [one["lifetimes"] or {} for one in stays]
        table.add_row(
            *row.head(),
            *(f"{round(mean([one[name] for one in stays])):,}" for name in ("left", "premature")),
            _percent([one["premature_share"] for one in stays]),
            *(
                _length([one.get(name) for one in lives])
                for name in ("p10", "median", "p90", "most")
            ),
            _percent([one["unproductive_share"] for one in stays]),
        )
    return table


def _percent(shares: list[float | None]) -> str:
    return UNDEFINED if None in shares else f"{100 * mean(shares):.2f}"


def _length(times: list[float | None]) -> str:
    return UNDEFINED if None in times else f"{mean(times):,.5g}"


def _caching_table(rows: list[_Row]) -> Table:
    table = plain_table(["policy", "mem", "hits", "hit ratio", "evicted", "bypassed", "fairness"])
    for row in rows:
        table.add_row(
            *row.head(),
            row.count("hits"),
            row.measure("hit_ratio"),
            row.count("evicted"),
            row.count("dropped"),
            row.measure("fairness"),
        )
    return table


def _interval_table(summaries: tuple[dict, ...]) -> Table:
    table = plain_table(["policy", "mem", "measure", "mean", "low", "high"])
    for summary in summaries:
        shown = {"hit ratio": summary.get("hit_ratio"), "recall": summary.get("recall")}
        if summary.get("importance_recall") != summary.get("recall"):
            shown["weighed recall"] = summary["importance_recall"]
        for name, interval in shown.items():
            if interval:
                bounds = (number_text(interval[bound]) for bound in ("mean", "low", "high"))
                table.add_row(summary["label"], memory_text(summary["mem"]), name, *bounds)
    return table


def _group_table(rows: list[_Row]) -> Table:
    """The worst groups of a single run, or the worst one of each."""
    table = plain_table(["policy", "mem", "group", "results", "of", "recall", "fairness"])
    shown = _WORST_SHOWN if len(rows) == 1 else 1
    for row in rows:
        judged = [entry for entry in row.runs[0].groups if entry["recall"] is not None]
        for entry in sorted(judged, key=lambda entry: entry["recall"])[:shown]:
            table.add_row(
                *row.head(),
                str(entry["group"]),
                f"{entry['results']:,}",
                f"{entry['exact']:,}",
                number_text(entry["recall"]),
                number_text(entry["fairness"]),
            )
    return table


def plain_table(headings: list[str]) -> Table:
    # With one blank between columns, nine-digit counts still fit.
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", pad_edge=False)
    for heading in headings:
        if heading in _TEXT_COLUMNS:
            table.add_column(heading, overflow="fold", vertical="bottom", min_width=10)
        else:
            table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    return table


def headline(report: Report) -> list[str]:
    """The trace and what was asked of it, in lines."""
    is_joining = report.options["problem"] == "joining"
    told = join_headline(report) if is_joining else _caching_headline(report)
    return [line for line in (told, conditions(report.options), _fitted(report.options)) if line]


def join_headline(report: Report) -> str:
    run = report.runs[0]
    told = f"{_trace(report)}; exact join {run.exact:,} results"
    if run.exact_importance not in (None, run.exact):
        told += f" worth {run.exact_importance:,.10g}"
    if run.same_step_results:
        counted = "of them" if report.options["count_same_step"] else "and not counted"
        told += f", {counted} {run.same_step_results:,} within a step"
    return told


def _caching_headline(report: Report) -> str:
    return f"{_trace(report)}; {report.runs[0].references:,} references counted"


def rows_text(used: int, rows: int) -> str:
    """Which rows of a trace a model was fitted to."""
    return f"fitted to {'all ' if used == rows else 'the first '}{used:,} of {rows:,} rows"


def _trace(report: Report) -> str:
    return f"{report.trace['path']}: {report.trace['rows']:,} rows"


def conditions(options: dict) -> str:
    """The options that decide what was counted, in words."""
    told = []
    if options["problem"] == "joining":
        told = [_condition(options), _window(options)]
        told += [f"{options['split']} memory", options["order"]]
        if options["importance"]:
            told.append(f"importance from {options['importance']}")
        if options["combine"] != "min":
            told.append(f"importance by {options['combine']}")
    if options["warmup"]:
        told.append(f"warm-up of {options['warmup']:,} not counted")
    if options["model"] and options["model"]["source"] != "fitted":
        told.append(f"model from the {options['model']['source']}")
    return ", ".join(told)


def _fitted(options: dict) -> str:
    """Which rows a fitted model knows: decisions on them are made in hindsight."""
    model = options["model"]
    if not model or model["source"] != "fitted":
        return ""
    used = model["fitted_to"]
    kinds = ", ".join(f"{label} {kind}" for label, kind in model["kinds"].items())
    told = f"model ({kinds}) {rows_text(used['rows'], used['of'])}"
    if options["warmup"] < used["steps"]:
        told += f", which --warmup {used['steps']} would not count"
    return told


def _condition(options: dict) -> str:
    if options["band"] is None:
        return f"key_R {options['on']} key_S"
    low, high = options["band"]
    return f"{low} <= key_S - key_R <= {high}"


def _window(options: dict) -> str:
    if options["window"] is None:
        return "no window"
    left, right = options["window"]
    unit = "tuples" if options["window_kind"] == "tuples" else options["time_unit"]
    length = f"{left:,}" if left == right else f"{left:,}:{right:,}"
    return f"window {length} {unit or ''}".rstrip()


def memory_text(mem: int | None) -> str:
    return "no limit" if mem is None else f"{mem:,}"


def number_text(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.4f}"
