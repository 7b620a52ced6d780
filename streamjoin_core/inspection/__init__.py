"""What is in a trace, before any policy: rates, skew, trends, results, and memory to lose none."""

from streamjoin_core.inspection.report import Inspection
from streamjoin_core.inspection.run import inspect

__all__ = ["Inspection", "inspect"]
