"""What holds of every scenario: reproducible, recorded, quick, and clear about bad parameters."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from streamjoin_core.errors import InputError
from streamjoin_core.trace import read_trace, scenarios, write_trace
from streamjoin_core.trace.scenarios import generate

NAMES = list(scenarios.scenarios())


def test_every_file_is_a_scenario():
    files = Path(scenarios.__file__).parent.glob("[a-z]*.py")
    assert sorted(file.stem for file in files) == NAMES
    expected = "age ar1 auction floor importance roof tower walk wan zipf"
    assert expected.split() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_bytes(name, tmp_path):
    written = []
    for run, seed in enumerate((3, 3, 4)):
        path = tmp_path / f"{run}.parquet"
        write_trace(generate(name, steps=300, seed=seed), path)
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert written[0] != written[2]


def test_draws_come_from_pcg64():
    trace = generate("floor", steps=50, seed=7, speed=0)
    rng = np.random.Generator(np.random.PCG64(7))
    keys = trace.key_values[trace.key]
    np.testing.assert_array_equal(keys[0::2], rng.integers(-10, 11, 50))
    np.testing.assert_array_equal(keys[1::2], rng.integers(-15, 16, 50))


@pytest.mark.parametrize("name", NAMES)
def test_arrivals_are_in_order(name):
    trace = generate(name, steps=400, seed=1)
    assert trace.time[0] >= 0
    assert trace.time[-1] < 400
    order = trace.time * 2 + trace.stream
    assert (np.diff(order) >= 0).all()  # by time, and R before S in each step
    # What S sends over a wide area is on its way for longer than these steps.
    assert trace.labels == (("R",) if name in ("ar1", "wan") else ("R", "S"))


@pytest.mark.parametrize("name", ["tower", "roof", "floor", "walk", "ar1"])
def test_one_arrival_per_stream_and_step(name):
    trace = generate(name, steps=100, streams=2)
    np.testing.assert_array_equal(trace.time, np.repeat(np.arange(100), 2))
    np.testing.assert_array_equal(trace.stream, np.tile([0, 1], 100))


@pytest.mark.parametrize("name", ["tower", "roof", "floor", "walk", "ar1", "zipf"])
def test_one_stream_for_caching(name, tmp_path):
    trace = generate(name, steps=100, streams=1)
    assert trace.labels == ("R",)
    assert list(trace.metadata["model"]) == ["R"]
    write_trace(trace, tmp_path / "one.parquet")
    assert read_trace(tmp_path / "one.parquet", problem="caching").fingerprint == trace.fingerprint


@pytest.mark.parametrize("name", NAMES)
def test_how_it_was_made_is_written_and_read(name, tmp_path):
    trace = generate(name, steps=200, seed=5)
    write_trace(trace, tmp_path / "trace.parquet")
    again = read_trace(tmp_path / "trace.parquet")
    assert again.fingerprint == trace.fingerprint
    assert again.metadata == trace.metadata
    made = again.metadata
    assert (made["scenario"], made["steps"], made["seed"]) == (name, 200, 5)
    assert generate(name, steps=200, seed=5, **made["parameters"]).fingerprint == again.fingerprint
    assert ("model" in made) != ("model_note" in made)
    json.dumps(made, allow_nan=False)


def test_models():
    def model(name, **parameters):
        return generate(name, steps=1, **parameters).metadata["model"]

    assert model("tower")["R"] == {
        "kind": "trend",
        "slope": 1.0,
        "intercept": -1.0,
        "noise": {"kind": "normal", "sigma": 1.0, "bound": 10},
    }
    assert model("roof")["S"]["noise"] == {"kind": "normal", "sigma": 5.0, "bound": 15}
    assert model("floor")["S"] == {
        "kind": "trend",
        "slope": 1.0,
        "intercept": 0.0,
        "noise": {"kind": "uniform", "bound": 15},
    }
    assert model("walk", drift=2)["S"] == {"kind": "walk", "drift": 2.0, "sigma": 1.0}
    assert model("ar1") == {"R": {"kind": "ar1", "phi0": 55.9, "phi1": 0.72, "sigma": 42.2}}
    assert sum(model("zipf")["S"]["pmf"].values()) == pytest.approx(1)
    assert len(model("importance")["R"]["pmf"]) == 100


def test_probabilities_of_very_many_keys_stay_out_of_the_file():
    metadata = generate("zipf", steps=10, domain=10_001).metadata
    assert "10001 keys" in metadata["model_note"]


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="plain Python takes longer")
@pytest.mark.parametrize("name", NAMES)
def test_a_million_steps_take_seconds(name):
    generate(name, steps=200_000)  # compiles what is compiled
    start = time.process_time()
    trace = generate(name, steps=1_000_000)
    assert time.process_time() - start < 5
    assert trace.time[-1] > 990_000


def test_small_traces_do_not_load_numba():
    code = (
        "import sys; from streamjoin_core.trace.scenarios import generate; "
        "print(len(generate('tower', steps=10)), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["20", "False"]


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("towr", {}, "scenario 'towr' is unknown: choose one of age, ar1, auction"),
        ("tower", {"skew": 1}, "scenario tower has no parameter 'skew': it has speed, lag"),
        ("tower", {"steps": 0}, "steps is 0: give a whole number of at least 1"),
        ("tower", {"steps": 2**40}, "steps is .*: give at most 2147483647"),
        ("tower", {"steps": "many"}, "steps is 'many': give a whole number"),
        ("tower", {"seed": -1}, "seed is -1: give a whole number of at least 0"),
        ("tower", {"sigma_left": "wide"}, "sigma_left is 'wide': give a number above 0"),
        ("tower", {"sigma_left": 1e9}, "as good as uniform noise: use scenario floor"),
        ("tower", {"speed": 1e30}, "beyond 2"),
        ("floor", {"bound_left": 2**70}, "beyond 2"),
        ("floor", {"bound_left": -1}, "bound_left is -1: give a whole number of at least 0"),
        ("walk", {"streams": 3}, "streams is 3: give 1 or 2"),
        ("walk", {"sigma": 1e300}, "beyond 2"),
        ("ar1", {"phi1": 1}, "phi1 is 1.0: give a number between -1 and 1, or use scenario walk"),
        ("ar1", {"phi0": 1e300}, "beyond 2"),
        ("zipf", {"correlation": "both"}, "give direct or inverse or none"),
        ("zipf", {"domain": 10**9}, "domain is 1000000000: give at most 10000000"),
        ("zipf", {"rate_left": 1e12}, "at most 2147483647: take fewer steps or lower rates"),
        ("age", {"n1": 6}, "only 5.0 S tuples per R tuple: lower n1, or raise rate_right"),
        ("age", {"buckets": 400}, "may be empty.*: take fewer buckets"),
        ("importance", {"rate_least": 300}, "rate_least is 300: give at most rate_most"),
        ("importance", {"importance_most": 1e300}, "importance_most is 1e.300: give at most"),
        ("importance", {"redefinitions": 10**9}, "redefinitions is .*: give at most 100000"),
        ("auction", {"longest": 300}, "shortest is 400: give at most longest, which is 300"),
        ("auction", {"bids": 1e30}, "at most 2147483647"),
    ],
)
def test_bad_parameters(name, given, words):
    with pytest.raises(InputError, match=words) as refusal:
        generate(name, **given)
    assert "\n" not in str(refusal.value)


def test_memory_that_does_not_suffice(monkeypatch):
    def refuse(*columns, **options):
        raise MemoryError

    monkeypatch.setattr(scenarios, "trace_from_arrays", refuse)
    with pytest.raises(InputError, match="10 steps of walk do not fit in memory: take fewer"):
        generate("walk", steps=10)
