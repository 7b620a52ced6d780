"""A second oracle for the exact join: the same questions asked of DuckDB in SQL."""

import duckdb
import pyarrow as pa

from tests.oracle.rules import window_pair

COMBINATIONS = {
    "min": "least(l.importance, r.importance)",
    "max": "greatest(l.importance, r.importance)",
    "sum": "l.importance + r.importance",
    "product": "l.importance * r.importance",
}


def duck_exact(
    rows, *, window=None, on="=", band=None, combine="min", warmup=0, count_same_step=False
) -> dict:
    """exact, same_step_results and exact_importance of a join with time windows."""
    arrivals = arrow_table(rows)
    condition = f"l.key {on} r.key"
    if band is not None:
        condition = f"r.key - l.key BETWEEN {band[0]} AND {band[1]}"
    in_window = "true"
    if window is not None:
        left, right = window_pair(window)
        in_window = (
            f"CASE WHEN l.time < r.time THEN r.time - l.time <= {left}"
            f" ELSE l.time - r.time <= {right} END"
        )
    with duckdb.connect() as connection:
        connection.register("arrivals", arrivals)
        exact, same_step, exact_importance, same_importance = connection.execute(f"""
            WITH a AS (SELECT *, dense_rank() OVER (ORDER BY time) - 1 AS step FROM arrivals),
            pairs AS (
                SELECT l.time = r.time AS same, {COMBINATIONS[combine]} AS importance
                FROM a l JOIN a r ON l.stream = 0 AND r.stream = 1 AND {condition}
                WHERE greatest(l.step, r.step) >= {warmup} AND (l.time = r.time OR {in_window}))
            SELECT count(*) FILTER (NOT same), count(*) FILTER (same),
                   coalesce(sum(importance) FILTER (NOT same), 0)::DOUBLE,
                   coalesce(sum(importance) FILTER (same), 0)::DOUBLE
            FROM pairs""").fetchone()
    return {
        "exact": exact + same_step * count_same_step,
        "same_step_results": same_step,
        "exact_importance": exact_importance + same_importance * count_same_step,
    }


def arrow_table(rows) -> pa.Table:
    time, stream, key, importance, _ = zip(*rows, strict=True) if rows else ([],) * 5
    return pa.table(
        {
            "time": pa.array(time, pa.int64()),
            "stream": pa.array(stream, pa.int8()),
            "key": pa.array(key) if rows else pa.array([], pa.int64()),
            "importance": pa.array(importance, pa.float64()),
        }
    )
