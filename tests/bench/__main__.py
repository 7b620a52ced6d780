"""`make bench`: every module's rows in one table; name modules to run only those."""

import importlib
import pkgutil
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

AT_MOST = ("s", "MB")  # units in which less is better


def main(chosen: list[str]) -> int:
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    chosen = chosen or [name for name in names if name != "__main__"]
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("benchmark")
    for heading in ("ours", "peer", "ratio", "wanted", ""):
        table.add_column(heading, justify="right")
    missed = 0
    console = Console(width=None if sys.stdout.isatty() else 150)
    for name in chosen:
        console.print(f"running {name} ...", style="dim")
        for row in importlib.import_module(f"tests.bench.{name}").rows():
            verdict = _verdict(row)
            missed += verdict == "missed"
            table.add_row(*_cells(row), verdict)
    console.print(table)
    return 1 if missed else 0


def _cells(row: dict) -> list[str]:
    unit = row.get("unit", "/s")
    ratio, target, goal = row.get("ratio"), row.get("target"), row.get("goal")
    wanted = f"{target:g} x" if target else f"{_number(goal)} {unit}" if goal else ""
    return [
        row["name"],
        f"{_number(row['ours'])} {unit}",
        "" if row.get("peer") is None else f"{_number(row['peer'])} {unit}",
        "" if ratio is None else f"{ratio:.1f} x",
        wanted,
    ]


def _number(value: float) -> str:
    return (
        f"{value / 1e6:.1f} M"
        if value >= 1e5
        else f"{value:.3g}"
        if value < 100
        else f"{value:,.0f}"
    )


def _verdict(row: dict) -> str:
    if row.get("target"):
        return "ok" if row["ratio"] >= row["target"] else "missed"
    if row.get("goal"):
        is_good = (
            row["ours"] <= row["goal"] if row["unit"] in AT_MOST else row["ours"] >= row["goal"]
        )
        return "ok" if is_good else "missed"
    return ""


sys.exit(main(sys.argv[1:]))
