"""The memory of several joins as a table."""

import os

from rich.console import Group
from rich.text import Text

from streamjoin_core.allocation.run import Allocation
from streamjoin_core.report.table import number_text, plain_table


def allocation_text(found: Allocation) -> Group:
    options = found.options
    heading = f"memory {options['mem']:,} for {len(found.joins)} joins, policy {options['policy']}"
    heading += f", recall by {options['curve']}"
    table = plain_table(
        ["join", "needs", "mem", "recall\npredicted", "recall", "mem\nin prop.", "recall\nin prop."]
    )
    for one in found.joins:
        table.add_row(
            os.path.basename(one.path),
            f"{one.need:,}",
            f"{one.mem:,}",
            number_text(one.predicted_recall),
            number_text(one.recall),
            f"{one.proportional_mem:,}",
            number_text(one.proportional_recall),
        )
    is_weighted = any(one.weight != 1 for one in found.joins)
    worst = f"\nsmallest recall{' over its weight' if is_weighted else ''}: "
    worst += f"{number_text(found.smallest)} (predicted {number_text(found.smallest_predicted)}), "
    worst += f"in proportion {number_text(found.smallest_proportional)}"
    return Group(Text(heading), Text(""), table, Text(worst))
