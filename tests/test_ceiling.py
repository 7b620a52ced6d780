"""Runs as a share of the best that anyone could have reached, in results and in importance."""

import pytest

import streamjoin_core as sj
from streamjoin_core.checks.cases import random_trace

OPTIONS = {"mem": "2,5", "window": 9}


@pytest.mark.parametrize("split", ["shared", "even", None])
@pytest.mark.parametrize("count_same_step", [False, True])
def test_shares_are_of_the_optimum(split, count_same_step):
    trace = random_trace(8)
    options = OPTIONS | {"split": split, "count_same_step": count_same_step}
    report = sj.replay(
        trace, policy="greedy,ijoin,opt:objective=importance", opt=True, objective="both", **options
    )
    for run in report.runs:
        whole = OPTIONS | {
            "split": "even" if run.parts else "shared",
            "count_same_step": count_same_step,
            "mem": run.mem,
        }
        for objective, ratio in (
            ("results", run.ratio_to_opt),
            ("importance", run.ratio_to_opt_importance),
        ):
            (best,) = sj.opt_offline(trace, objective=objective, **whole).runs
            assert ratio == pytest.approx(getattr(run, objective) / getattr(best, objective))
            assert ratio <= 1
        if run.policy == "opt":
            assert run.ratio_to_opt_importance == pytest.approx(1)


def test_one_objective_only():
    runs = sj.replay(
        random_trace(8), policy="exact,fifo", opt=True, objective="importance", **OPTIONS
    )
    assert [run.ratio_to_opt for run in runs.runs] == [None] * 4
    assert [run.ratio_to_opt_importance for run in runs.runs][:2] == [1, 1]


def test_bad_questions():
    with pytest.raises(sj.InputError, match="objective 'worth' is unknown"):
        sj.replay(random_trace(8), policy="fifo", opt=True, objective="worth", **OPTIONS)
    with pytest.raises(sj.InputError, match="no flow problem"):
        sj.replay(
            random_trace(8),
            policy="fifo",
            opt=True,
            objective="importance",
            order="evict-first",
            **OPTIONS,
        )
