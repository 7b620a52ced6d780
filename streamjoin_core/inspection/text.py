"""The inspection as a person reads it in a terminal of 80 columns."""

from itertools import chain, zip_longest

from rich.console import Group
from rich.table import Table
from rich.text import Text

from streamjoin_core.inspection.report import (
    Caching,
    Inspection,
    Joining,
    Moment,
    Stream,
    Times,
    Trend,
)

_UNDEFINED = "-"
_LONG_UNITS = {"d": 86400, "h": 3600, "min": 60}


def inspection_text(found: Inspection) -> Group:
    """All that was found: the whole, each stream, the most frequent keys, how it was made."""
    parts = [Text(f"{found.trace['path']}, fingerprint {found.trace['fingerprint']}"), Text("")]
    parts += [_facts([*_general(found), *_gains(found)])]
    if found.streams:
        parts += [Text(""), _stream_table(found)]
    if any(stream.top_keys for stream in found.streams):
        parts += [Text("\nMost frequent keys"), _top_key_table(found.streams)]
    if found.metadata:
        parts += [Text("\nHow the trace was made"), _facts(_account(found.metadata))]
    return Group(*parts)


def _general(found: Inspection) -> list[tuple[str, str]]:
    time, keys = found.time, found.keys
    told = [("rows", f"{found.trace['rows']:,} in {time.steps:,} steps")]
    if time.steps:
        mean = f"{_number(time.arrivals_per_step_mean)} on average"
        per_step = f"{mean}, at most {time.arrivals_per_step_max:,}"
        told += [("time", _when(time)), ("rows per step", per_step)]
    distinct = f"{keys.distinct:,} distinct"
    if len(found.streams) == 2:
        left, right = (stream.label for stream in found.streams)
        distinct += f": {keys.left:,} in {left}, {keys.right:,} in {right}, {keys.both:,} in both"
    return [*told, ("keys", distinct)]


def _gains(found: Inspection) -> list[tuple[str, str]]:
    if found.joining:
        return [("", ""), ("join", _conditions(found.options)), *_join_facts(found.joining)]
    return [("", ""), *_caching_facts(found.caching, found.time)]


def _join_facts(join: Joining) -> list[tuple[str, str]]:
    same_step = f", and {join.same_step_results:,} within a step" if join.same_step_results else ""
    told = [("exact results", f"{join.exact:,}{same_step}")]
    if join.exact_importance is not None:
        told.append(("their importance", _number(join.exact_importance)))
    if join.results_per_arrival_mean is not None:
        mean = f"{_number(join.results_per_arrival_mean)} on average"
        told.append(("results per arrival", f"{mean}, at most {join.results_per_arrival_max:,}"))
    if join.never_join_share is not None:
        useless = f"{_percent(join.nothing_to_come_share)} of tuples: no result after their step"
        told.append(("never joining", f"{_percent(join.never_join_share)} of tuples"))
        told.append(("not worth keeping", useless))
    needed = _held(join.memory_for_full_recall, "tuples", join.memory_for_full_recall_time)
    in_window = _held(join.most_in_window, "tuples", join.most_in_window_time)
    return [*told, ("full recall needs", needed), ("most in window", in_window)]


def _caching_facts(cache: Caching, time: Times) -> list[tuple[str, str]]:
    told = [("references", f"{cache.references:,}")]
    if cache.hit_ratio is not None:
        told.append(("hits if unlimited", f"{cache.hits:,} ({_percent(cache.hit_ratio)})"))
    if cache.mean_reuse_time is not None:
        told.append(("mean time to reuse", _length(cache.mean_reuse_time, time)))
    needed = _held(cache.memory_for_all_hits, "objects", cache.memory_for_all_hits_time)
    return [*told, ("all hits need", needed)]


