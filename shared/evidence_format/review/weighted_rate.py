"""The rate of a stratified sample in its whole population, with the interval of Korn and Graubard (1998).

The rate of each stratum counts by the size of the stratum, and so does its variance (Cochran, Sampling Techniques, 5.3
and 5.6). The interval is that of Clopper and Pearson on the effective sample size, which follows from the variance: the
method ``beta`` of ``svyciprop`` in the package survey of R, and of the standards of the NCHS for proportions. Two
things are more careful than there. The effective size is never larger than that of Kish, so that a stratum in which no
deviation was found does not count as known to have none; and where all agree, or none, it is that of Kish.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

METHOD = "Korn-Graubard, weighted by stratum"
HALVINGS = 80
"""More digits than a float has, also far below 1."""
MOST_TERMS = 10_000
SMALLEST = 1e-300


@dataclass(frozen=True)
class StratumCount:
    """``size``: samples in the stratum; ``seen`` of them were drawn and decided, at least one; ``hits``: how many of
    these have what is counted."""

    size: int
    seen: int
    hits: int

    @property
    def rate(self) -> float:
        return self.hits / self.seen


@dataclass(frozen=True)
class WeightedRate:
    """A rate over all ``strata``, of which there is at least one."""

    strata: Sequence[StratumCount]

    @cached_property
    def rate(self) -> float:
        return math.fsum(one.size * one.rate for one in self.strata) / self._population

    @cached_property
    def variance(self) -> float:
        """Of the rate, with the correction for a finite population. A stratum of which one sample was seen tells
        nothing of its variance: it counts with that of all."""
        return math.fsum(
            (one.size / self._population) ** 2 * (1 - one.seen / one.size) * self._spread(one) for one in self.strata
        )

    @cached_property
    def effective_size(self) -> float:
        """How many samples drawn from the population as one would tell as much, with any confidence: before the
        correction for degrees of freedom."""
        kish = self._population**2 / math.fsum(one.size**2 / one.seen for one in self.strata)
        spread = self.rate * (1 - self.rate)
        return min(kish, spread / self.variance) if spread > 0 and self.variance > 0 else kish

    def low(self, each: float) -> float:
        """Return the lowest rate, with the confidence ``each`` on this one side."""
        hits, misses = self._counts(each)
        return beta_quantile(1 - each, hits, misses + 1) if hits > 0 else 0.0

    def high(self, each: float) -> float:
        """Return the highest rate, with the confidence ``each`` on this one side."""
        hits, misses = self._counts(each)
        return beta_quantile(each, hits + 1, misses) if misses > 0 else 1.0

    @property
    def _population(self) -> int:
        return sum(one.size for one in self.strata)

    def _spread(self, one: StratumCount) -> float:
        """Return the variance of the rate of a stratum, without the correction for a finite population."""
        if one.seen == 1:
            return self.rate * (1 - self.rate)
        return one.rate * (1 - one.rate) / (one.seen - 1)

    def _counts(self, each: float) -> tuple[float, float]:
        """Return hits and misses of the effective size, corrected for the degrees of freedom that strata cost."""
        size, seen = self.effective_size, sum(one.seen for one in self.strata)
        if 0 < self.rate < 1 and seen > 1:
            free = max(1, seen - len(self.strata))
            size *= (t_quantile(each, seen - 1) / t_quantile(each, free)) ** 2
        return size * self.rate, size * (1 - self.rate)


# --- distributions


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return where the beta distribution reaches a probability."""
    return _where(lambda x: beta_up_to(x, a, b), probability)


def t_quantile(probability: float, free: int) -> float:
    """Return where Student's distribution reaches a probability of at least one half."""
    # The tail beyond t is half of the beta distribution (free/2, 1/2) up to free / (free + t^2).
    tail = 2 * (1 - probability)
    at = _where(lambda x: beta_up_to(x, free / 2, 0.5), tail)
    return math.sqrt(free * (1 - at) / max(at, SMALLEST))


def beta_up_to(x: float, a: float, b: float) -> float:
    """Return the probability that the beta distribution gives to at most ``x``: the regularized incomplete beta
    function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on the other side
        return 1 - beta_up_to(1 - x, b, a)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(scale) / (a * _fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + ...)), by the method of Lentz."""
    value = upper = 1.0
    lower = 0.0
    for term in range(1, MOST_TERMS):
        half, odd = divmod(term, 2)
        if odd:
            step = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            step = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        lower = 1 / _not_zero(1 + step * lower)
        upper = _not_zero(1 + step / upper)
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > SMALLEST else SMALLEST


def _where(grows: Callable[[float], float], probability: float) -> float:
    """Return where a function that grows from 0 at 0 to 1 at 1 has a value."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(middle) < probability else (low, middle)
    return (low + high) / 2
