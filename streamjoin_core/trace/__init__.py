"""Traces: recorded arrivals read from Parquet, tables and arrays, and written back."""

from streamjoin_core.trace.columns import Columns
from streamjoin_core.trace.read import read_trace
from streamjoin_core.trace.table import trace_from_arrays, trace_from_table
from streamjoin_core.trace.trace import Trace
from streamjoin_core.trace.units import parse_duration, parse_window
from streamjoin_core.trace.write import write_trace

__all__ = [
    "Columns",
    "Trace",
    "parse_duration",
    "parse_window",
    "read_trace",
    "trace_from_arrays",
    "trace_from_table",
    "write_trace",
]
