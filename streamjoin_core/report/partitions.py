"""Partitions as a person reads of them: how the work was shared, and whether evenly."""

from streamjoin_core.report.report import Partition

_UNEVEN = 3  # times the mean


def sharing(partitions: tuple[Partition, ...]) -> str:
    """How the rows and the time were shared."""
    rows = [partition.rows for partition in partitions]
    seconds = [partition.seconds for partition in partitions]
    largest, slowest = rows.index(max(rows)), seconds.index(max(seconds))
    return (
        f"{len(rows):,} partitions: {sum(rows) / len(rows):,.0f} rows on average, at most "
        f"{rows[largest]:,} (partition {largest}); {sum(seconds) / len(rows):.2f} s on average, at "
        f"most {seconds[slowest]:.2f} s (partition {slowest})"
    )


def unevenness(partitions: tuple[Partition, ...], balance: bool) -> str | None:
    """A warning if one partition has much more than its share of the rows."""
    rows = [partition.rows for partition in partitions]
    if not rows or max(rows) * len(rows) <= _UNEVEN * sum(rows):
        return None
    times = max(rows) * len(rows) / sum(rows)
    way_out = "a single key weighs that much" if balance else "try --balance"
    return f"partition {rows.index(max(rows))} has {times:.1f} times the mean of rows: {way_out}"
