"""Attribute sampling: how many samples are looked at again, which ones, and what their deviations say of all.

The interval of one stratum is that of Clopper and Pearson, which is exact: it holds with at least its confidence for
any rate and size. It is found by halving, on sums of the binomial distribution in logarithms. That of several strata is
in `weighted_rate.py`.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.contracts.sessions.reviewing import Agreement, Draw, DrawnStratum
from shared.evidence_format.review.weighted_rate import METHOD as WEIGHTED
from shared.evidence_format.review.weighted_rate import StratumCount, WeightedRate

METHOD = "attribute sampling, stratified in proportion, order by SHA-256 of seed and sample id"
INTERVAL = "Clopper-Pearson"
HALVINGS = 60
"""More digits than a float has."""
MOST_DRAWN = 10_000


@dataclass(frozen=True)
class Drawable:
    """A sample that can be drawn, and the stratum that it is of."""

    sample_id: str
    stratum: str


def draw(samples: Sequence[Drawable], size: int, seed: str, by: tuple[str, ...], rates: Rates) -> Draw:
    """Draw ``size`` samples (all, if there are not so many). Of each stratum at least one, and else in proportion.

    The same seed draws the same of the same samples, in whatever order they are given.
    """
    strata: dict[str, list[str]] = {}
    for one in samples:
        strata.setdefault(one.stratum, []).append(one.sample_id)
    ordered = {name: sorted(ids, key=lambda one: _place(seed, one)) for name, ids in sorted(strata.items())}
    shares = allot({name: len(ids) for name, ids in ordered.items()}, min(size, len(samples)))
    return Draw(
        method=METHOD,
        seed=seed,
        size=sum(shares.values()),
        by=by,
        confidence=rates.confidence,
        expected=rates.expected,
        tolerable=rates.tolerable,
        population=len(samples),
        strata=tuple(
            DrawnStratum(name=name, size=len(ids), sample_ids=tuple(sorted(ids[: shares[name]])))
            for name, ids in ordered.items()
        ),
    )


def is_drawn_so(made: Draw, samples: Sequence[Drawable]) -> bool:
    """Whether the seed of a draw draws these samples, so that nobody has chosen them."""
    rates = Rates(made.confidence, made.expected, made.tolerable)
    return draw(samples, made.size, made.seed, made.by, rates) == made


def drawn_ids(made: Draw) -> frozenset[str]:
    return frozenset(one for stratum in made.strata for one in stratum.sample_ids)


def allot(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """Return how many are drawn of each stratum: at least one while there are enough, the rest by largest
    remainders."""
    total = sum(sizes.values())
    if not total or not size:
        return dict.fromkeys(sizes, 0)
    shares = {name: size * count / total for name, count in sizes.items()}
    floors = {name: min(sizes[name], max(1, math.floor(share))) for name, share in shares.items()}
    while sum(floors.values()) > size:  # what has several gives first, and its only one only where there is no other
        giving = [name for name in floors if floors[name] > 1] or [name for name in floors if floors[name]]
        floors[max(giving, key=lambda name: (floors[name] - shares[name], name))] -= 1
    for name in sorted(sizes, key=lambda name: (floors[name] - shares[name], name)):
        if sum(floors.values()) < size and floors[name] < sizes[name]:
            floors[name] += 1
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        room = min(size - sum(floors.values()), sizes[name] - floors[name])
        floors[name] += room
    return floors


def amount_of(value: object) -> float | None:
    """Return the size of an amount; None for what is none."""
    try:
        amount = abs(float(str(value).replace(",", "")))
    except ValueError:
        return None
    return amount if math.isfinite(amount) else None


def amount_band(value: object, largest: float) -> str:
    """Return the band of an amount: by powers of ten below the largest, so that large ones are drawn for certain."""
    amount = amount_of(value)
    if amount is None or largest <= 0:
        return "no amount"
    return "high" if amount >= largest / 10 else "middle" if amount >= largest / 100 else "low"


# --- rates


@dataclass(frozen=True)
class Rates:
    """Of deviations: ``expected``, and the ``tolerable`` one; all between 0 and 1."""

    confidence: float = 0.95
    expected: float = 0.0
    tolerable: float = 0.1

    def problem(self) -> str:
        """Return what is wrong with them, for people; empty if nothing is."""
        if not 0.5 <= self.confidence < 1:
            return "the confidence lies between 0.5 and 1"
        return "" if 0 <= self.expected < self.tolerable < 1 else "0 <= expected rate < tolerable rate < 1"


def size_for(rates: Rates) -> int:
    """Return the least size whose expected deviations still show, with the confidence, that the rate is tolerable.

    Raises ValueError if no size up to `MOST_DRAWN` does.
    """
    for size in range(1, MOST_DRAWN + 1):
        allowed = math.ceil(size * rates.expected)
        if allowed < size and at_most(allowed, size, rates.tolerable) <= 1 - rates.confidence:
            return size
    raise ValueError(f"no sample of at most {MOST_DRAWN} shows it: the expected rate is too near to the tolerable one")


def drawn_size_for(samples: Sequence[Drawable], rates: Rates) -> int:
    """Return how many samples are drawn in strata so that they tell as much as `size_for` needs: some more than that
    where shares are rounded, and where small strata have their one sample. Raises ValueError as `size_for`."""
    needed = size_for(rates)
    sizes = Counter(one.stratum for one in samples)
    for size in range(needed, len(samples)):
        shares = allot(sizes, size)
        if all(shares.values()) and effective_size(sizes, shares) >= needed:
            return size
    return min(needed, len(samples)) if len(sizes) < 2 else len(samples)


def effective_size(sizes: Mapping[str, int], shares: Mapping[str, int]) -> float:
    """Return as how many samples drawn from all as one a draw counts in which all agree."""
    return WeightedRate([StratumCount(size, shares[name], 0) for name, size in sizes.items()]).effective_size


def at_most(count: int, size: int, rate: float) -> float:
    """Return the probability of at most ``count`` of ``size``, each with the probability ``rate``."""
    if rate <= 0 or count >= size:
        return 1.0
    if rate >= 1:
        return 0.0
    own, other = math.log(rate), math.log1p(-rate)
    top = math.lgamma(size + 1)
    terms = (
        math.exp(top - math.lgamma(k + 1) - math.lgamma(size - k + 1) + k * own + (size - k) * other)
        for k in range(count + 1)
    )
    return min(1.0, math.fsum(terms))


def upper_bound(count: int, size: int, confidence: float) -> float:
    """Return the highest rate with which at most ``count`` of ``size`` are still as likely as 1 - confidence."""
    if count >= size:
        return 1.0
    low, high = count / size, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(count, size, middle) > 1 - confidence else (low, middle)
    return high


def interval(count: int, size: int, confidence: float) -> tuple[float, float]:
    """Return the two-sided interval of the rate of ``count`` of ``size``."""
    if size == 0:
        return 0.0, 1.0
    each = 1 - (1 - confidence) / 2
    return 1 - upper_bound(size - count, size, each), upper_bound(count, size, each)


def agreement(made: Draw, agrees: Mapping[str, bool | None]) -> Agreement:
    """Return how often people agree with the run. ``agrees``: by the id of each drawn sample; None: it is not decided.

    In a draw of one stratum the interval is exact. In one of several it counts each stratum by its size: of the rate
    and of the deviations that are compared with the tolerable rate.
    """
    known = [agrees.get(one) for stratum in made.strata for one in stratum.sample_ids]
    decided = [one for one in known if one is not None]
    agreed, whole = sum(decided), len(decided) == len(known) and bool(known)
    counts = [one for one in (_counted(stratum, agrees) for stratum in made.strata) if one.seen]
    each = 1 - (1 - made.confidence) / 2
    if len(counts) > 1:
        weighted = WeightedRate(counts)
        method, rate, low, high = WEIGHTED, weighted.rate, weighted.low(each), weighted.high(each)
        deviations = 1 - weighted.low(made.confidence)
    else:
        method, rate = INTERVAL, agreed / len(decided) if decided else 0.0
        low, high = interval(agreed, len(decided), made.confidence)
        deviations = upper_bound(len(decided) - agreed, len(decided), made.confidence) if decided else 1.0
    return Agreement(
        method=f"{method}, two-sided; tolerable rate one-sided",
        drawn=len(known),
        decided=len(decided),
        agreed=agreed,
        rate=rate,
        low=low,
        high=high,
        confidence=made.confidence,
        within=deviations <= made.tolerable if whole else None,
    )


def _counted(stratum: DrawnStratum, agrees: Mapping[str, bool | None]) -> StratumCount:
    seen = [known for one in stratum.sample_ids if (known := agrees.get(one)) is not None]
    return StratumCount(stratum.size, len(seen), sum(seen))


def _place(seed: str, sample_id: str) -> str:
    """Return where a sample stands in the order of a seed. The order of the samples in the run makes no difference."""
    return hashlib.sha256(f"{seed}\n{sample_id}".encode()).hexdigest()
