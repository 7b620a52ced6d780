"""Each scenario's statistics against its definition.

Seeds are fixed, so a test passes always or never; a p-value below SURE means a wrong formula.
"""

import numpy as np
import pytest
from scipy import stats

from streamjoin_core.trace.scenarios import generate

SURE = 1e-3
STEPS = 40_000


def sides(trace):
    """Times and keys of R and of S."""
    keys = trace.key_values[trace.key]
    return [(trace.time[trace.stream == side], keys[trace.stream == side]) for side in (0, 1)]


def assert_follows(samples, probabilities):
    """Whether samples 0, 1, ... have these probabilities; rare ones are counted together."""
    counts = np.bincount(samples, minlength=len(probabilities))
    assert len(counts) == len(probabilities)
    expected = np.asarray(probabilities) * len(samples)
    rare = expected < 5
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 1e-9
    assert counts[~kept].sum() == 0
    assert stats.chisquare(counts[kept], expected[kept], sum_check=False).pvalue > SURE


def assert_unrelated(one, other):
    assert stats.pearsonr(one, other).pvalue > SURE


def rounded_normal(sigma, bound, mean=0.0):
    """Probabilities of the integers of [-bound, bound] under normal noise, drawn within it."""
    edges = np.arange(-bound, bound + 2) - 0.5
    mass = np.diff(stats.norm.cdf(edges, mean, sigma))
    return mass / mass.sum()


NOISES = {
    "tower": (rounded_normal(1, 10), rounded_normal(2, 15)),
    "roof": (rounded_normal(3.3, 10), rounded_normal(5, 15)),
    "floor": (np.full(21, 1 / 21), np.full(31, 1 / 31)),
}


@pytest.mark.parametrize("name", NOISES)
def test_noise_of_trends(name):
    noises = []
    for (time, key), lag, noise in zip(
        sides(generate(name, steps=STEPS, seed=1)), (1, 0), NOISES[name], strict=True
    ):
        bound = len(noise) // 2
        noises.append(key - (time - lag))
        assert_follows(noises[-1] + bound, noise)
        assert_unrelated(noises[-1][1:], noises[-1][:-1])
    assert_unrelated(*noises)


def test_normal_noise_is_rounded_before_it_is_bounded():
    """Drawing within the bound first and rounding then would halve the outermost value."""
    trace = generate("roof", steps=STEPS, seed=2, bound_left=2, bound_right=3)
    for (time, key), lag, bound, sigma in zip(sides(trace), (1, 0), (2, 3), (3.3, 5), strict=True):
        assert_follows(key - time + lag + bound, rounded_normal(sigma, bound))


def test_trend_is_rounded_half_up_and_r_lags_behind_s():
    trace = generate("floor", steps=100, speed=0.3, lag=5, bound_left=0, bound_right=0)
    (time, left), (_, right) = sides(trace)
    np.testing.assert_array_equal(left, np.floor(0.3 * time - 1.5 + 0.5))
    np.testing.assert_array_equal(right, np.floor(0.3 * time + 0.5))
    backwards = generate("floor", steps=100, speed=-2, lag=-3, bound_left=0, bound_right=0)
    np.testing.assert_array_equal(sides(backwards)[0][1], -2 * time - 6)


@pytest.mark.parametrize(("drift", "sigma"), [(0.0, 1.0), (0.7, 2.0)])
def test_steps_of_walks(drift, sigma):
    (_, left), (_, right) = sides(generate("walk", steps=STEPS, seed=3, drift=drift, sigma=sigma))
    moves = [np.diff(key, prepend=0) for key in (left, right)]
    for side in moves:
        assert_follows(side + 20, rounded_normal(sigma, 20, drift))
        assert_unrelated(side[1:], side[:-1])
    assert_unrelated(*moves)


@pytest.mark.parametrize(("phi0", "phi1", "sigma"), [(55.9, 0.72, 42.2), (3.0, -0.8, 0.5)])
def test_transitions_of_ar1(phi0, phi1, sigma):
    """Each value, spread evenly over its rounding interval, is uniform in its distribution."""
    trace = generate("ar1", steps=STEPS, seed=4, phi0=phi0, phi1=phi1, sigma=sigma, streams=2)
    rng = np.random.default_rng(0)
    innovations = []
    for _, key in sides(trace):
        mean = phi0 + phi1 * key[:-1]
        low, high = (stats.norm.cdf((key[1:] + half - mean) / sigma) for half in (-0.5, 0.5))
        innovations.append(low + rng.random(len(mean)) * (high - low))
        assert stats.kstest(innovations[-1], "uniform").pvalue > SURE
    assert_unrelated(*innovations)


