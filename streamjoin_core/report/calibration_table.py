"""Measured costs as a person reads them."""

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from streamjoin_core.report.table import number_text, plain_table

if TYPE_CHECKING:
    from streamjoin_core.shedding.calibration import Calibration


def calibration_table(found: "Calibration") -> Group:
    """Both costs, each measurement beside what they explain of it, and how well that fits."""
    table = plain_table(["tuples", "results", "ms found", "ms fitted", "error %"])
    for one in found.measurements:
        table.add_row(
            f"{one.tuples:,}",
            f"{one.results:,}",
            f"{1e3 * one.seconds:.2f}",
            f"{1e3 * one.fitted:.2f}",
            f"{100 * (one.fitted / one.seconds - 1):+.1f}",
        )
    costs = (
        f"\ncost of a tuple {1e9 * found.update:.1f} ns, of a result "
        f"{1e9 * found.production:.1f} ns"
    )
    fit = (
        f"time = tuples and results times these: R² {number_text(found.r_squared)}, largest error "
        f"{100 * found.largest_error:.0f} %"
    )
    return Group(table, Text(costs), Text(fit))
