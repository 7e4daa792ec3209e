"""The rate of a stratified sample against a published example, tables of distributions, and exact intervals."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.evidence_format.review.sampling import interval
from shared.evidence_format.review.weighted_rate import (
    StratumCount,
    WeightedRate,
    beta_quantile,
    beta_up_to,
    t_quantile,
)

# S. Lohr, Sampling: Design and Analysis, example 4.3 and table 4.2: members of seven societies, replies, and the
# percentage of women among these.
ACLS = (
    (9100, 636, 38), (1950, 451, 27), (5500, 481, 18), (10850, 611, 19), (2100, 493, 36), (5500, 575, 13),
    (9000, 588, 26),
)  # fmt: skip


def of_percentage(size: int, seen: int, percentage: int) -> StratumCount:
    return StratumCount(size, seen, seen * percentage / 100)  # pyright: ignore[reportArgumentType]  as it is published


def test_rate_and_standard_error_are_those_of_a_published_survey():
    told = WeightedRate([of_percentage(*row) for row in ACLS])
    assert told.rate == pytest.approx(0.2465, abs=5e-5)
    assert math.sqrt(told.variance) == pytest.approx(0.007118622, abs=5e-9)
    # so large a sample is nearly normal: 1.96 standard errors to each side
    assert (told.low(0.975), told.high(0.975)) == pytest.approx((0.2326, 0.2605), abs=1.5e-3)


@pytest.mark.parametrize(
    ("probability", "free", "value"),
    # the table of Student's distribution
    [(0.975, 1, 12.706), (0.975, 10, 2.228), (0.95, 30, 1.697), (0.995, 5, 4.032), (0.975, 1000, 1.962)],
)
def test_quantiles_of_t_are_those_of_the_table(probability: float, free: int, value: float):
    assert t_quantile(probability, free) == pytest.approx(value, abs=5e-4)


@given(st.integers(1, 60), st.data())
def test_quantiles_of_beta_are_the_exact_interval(size: int, data: st.DataObject):
    count = data.draw(st.integers(1, size - 1) if size > 1 else st.just(1))
    low, high = interval(count, size, 0.95)
    assert beta_quantile(0.025, count, size - count + 1) == pytest.approx(low, abs=1e-9)
    if count < size:
        assert beta_quantile(0.975, count + 1, size - count) == pytest.approx(high, abs=1e-9)


def test_the_beta_distribution_of_one_and_one_is_even_and_its_ends_are_its_ends():
    assert [beta_up_to(x, 1, 1) for x in (0.0, 0.25, 1.0)] == [0.0, pytest.approx(0.25), 1.0]


def test_where_all_agree_a_sample_in_proportion_tells_as_much_as_one_that_is_not_stratified():
    told = WeightedRate([StratumCount(9000, 27, 27), StratumCount(1000, 3, 3)])
    assert (told.rate, told.effective_size, told.high(0.975)) == (1.0, pytest.approx(30), 1.0)
    assert told.low(0.975) == pytest.approx(interval(30, 30, 0.95)[0])


counts = st.tuples(st.integers(1, 400), st.integers(1, 40), st.integers(0, 40)).map(
    lambda one: StratumCount(max(one[0], one[1]), one[1], min(one[1], one[2]))
)


@given(st.lists(counts, min_size=1, max_size=5), st.sampled_from([0.8, 0.95, 0.975]))
def test_an_interval_contains_its_rate_and_says_no_more_than_that_of_as_many_drawn_as_one(
    strata: list[StratumCount], each: float
):
    told, seen = WeightedRate(strata), sum(one.seen for one in strata)
    assert 0 <= told.low(each) <= told.rate + 1e-9
    assert told.rate - 1e-9 <= told.high(each) <= 1
    assert told.effective_size <= seen + 1e-6
