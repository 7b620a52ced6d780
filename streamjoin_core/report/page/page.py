"""The page: sections in the order in which one asks, each made of charts and tables."""

import json
import os
import shlex
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from streamjoin_core.files import atomic_path
from streamjoin_core.report.chart import Chart, name_of
from streamjoin_core.report.page.explained import explained
from streamjoin_core.report.page.svg import chart_figure
from streamjoin_core.report.page.tables import facts, table
from streamjoin_core.report.report import json_ready
from streamjoin_core.report.table import conditions

if TYPE_CHECKING:
    from streamjoin_core.dossier import Dossier

_HERE = Path(__file__).resolve().parent
# Nothing may be loaded from anywhere.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def write_page(dossier: "Dossier", path: str | os.PathLike, command: list[str]) -> None:
    """Write the page, all or nothing; `command` is what made it."""
    with atomic_path(path) as temporary:
        temporary.write_text(page(dossier, command), encoding="utf-8")


def page(dossier: "Dossier", command: list[str]) -> str:
    """The whole page as text."""
    title = f"{name_of(dossier.trace['path'])}: what a memory of {dossier.mem:,} tuples loses"
    sections = [section for section in _sections(dossier, command) if section]
    links = "".join(f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name, _ in sections)
    body = "".join(
        f'<section id="{key}" aria-labelledby="{key}-name"><h2 id="{key}-name">{escape(name)}</h2>'
        f"{content}</section>"
        for key, name, content in sections
    )
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title>'
        f"<style>{style}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><p>{escape(_asked(dossier))}</p></header>"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav><main>{body}</main>'
        f"<script>{script}</script></body></html>\n"
    )


def _asked(dossier: "Dossier") -> str:
    told = conditions(dossier.sweep.options)
    return f"{dossier.trace['path']}, {dossier.trace['rows']:,} arrivals; {told}."


def _sections(dossier: "Dossier", command: list[str]) -> list[tuple[str, str, str] | None]:
    """Anchor, heading and content of each section; None where there is nothing to tell."""
    return [
        ("summary", "Summary", _summary(dossier)),
        ("curves", "Recall and memory", chart_figure(dossier.curves, _CURVES)),
        ("time", "Recall over time", chart_figure(dossier.recall, _RECALL)),
        ("shares", "Who has the memory", chart_figure(dossier.shares, _SHARES)),
        _chart_section("prices", "The price of memory", dossier.prices, _PRICES),
        ("age", "What tuples give by age", chart_figure(dossier.age, _AGE)),
        ("skew", "Keys", chart_figure(dossier.skew, _SKEW) + _keys(dossier)),
        ("lifetimes", "Lifetimes", chart_figure(dossier.lifetimes, _LIFETIMES)),
        ("losses", "Where results were lost", explained(dossier.explanations)),
        ("how", "How this was made", _how(dossier, command)),
    ]


_CURVES = "Recall of every policy for each memory; dashed: the best that anyone could do."
_RECALL = "Recall in the course of time, and that of the optimum."
_SHARES = "The left stream's share of the memory in use."
_PRICES = "What one more slot of memory would have gained per step: high where memory was short."
_AGE = "What a tuple gives, by the time since its arrival."
_SKEW = "How much of each stream its most frequent keys make up."
_LIFETIMES = "Of the tuples that left, or were never let in, the share that lived so long."


def _chart_section(
    key: str, name: str, chart: Chart | None, caption: str
) -> tuple[str, str, str] | None:
    return None if chart is None else (key, name, chart_figure(chart, caption))


def _summary(dossier: "Dossier") -> str:
    runs = [run for run in dossier.sweep.runs if run.mem == dossier.mem]
    rows = {}
    for run in runs:
        rows.setdefault(run.label, []).append(run)
    joining = dossier.inspection.joining
    best = max((told for told in dossier.explanations), key=lambda told: told.results, default=None)
    entries = {
        "results of the exact join": joining.exact,
        "best policy here": f"{best.label}: {best.results:,}",
        "the optimum": best.optimum,
        "memory to lose nothing, knowing the future": joining.memory_for_full_recall,
        "most tuples in window": joining.most_in_window,
    }
    return facts(entries) + table(
        f"With a memory of {dossier.mem:,}",
        ["policy", "results", "recall", "of the optimum", "weighed recall", "fairness", "seeds"],
        [_row(label, own) for label, own in rows.items()],
    )


def _row(label: str, runs: list) -> list:
    def mean(name: str):
        values = [getattr(run, name) for run in runs]
        return None if None in values else sum(values) / len(values)

    results = mean("results")
    measures = ("recall", "ratio_to_opt", "importance_recall", "fairness")
    counted = None if results is None else round(results)
    return [label, counted, *map(mean, measures), len(runs)]


def _keys(dossier: "Dossier") -> str:
    rows = [
        [str(stream.label), str(entry.key), entry.count, entry.share]
        for stream in dossier.inspection.streams
        for entry in stream.top_keys
    ]
    return table("The most frequent keys", ["stream", "key", "arrivals", "share"], rows)


def _how(dossier: "Dossier", command: list[str]) -> str:
    made = {"sjoin": dossier.version, "fingerprint of the trace": dossier.trace["fingerprint"]}
    options = json.dumps(json_ready(dossier.sweep.options), ensure_ascii=False)
    return (
        f"<pre><code>{escape(shlex.join(command))}</code></pre>{facts(made | dossier.versions)}"
        f"<details><summary>All options that took effect</summary><pre>{escape(options)}</pre>"
        "</details>"
    )
