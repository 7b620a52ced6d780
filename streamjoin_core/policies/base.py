"""What a policy is: its description, and how it replays the joining and the caching problem."""

from collections.abc import Callable
from dataclasses import dataclass

from streamjoin_core.parameters import Parameters, label
from streamjoin_core.trace.trace import Trace


@dataclass(frozen=True)
class Policy:
    """One file of this folder, which ends with `POLICY = Policy(...)`.

    `joining` takes a `streamjoin_core.engine.joining.JoinTask` and returns its `JoinFacts`;
    `caching` takes a `streamjoin_core.engine.caching.CachingTask` and returns its `CachingFacts`.
    A policy that has no answer for a problem leaves it out. The module's docstring explains the
    rule, its formula and where it comes from; `sjoin policies NAME` prints it.
    """

    name: str
    summary: str  # one line: who leaves first
    paper: str  # where it comes from
    cost: str  # work per arrival or reference
    joining: Callable | None = None
    caching: Callable | None = None
    parameters: type[Parameters] = Parameters
    aliases: tuple[str, ...] = ()
    # of: "window", "probe-first", "model", "age-curve", "numbers" (as keys)
    needs: tuple[str, ...] = ()
    needs_memory: bool = True  # whether it makes no sense without a limit on memory
    ignores_memory: bool = False  # whether it has all the memory there is, whatever it is given
    split: str = "shared"  # of the memory, unless the user gives one
    check: Callable[[Parameters, Trace], None] | None = None  # refuses parameters for a trace
    # The parameters as the report has them, with what the model decides where nobody did; of the
    # parameters, the problem, the models' entries, and the memory, None if each partition has its.
    settled: Callable[[Parameters, str, dict, int | None], dict] | None = None
    theory: Callable | None = None  # of a JoinTask: the recall that is to be expected, or None
    is_random: bool = False
    knows_future: bool = False  # a bound rather than a competitor

    def label(self, params: Parameters) -> str:
        """The name with the parameters that are not the default, so that no two runs share one."""
        return label(self.name, params)
