"""No policy does better than the optimum, and where a policy is known to be optimal it is equal."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streamjoin_core.engine.caching import CachingTask
from streamjoin_core.engine.joining import prepare_join
from streamjoin_core.optimal import solve
from streamjoin_core.policies.registry import find_policy
from streamjoin_core.replay import replay
from streamjoin_core.trace.reduce import reduce_caching
from streamjoin_core.trace.table import trace_from_arrays
from tests.optimal.questions import as_join, as_parts, as_trace, examples
from tests.oracle.strategies import JOIN_POLICIES, join_cases

LIMITED = [name for name in JOIN_POLICIES if name != "exact"]


@examples(4)
@given(join_cases(LIMITED))
def test_no_policy_beats_the_optimum(case):
    rows, options = case
    options.update(order="probe-first", count_same_step=False)
    params = ",".join(f"{name}={value}" for name, value in options["params"].items())
    policy = f"{options['policy']}:{params}" if params else options["policy"]
    others = {name: options[name] for name in options if name not in ("policy", "params")}
    (run,) = replay(as_trace(rows), policy=policy, **others).runs
    for objective, reached in (("results", run.results), ("importance", run.importance)):
        (best,) = solve(as_join(rows, options), [as_parts(options)], objective).optima
        assert reached <= best.lower


@examples(4)
@given(st.lists(st.integers(0, 7), max_size=60), st.integers(1, 5))
def test_longest_forward_distance_is_the_optimum_of_the_reduced_trace(keys, mem):
    references = trace_from_arrays(np.arange(len(keys)), np.array(keys, np.int64))
    policy = find_policy("lfd")
    hits = policy.caching(CachingTask(references, policy.parameters(), mem)).hits
    reduced = prepare_join(
        reduce_caching(references),
        window=None,
        by_tuples=False,
        evict_first=False,
        on="=",
        band=None,
        combination="min",
        first_counted=0,
    )
    for graph in ("key", "match"):
        (best,) = solve(reduced, [(mem,)], graph=graph).optima
        assert best.lower == hits
