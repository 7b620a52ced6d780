"""Auctions that open on R and get bids on S, most of them near closing.

After Srivastava and Widom 2004, section 2.2.

    opening     at irregular times as in scenario zipf, `rate` per unit of time; ids 1, 2, ...
    lifetime    D, uniform in {shortest, ..., longest}
    bids        a Poisson number with mean `bids` per auction
    age of bid  ceil(D U^(1 / (exponent + 1))), U uniform in (0, 1]

So a bid's age relative to the lifetime has a density proportional to x^exponent: few bids come
early, most come towards closing. Join with a window of `longest` on R.

The paper tells the story and gives no figures; lifetimes follow its other experiments (W = 500, 5
results per R tuple, exponent 2). It is an age-based stream that is not as tidy as the one of
scenario age: lifetimes and numbers of bids differ between auctions. The first auction opens just
after time 0, so every bid's auction is in the trace; bids after the last step are not.

`value` is money: the opening price, uniform in [1, 100], on R, and the amount of the bid on S. Each
bid is 1 to 10 percent higher than the one before.
"""

from dataclasses import dataclass

import numpy as np

from streamjoin_core.parameters import Parameters, parameter
from streamjoin_core.trace.scenarios._arrivals import irregular_times, merge_streams
from streamjoin_core.trace.scenarios._limits import check_most, check_order, check_rows
from streamjoin_core.trace.scenarios._scenario import Arrivals, Scenario

_LONGEST_LIFETIME = 2**31  # so that auction and age fit one number


@dataclass(frozen=True)
class Auction(Parameters):
    rate: float = parameter(1.0, "auctions opened per unit of time", above=0)
    bids: float = parameter(5.0, "mean number of bids on an auction", least=0)
    shortest: int = parameter(400, "shortest lifetime of an auction", least=1)
    longest: int = parameter(500, "longest lifetime of an auction", least=1)
    exponent: float = parameter(2.0, "how strongly bids crowd towards closing; 0 evenly", least=0)

    def __post_init__(self):
        super().__post_init__()
        check_order("shortest", self.shortest, "longest", self.longest)
        check_most("longest", self.longest, _LONGEST_LIFETIME)


def generate(params: Auction, steps: int, rng: np.random.Generator) -> Arrivals:
    check_rows(params.rate * (1 + params.bids) * steps)
    opened = irregular_times(params.rate, steps, rng)
    auction, age = _bids(params, len(opened), rng)
    time = opened[auction] + age
    price = rng.uniform(1, 100, len(opened)).round(2)
    amount = _amounts(price, auction, rng)

    seen = time < steps
    keys = [np.arange(1, len(opened) + 1), auction[seen] + 1]
    return merge_streams([opened, time[seen]], keys, values=[price, amount[seen]])


def _bids(
    params: Auction, auctions: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Auction and age of every bid, by auction and then by age."""
    counts = rng.poisson(params.bids, auctions)
    auction = np.repeat(np.arange(auctions), counts)
    lifetime = rng.integers(params.shortest, params.longest, auctions, endpoint=True)
    position = (1 - rng.random(len(auction))) ** (1 / (params.exponent + 1))
    age = np.ceil(lifetime[auction] * position).astype(np.int64)
    # Sorting one number for both is several times faster than sorting by two.
    scale = params.longest + 1
    return auction, np.sort(auction * scale + age) - auction * scale


def _amounts(price: np.ndarray, auction: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What is bid: each bid raises its auction's price."""
    raised = np.cumsum(np.log1p(rng.uniform(0.01, 0.1, len(auction))))
    first = np.searchsorted(auction, np.arange(len(price)))  # each auction's first bid
    before = np.concatenate(([0.0], raised))[first]
    return (price[auction] * np.exp(raised - before[auction])).round(2)


def model(params: Auction, rng: np.random.Generator) -> str:
    return (
        "Every auction's id occurs on R once, so keys follow no distribution: policy age learns "
        "the age curve from the trace."
    )


SCENARIO = Scenario("auction", "bids crowd before an auction closes", Auction, generate, model)
