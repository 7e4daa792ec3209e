"""Sample sizes and intervals against published tables, and what a seed draws."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.evidence_format.review.sampling import (
    Drawable,
    Rates,
    agreement,
    allot,
    amount_band,
    draw,
    drawn_ids,
    drawn_size_for,
    interval,
    is_drawn_so,
    size_for,
    upper_bound,
)

RATES = Rates(0.95, 0.0, 0.05)


@pytest.mark.parametrize(
    ("confidence", "expected", "tolerable", "size"),
    # AICPA Audit Guide "Audit Sampling", tables A-1 (risk 5%) and A-2 (risk 10%)
    [(0.95, 0.0, 0.05, 59), (0.95, 0.01, 0.05, 93), (0.95, 0.0, 0.10, 29), (0.9, 0.0, 0.05, 45), (0.9, 0.0, 0.1, 22)],
)  # fmt: skip
def test_sizes_are_those_of_the_tables_that_auditors_use(
    confidence: float, expected: float, tolerable: float, size: int
):
    assert size_for(Rates(confidence, expected, tolerable)) == size


@pytest.mark.parametrize(
    ("count", "size", "low", "high"),
    # R: binom.test(count, size)$conf.int
    [(0, 10, 0.0, 0.3084971), (5, 10, 0.1870860, 0.8129140), (24, 25, 0.7964831, 0.9989878), (25, 25, 0.8628148, 1.0)],
)
def test_intervals_are_exact(count: int, size: int, low: float, high: float):
    assert interval(count, size, 0.95) == pytest.approx((low, high), abs=1e-6)


def test_no_deviation_in_59_shows_that_at_most_5_percent_deviate():
    assert upper_bound(0, 59, 0.95) <= 0.05 < upper_bound(0, 58, 0.95)


population = [Drawable(f"T-{at:04d}", "model" if at % 10 == 0 else "flow") for at in range(1000)]


def test_a_seed_draws_the_same_samples_in_whatever_order_they_come_and_another_draws_others():
    first = draw(population, 30, "7", ("decider",), RATES)
    assert draw(population[::-1], 30, "7", ("decider",), RATES) == first
    assert is_drawn_so(first, population)
    assert drawn_ids(draw(population, 30, "8", ("decider",), RATES)) != drawn_ids(first)
    assert [(one.name, one.size, len(one.sample_ids)) for one in first.strata] == [("flow", 900, 27), ("model", 100, 3)]
    assert not is_drawn_so(first, population[1:])


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 200), min_size=1), st.integers(0, 300))
def test_as_many_are_drawn_as_are_asked_for_and_of_no_stratum_more_than_it_has(sizes: dict[str, int], size: int):
    shares = allot(sizes, min(size, sum(sizes.values())))
    assert sum(shares.values()) == min(size, sum(sizes.values()))
    assert all(0 <= shares[name] <= sizes[name] for name in sizes)
    assert size < len(sizes) or all(shares[name] for name in sizes)


def test_a_small_stratum_keeps_its_one_sample_beside_a_large_one():
    assert allot({"large": 9_990, "b": 5, "c": 5}, 61) == {"large": 59, "b": 1, "c": 1}
    assert sorted(allot({"a": 5, "b": 5, "c": 5}, 2).values()) == [0, 1, 1]


def test_whether_a_rate_is_tolerable_is_told_once_all_are_decided():
    made = draw([replace(one, stratum="all") for one in population], 59, "7", (), RATES)
    first, *rest = sorted(drawn_ids(made))
    assert agreement(made, dict.fromkeys(rest, True)).within is None
    assert agreement(made, dict.fromkeys((first, *rest), True)).within is True
    told = agreement(made, dict.fromkeys(rest, True) | {first: False})
    assert (told.agreed, told.decided, told.within) == (58, 59, False)
    assert told.low < told.rate < told.high
    assert (told.low, told.high) == interval(58, 59, 0.95)


def test_a_deviation_counts_by_the_size_of_its_stratum():
    made = draw(population, 20, "7", ("decider",), RATES)
    large, small = [sorted(stratum.sample_ids) for stratum in made.strata]
    assert (len(large), len(small)) == (18, 2)
    all_agree = dict.fromkeys((*large, *small), True)
    one_of_two = agreement(made, all_agree | {small[0]: False})
    assert (one_of_two.agreed, one_of_two.decided, one_of_two.rate) == (19, 20, pytest.approx(0.95))
    one_of_18 = agreement(made, all_agree | {large[0]: False})
    assert one_of_18.rate == pytest.approx(0.9 * 17 / 18 + 0.1)
    assert one_of_18.low < one_of_18.rate < one_of_18.high
    assert "Korn-Graubard" in one_of_18.method


@pytest.mark.parametrize("sizes", [{"a": 900, "b": 100}, {"a": 9_990, "b": 5, "c": 5}, {"a": 37, "b": 41}, {"a": 500}])
def test_as_many_are_drawn_in_strata_as_show_the_tolerable_rate_where_all_agree(sizes: dict[str, int]):
    samples = [Drawable(f"{name}-{at}", name) for name, size in sizes.items() for at in range(size)]
    made = draw(samples, drawn_size_for(samples, RATES), "7", ("decider",), RATES)
    assert 59 <= made.size <= 66
    assert agreement(made, dict.fromkeys(drawn_ids(made), True)).within is True
    one_less = draw(samples, 58, "7", ("decider",), RATES)
    assert agreement(one_less, dict.fromkeys(drawn_ids(one_less), True)).within is False


@pytest.mark.parametrize(
    ("value", "band"), [("1,000", "high"), (99.5, "middle"), ("-5", "low"), (None, "no amount"), ("nan", "no amount")]
)
def test_large_amounts_are_a_stratum_of_their_own(value: object, band: str):
    assert amount_band(value, 1000.0) == band
