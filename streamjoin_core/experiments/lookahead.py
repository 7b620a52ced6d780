"""How far FlowExpect must look ahead: FLOOR, 500 steps, memory 20, and the others beside it."""

from streamjoin_core.experiments._synthetic import HINT_IS_A_WINDOW, PAPER_RUNS, results, warmup_of
from streamjoin_core.experiments.base import Claim, Experiment, Findings, Panel, Setup
from streamjoin_core.experiments.claims import is_ahead
from streamjoin_core.experiments.measure import Measured, curves
from streamjoin_core.trace.scenarios import generate

_MEMORY = 20
_AHEAD = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
_ENOUGH = 5
_APPARENT = 0.02  # the share of more results that is worth it
_STAYS = (
    f"With memory {_MEMORY} and two arrivals a step tuples stay {_MEMORY // 2} steps on average, "
    "so plans that look further than 5 steps still gain a little."
)
_OTHERS = ("opt", "heeb", "rand", "prob", "life")


def measure(_: None, seed: int, steps: int) -> Measured:
    trace = generate("floor", steps=steps, seed=seed)
    plans = {ahead: f"flowexpect:lookahead={ahead}" for ahead in _AHEAD}
    found = results(trace, (*_OTHERS, *plans.values()), (_MEMORY,), seed=seed)
    curve = {ahead: found[plan][_MEMORY] for ahead, plan in plans.items()}
    flat = {label: dict.fromkeys(_AHEAD, found[label][_MEMORY]) for label in _OTHERS}
    return {"flowexpect": curve, **flat}


def claims(panel: Panel) -> tuple[Claim, ...]:
    flow = panel.curve("flowexpect")
    first, enough, last = (flow.mean(ahead) for ahead in (_AHEAD[0], _ENOUGH, _AHEAD[-1]))
    gained, more = enough / first - 1, max(map(flow.mean, _AHEAD)) / enough - 1
    return (
        Claim(
            "looking 5 steps ahead instead of 1 is an apparent improvement",
            gained > _APPARENT,
            f"{panel.number(first)} to {panel.number(enough)}, {gained:+.1%}",
        ),
        Claim(
            "looking further than 5 steps ahead hardly helps",
            more < _APPARENT,
            f"{panel.number(enough)} to {panel.number(last)}, at best {more:+.1%}",
        ),
        is_ahead("nobody beats the offline optimum", panel, "opt", ["flowexpect"], ties=True),
    )


def find(setup: Setup) -> Findings:
    panel = Panel(f"FLOOR, memory {_MEMORY}", "lookahead", "results", curves(setup, measure))
    return Findings((panel,), claims(panel), (HINT_IS_A_WINDOW, _STAYS))


EXPERIMENT = Experiment(
    name="lookahead",
    summary="how far FlowExpect must look ahead",
    paper="Xie's dissertation, Duke University 2005, section 3.7.4",
    find=find,
    runs=PAPER_RUNS,
    steps=500,
    least_steps=warmup_of((_MEMORY,)) + 1,
)
