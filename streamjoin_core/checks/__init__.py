"""What every policy must hold: `check_joining(policy)` and `check_caching(policy)` run it all.

They raise an AssertionError that names the check and the case. They are part of the library, so
that the author of a new policy can run them before anyone else does.
"""

from streamjoin_core.checks.caching import CACHING_CHECKS, check_caching
from streamjoin_core.checks.joining import JOINING_CHECKS, check_joining

__all__ = ["CACHING_CHECKS", "JOINING_CHECKS", "check_caching", "check_joining"]