def test_ar1_is_the_papers_temperatures_in_tenths_of_a_degree():
    trace = generate("ar1", steps=STEPS, seed=5)
    assert trace.labels == ("R",)
    key = trace.key_values[trace.key]
    assert key.mean() == pytest.approx(55.9 / 0.28, abs=2)
    assert key.std() == pytest.approx(42.2 / np.sqrt(1 - 0.72**2), rel=0.02)
    firsts = [generate("ar1", steps=1, seed=seed).key_values[0] for seed in range(300)]
    assert stats.kstest(firsts, stats.norm(55.9 / 0.28, 60.8).cdf).pvalue > SURE


@pytest.mark.parametrize("correlation", ["direct", "inverse", "none"])
@pytest.mark.parametrize(("domain", "skew"), [(50, 1.0), (7, 2.5)])
def test_zipf_frequencies(correlation, domain, skew):
    trace = generate("zipf", steps=STEPS, seed=6, correlation=correlation, domain=domain, skew=skew)
    zipf = np.arange(1, domain + 1) ** -skew
    zipf /= zipf.sum()
    (_, left), (_, right) = sides(trace)
    assert_follows(left - 1, zipf)
    model = [trace.metadata["model"][label]["pmf"] for label in "RS"]
    assert [list(pmf) for pmf in model] == [[str(key) for key in range(1, domain + 1)]] * 2
    in_left, in_right = (np.array(list(pmf.values())) for pmf in model)
    np.testing.assert_allclose(in_left, zipf)
    assert_follows(right - 1, in_right)
    if correlation == "none":
        np.testing.assert_allclose(np.sort(in_right), np.sort(zipf))
        assert not np.array_equal(in_right, zipf)
        assert not np.array_equal(in_right, zipf[::-1])
    else:
        np.testing.assert_allclose(in_right, zipf if correlation == "direct" else zipf[::-1])


def test_uncorrelated_orders_are_evenly_spread():
    ranks = []
    for seed in range(200):
        model = generate("zipf", steps=1, seed=seed, correlation="none", domain=5).metadata["model"]
        ranks.append(np.argmax(list(model["S"]["pmf"].values())))
    assert_follows(np.array(ranks), np.full(5, 0.2))


def test_arrivals_at_their_average_rates():
    (left, _), (right, _) = sides(generate("zipf", steps=STEPS, seed=7))
    assert len(left) == pytest.approx(STEPS, rel=0.01)
    assert len(right) == pytest.approx(5 * STEPS, rel=0.01)
    sparse, _ = sides(generate("zipf", steps=10**7, seed=7, rate_left=1e-3, rate_right=1e-3))[0]
    assert stats.kstest(np.diff(sparse), stats.uniform(400, 1200).cdf).pvalue > SURE


def test_regular_spacing():
    trace = generate("zipf", steps=100, spacing="regular", rate_left=1, rate_right=1)
    np.testing.assert_array_equal(trace.time, np.repeat(np.arange(100), 2))
    np.testing.assert_array_equal(trace.stream, np.tile([0, 1], 100))
    (left, _), (right, _) = sides(generate("zipf", steps=100, spacing="regular", rate_left=0.1))
    np.testing.assert_array_equal(left, np.arange(0, 100, 10))
    np.testing.assert_array_equal(right, np.repeat(np.arange(100), 5))


BUCKETS = np.arange(1, 21)
CURVES = {
    "inc": BUCKETS**2,
    "dec": (20 - BUCKETS) ** 2,
    "bell": np.where(BUCKETS <= 10, BUCKETS, 20 - BUCKETS) ** 2,
}


def ages_of_matches(trace):
    """For each S tuple whose partner is in the trace: its own time and the partner's age."""
    (opened, ids), (time, key) = sides(trace)
    np.testing.assert_array_equal(ids, np.arange(1, len(ids) + 1))
    joins = (key >= 1) & (key <= len(ids))
    return time[joins], time[joins] - opened[key[joins] - 1]