def _stream_table(found: Inspection) -> Table:
    """One column per stream."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("stream", no_wrap=True)
    for stream in found.streams:
        table.add_column(Text(str(stream.label)), justify="right", overflow="fold")
    unit = "second" if found.time.unit else "unit of time"
    rows = {
        "rows": lambda stream: f"{stream.rows:,}",
        f"rows per {unit}": lambda stream: _number(stream.rate),
        "mean gap": lambda stream: _length(stream.mean_gap, found.time),
        "distinct keys": lambda stream: f"{stream.distinct_keys:,}",
        "rows of top 1 % of keys": lambda stream: _percent(stream.top_1_percent_share),
        "rows of top 10 % of keys": lambda stream: _percent(stream.top_10_percent_share),
        "Zipf exponent (estimate)": lambda stream: _number(stream.zipf_exponent),
        f"key change per {unit}": lambda stream: _slope(stream.trend),
        "explained by that (R²)": lambda stream: _r_squared(stream.trend),
    }
    for heading, value in rows.items():
        table.add_row(heading, *map(value, found.streams))
    return table


def _top_key_table(streams: tuple[Stream, ...]) -> Table:
    """Key, count and share side by side for each stream."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for stream in streams:
        table.add_column(Text(f"in {stream.label}"), overflow="ellipsis", no_wrap=True)
        table.add_column("rows", justify="right", no_wrap=True)
        table.add_column("share", justify="right", no_wrap=True)
    columns = [_top_key_cells(stream) for stream in streams]
    for side_by_side in zip_longest(*columns, fillvalue=("", "", "")):
        table.add_row(*chain.from_iterable(side_by_side))
    return table


def _top_key_cells(stream: Stream) -> list[tuple]:
    return [(Text(str(top.key)), f"{top.count:,}", _percent(top.share)) for top in stream.top_keys]


def _facts(rows: list[tuple[str, str]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, told in rows:
        table.add_row(name, Text(told))
    return table


def _account(metadata: dict) -> list[tuple[str, str]]:
    """One line per entry; dictionaries as name value, name value."""
    return [(name.replace("_", " "), _plain(entry)) for name, entry in metadata.items()]


def _plain(entry) -> str:
    if isinstance(entry, dict):
        return ", ".join(f"{name} {_plain(value)}" for name, value in entry.items())
    if isinstance(entry, list):
        return " ".join(map(_plain, entry))
    return str(entry)


def _conditions(options: dict) -> str:
    """The options that decide which pairs there are, in words."""
    told = [f"key_R {options['on']} key_S"]
    if options["band"] is not None:
        low, high = options["band"]
        told = [f"{low} <= key_S - key_R <= {high}"]
    if options["window"] is None:
        told.append("no window")
    else:
        left, right = options["window"]
        length = f"{left:,}" if left == right else f"{left:,}:{right:,}"
        unit = "tuples" if options["window_kind"] == "tuples" else options["time_unit"] or ""
        told.append(f"window {length} {unit}".rstrip())
    if options["warmup"]:
        told.append(f"the first {options['warmup']:,} steps not counted")
    return ", ".join(told)


def _when(time: Times) -> str:
    return f"{time.first} to {time.last}, duration {_length(time.duration, time)}"


def _length(length: float | None, time: Times) -> str:
    """A length of time: of timestamps with a unit that suits it."""
    if length is None or time.unit is None:
        return _number(length)
    for unit, seconds in _LONG_UNITS.items():
        if length >= 2 * seconds:
            return f"{length / seconds:,.1f} {unit}"
    return f"{length:.4g} s"


def _held(number: int, what: str, first_time: Moment | None) -> str:
    since = "" if first_time is None else f", first at time {first_time}"
    return f"{number:,} {what}{since}"


def _slope(trend: Trend | None) -> str:
    return _UNDEFINED if trend is None or trend.slope is None else f"{trend.slope:+.4g}"


def _r_squared(trend: Trend | None) -> str:
    return _number(None if trend is None else trend.r_squared)


def _number(value: float | None) -> str:
    if value is None:
        return _UNDEFINED
    is_whole = isinstance(value, int) or abs(value) >= 1000
    return f"{value:,.0f}" if is_whole else f"{value:.4g}"


def _percent(share: float | None) -> str:
    return _UNDEFINED if share is None else f"{100 * share:.2f} %"
