"""What `replay` refuses: one sentence each, with a way out, before any work."""

import pytest

import streamjoin_core as sj
from tests.small_traces import SMALL, STATIONARY, references


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mem": 0}, "memory 0 is too small: it counts tuples, so give at least 1"),
        ({"mem": "-3"}, "memory -3 is too small"),
        ({"mem": "5,x"}, "memory 'x' is not a number of tuples: give one such as 10"),
        ({"mem": 2.5}, "memory 2.5 is not a number of tuples"),
        ({"mem": ""}, "memory '' is not a number of tuples"),
        ({"mem": []}, "no memory is given: give --mem"),
        ({"mem": "1:2:3:4"}, "memory '1:2:3:4' is not a number of tuples"),
        ({"mem": "9:5"}, "memory 9:5 is an empty range: write FIRST:LAST:STEP"),
        ({"mem": "1:9:0"}, "memory 1:9:0 is an empty range"),
        ({"mem": "1:1000000"}, "memory 1:1000000 is 1000000 sizes: give a step"),
        ({"mem": 2**31}, "memory 2147483648 is more than any trace fills"),
        ({"mem": None}, "policy 'fifo' needs a memory: give --mem"),
        ({"policy": ""}, "there is no policy '': choose among a0, age, exact"),
        ({"policy": []}, "no policy is named: give --policy"),
        ({"policy": None}, "no policy is named: give --policy"),
        ({"policy": [1]}, "no policy is named: give --policy"),
        ({"policy": "fifo,best"}, "there is no policy 'best': choose among"),
        ({"policy": "fifo:n=3"}, "policy 'fifo' has no parameter 'n': it has none"),
        ({"policy": "jtl:n=0"}, "parameter n is '0': give a whole number of at least 1"),
        ({"policy": "jtl:n"}, "'n' in policy 'jtl:n' is no parameter: write key=value"),
        ({"policy": "ttl:left=2h"}, "give a plain number"),
        ({"policy": "lru"}, "policy 'lru' is not for joining: choose among age, exact"),
        ({"policy": "life"}, "policy 'life' needs a window: give --window"),
        ({"window": "2h"}, "'2h' is no length of time here: times are integers"),
        ({"window": "1:2:3"}, "'1:2:3' is no window: give W, or W_R:W_S"),
        ({"window": -1}, "'-1' is negative"),
        ({"window": "2h", "window_kind": "tuples"}, "window '2h' is no number of tuples: give W"),
        ({"window_kind": "rows"}, "window kind 'rows' is unknown: choose time or tuples"),
        ({"split": "automatic"}, "choose shared, even or auto"),
        ({"split": "0:0"}, "split '0:0' leaves no memory to anyone"),
        ({"split": "1:-1"}, "split '1:-1' is unknown: choose shared, even or auto, or give shares"),
        ({"split": "1:2:3"}, "split '1:2:3' is unknown"),
        ({"split": "half"}, "split 'half' is unknown"),
        ({"order": "evict"}, "order 'evict' is unknown: choose probe-first or evict-first"),
        ({"on": "=="}, "join condition '==' is unknown: choose = or != or <"),
        ({"band": "2:1"}, "band '2:1' is empty: write the lower bound first"),
        ({"band": "1"}, "band '1' is not two numbers: write LO:HI"),
        ({"band": "nan:1"}, "band 'nan:1' is not two numbers"),
        ({"band": "0:inf"}, "band '0:inf' is not two numbers"),
        ({"band": 5}, "band 5 is not two numbers"),
        ({"band": "0:1"}, "a band needs keys that are numbers, but these are strings"),
        ({"band": "0:1", "on": "<"}, "a join has one condition: leave out either --on or --band"),
        ({"combine": "mean"}, "combination 'mean' is unknown: choose min or max"),
        ({"warmup": -1}, "warm-up is -1: give a whole number of at least 0"),
        ({"warmup": "2"}, "warm-up is '2': give a whole number"),
        ({"seed": -1}, "seed is -1: give a whole number of at least 0"),
        ({"seed": 2**63}, "seed is 9223372036854775808: give at most 9223372036854775807"),
        ({"seeds": 0}, "number of seeds is 0: give a whole number of at least 1"),
        ({"problem": "sorting"}, "problem 'sorting' is unknown: choose joining or caching"),
        ({"model": "nowhere.json"}, "cannot read model nowhere.json: No such file"),
        ({"model": []}, "the model has no entry per stream"),
        ({"model": {}}, "the model has no entry per stream"),
        ({"model": {"R": {}}}, "the model has no kind for stream 'R': give stationary or"),
        ({"model": {"R": {"kind": "guess"}}}, "the model has no kind for stream 'R'"),
        ({"model": {"Q": STATIONARY}}, "the model names stream 'Q', but the streams of <memory>"),
        ({"model": {"R": {"kind": "stationary"}}}, "stream 'R': a stationary model has no pmf"),
        ({"problem": "caching"}, "<memory> has two streams: caching takes one stream"),
        (
            {"problem": "caching", "window": 3, "count_same_step": True},
            "caching has no --window, --count-same-step: leave that out",
        ),
        ({"problem": "caching", "policy": "prob"}, "policy 'prob' is not for caching: choose"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(sj.InputError) as refusal:
        sj.replay(SMALL, **{"policy": "fifo", "mem": 2} | options)
    message = str(refusal.value)
    assert words in message
    assert "\n" not in message
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize(
    ("pmf", "words"),
    [
        ({"a": -0.1}, "the probability of key 'a' is -0.1: give a number of at least 0"),
        ({"a": float("nan")}, "the probability of key 'a' is nan"),
        ({"a": "0.5"}, "the probability of key 'a' is '0.5'"),
        ({"a": True}, "the probability of key 'a' is True"),
        ({"a": 0.7, "b": 0.4}, "the probabilities of a pmf sum to 1.1: divide them"),
    ],
)
def test_refused_probabilities(pmf, words):
    with pytest.raises(sj.InputError, match=words):
        sj.replay(SMALL, policy="prob", mem=1, model={"S": {"kind": "stationary", "pmf": pmf}})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "policy 'a0' needs a model of the stream: give --model"),
        ({"model": {"R": {"kind": "empirical"}}}, "policy 'a0' needs a model of the stream"),
        ({"model": {"R": STATIONARY, "S": STATIONARY}}, "the model names stream 'S'"),
        ({"mem": None}, "policy 'a0' needs a memory: give --mem"),
    ],
)
def test_refusals_of_caching(options, words):
    with pytest.raises(sj.InputError, match=words):
        sj.replay(references("ab"), **{"policy": "a0", "mem": 1, "problem": "caching"} | options)


def test_groups_are_not_for_caching():
    with pytest.raises(sj.InputError, match="caching has no groups: leave --group-by out"):
        sj.replay(references("ab", group=["x", "y"]), policy="lru", mem=1, problem="caching")


@pytest.mark.parametrize("content", ["{", "[1]", '"x"'])
def test_model_files_that_are_none(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_text(content)
    with pytest.raises(sj.InputError, match=r"model .*model\.json (is not JSON|has no entry)"):
        sj.replay(SMALL, policy="fifo", mem=1, model=path)


def test_what_is_no_trace():
    with pytest.raises(sj.InputError, match="a list is no trace: give a path, a pyarrow Table"):
        sj.replay([1, 2], policy="fifo", mem=1)
