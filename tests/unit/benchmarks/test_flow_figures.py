"""Figures of `make bench-flows` that are computed: what a sample costs in a run of each size, and times of a heal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchmarks.flow_costs import PerSample, beside_agent
from benchmarks.flow_heal import Begun, heal_times

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def begun(version: str, began_s: float, ended_s: float) -> Begun:
    return Begun(version, NOON + timedelta(seconds=began_s), NOON + timedelta(seconds=ended_s))


def test_the_first_two_samples_are_the_agents_and_the_others_ask_no_model():
    one, hundred, thousand = beside_agent(PerSample(8.0, 10.0, 0.5), agent_s=2.0, flow_s=1.0, compile_s=2.0)
    assert one.auto == one.agent == PerSample(10.0, 10.0, 0.5)
    assert (hundred.auto.calls, hundred.auto.usd) == (pytest.approx(0.2), pytest.approx(0.01))
    assert hundred.auto.seconds == pytest.approx((20 + 2 + 98) / 100)
    assert thousand.auto.seconds == pytest.approx((20 + 2 + 998) / 1000)
    assert thousand.agent == PerSample(10.0, 10.0, 0.5)


def test_the_fleet_is_healed_when_the_last_sample_on_the_old_version_has_ended():
    samples = [begun("old", -5, -3), begun("old", -1, 4), begun("old", 2, 9), begun("new", 6, 8), begun("new", 9, 11)]
    healed = heal_times(samples, NOON, done=5)
    assert (healed.first_s, healed.whole_s) == (6, 9)
    assert (healed.on_old, healed.versions, healed.done) == (1, 1, 5)


def test_a_run_without_a_healed_version_has_no_times():
    with pytest.raises(ValueError, match="healed version"):
        heal_times([begun("old", -5, -3), begun("old", 1, 2)], NOON, done=2)