@pytest.mark.parametrize("curve", CURVES)
def test_age_curve_is_recovered_from_the_trace(curve):
    trace = generate("age", steps=STEPS, seed=8, curve=curve)
    time, age = ages_of_matches(trace)
    assert age.min() >= 1
    assert age.max() <= 500
    # From here on no partner was opened before the trace began.
    late = age[time >= 500]
    assert_follows((late - 1) // 25, CURVES[curve] / CURVES[curve].sum())
    assert_follows((late - 1) % 25, np.full(25, 1 / 25))
    # Results per R tuple that lived to the end of its window.
    (opened, _), _ = sides(trace)
    complete = (opened <= STEPS - 500).sum()
    assert ((time - age) <= STEPS - 500).sum() / complete == pytest.approx(5, rel=0.01)


def test_age_parameters():
    trace = generate(
        "age", steps=STEPS, seed=9, curve="dec", exponent=1, n1=2, buckets=7, window=100
    )
    time, age = ages_of_matches(trace)
    weights = 7 - np.arange(1, 8)
    late = time >= 100
    assert_follows(np.ceil(age[late] * 7 / 100).astype(int) - 1, weights / weights.sum())
    everyone = sides(trace)[1][0] >= 100
    assert late.sum() / everyone.sum() == pytest.approx(2 / 5, abs=0.01)


def test_importance_is_redefined_twice():
    trace = generate("importance", seed=10)
    period = trace.time * 3 // 100_000
    groups = np.unique(np.column_stack((period, trace.key, trace.importance)), axis=0)
    pairs = np.unique(groups[:, :2], axis=0)
    assert len(groups) == len(pairs) == 300  # one importance per period and key
    table = groups[:, 2].reshape(3, 100)
    assert stats.kstest(table.ravel(), stats.uniform(1, 99).cdf).pvalue > SURE
    np.testing.assert_array_equal(table, table.round(2))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert_unrelated(table[one], table[other])
    edges = np.flatnonzero(np.diff(period)) + 1
    assert trace.time[edges].tolist() == pytest.approx([100_000 / 3, 200_000 / 3], abs=20)


def test_importance_rates_and_keys():
    trace = generate("importance", seed=11, steps=1_000_500)
    zipf = 1 / np.arange(1, 101)
    for time, key in sides(trace):
        per_second = np.bincount(time // 1000)[:1000]
        assert (per_second.min(), per_second.max()) == (100, 200)
        assert_follows(per_second - 100, np.full(101, 1 / 101))
        assert_follows(time[time < 1_000_000] % 1000 // 100, np.full(10, 0.1))
        assert_follows(key - 1, zipf / zipf.sum())
        assert time[-1] < 1_000_500


def test_equal_importances():
    trace = generate("importance", importance_least=0.125, importance_most=0.125, redefinitions=0)
    assert set(trace.importance) == {0.125}


def test_bids_crowd_before_closing():
    trace = generate("auction", steps=STEPS, seed=12, shortest=300, longest=300)
    (opened, _), (_, key) = sides(trace)
    time, age = ages_of_matches(trace)
    assert len(time) == len(key)  # every bid has its auction
    settled = opened < STEPS - 300
    assert_follows(age[time - age < STEPS - 300] - 1, np.diff((np.arange(301) / 300) ** 3))
    bids = np.bincount(key, minlength=len(opened) + 1)[1:][settled]
    most = bids.max()
    assert_follows(bids, stats.poisson(5).pmf(np.arange(most + 1)))


def test_auctions_of_differing_lifetimes():
    _, age = ages_of_matches(generate("auction", steps=STEPS, seed=13))
    assert (age > 250).mean() > 0.8
    assert 490 < age.max() <= 500
    _, flat = ages_of_matches(generate("auction", steps=STEPS, seed=13, exponent=0))
    assert flat.mean() == pytest.approx(450 / 2, rel=0.02)


def test_each_bid_is_one_to_ten_percent_higher():
    trace = generate("auction", steps=2000, seed=14)
    for auction in range(1, 200):
        of_one = trace.key_values[trace.key] == auction
        assert trace.stream[of_one][0] == 0
        price = trace.value[of_one]
        assert 1 <= price[0] <= 100
        raises = price[1:] / price[:-1]
        cent = 0.01 / price[:-1]
        assert (raises > 1.01 - cent).all()
        assert (raises < 1.1 + cent).all()
