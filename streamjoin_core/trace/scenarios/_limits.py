"""What is refused before arrays are made of it."""

from streamjoin_core.errors import InputError

MOST_ROWS = 2**31 - 1

# Doubles count in ones up to here, and sums of a few keys stay within int64.
_LARGEST_KEY = 2**53


def check_most(name: str, value: float, most: float) -> None:
    """Refuse a parameter that is too large."""
    if value > most:
        raise InputError(f"parameter {name} is {value}: give at most {most}")


def check_order(low: str, least: float, high: str, most: float) -> None:
    """Refuse two ends of a range that are the wrong way round."""
    if least > most:
        raise InputError(f"parameter {low} is {least}: give at most {high}, which is {most}")


def check_rows(rows: float) -> None:
    """Refuse a trace that is too long."""
    if rows > MOST_ROWS:
        raise InputError(
            f"this makes {rows:.3g} arrivals, but a trace has at most {MOST_ROWS}: take fewer "
            "steps or lower rates"
        )


def check_reach(largest: float) -> None:
    """Refuse parameters that can lead to keys which are no longer exact."""
    if largest > _LARGEST_KEY:
        raise InputError(
            f"keys could reach {largest:.3g}, beyond 2**53: take smaller parameters or fewer steps"
        )
