"""When the samples of runs call for a new version of their flow, and who makes it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from services.workflows.run_flows.heal_progress import HEALING_S, as_healed, as_refused, begun, noted
from shared.contracts.workflows.heals import LEAST_HEALED, MAX_REFUSED, FlowFinished, FlowHealing, Heal

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HEAL = Heal(kind="field", subject="owner", rung="agreeing")


def finished(number: int, *, healed: bool = True) -> FlowFinished:
    heals = (HEAL,) if healed else ()
    return FlowFinished(run_id="run_1", sample_id=f"s{number}", name="orders", hash="a" * 64, heals=heals)


def after(*healed: bool) -> FlowHealing | None:
    record = None
    for number, one in enumerate(healed):
        record = noted(record, finished(number, healed=one)) or record
    return record


def test_samples_that_find_all_as_recorded_leave_no_record():
    assert after(False, False, False) is None


def test_it_begins_once_the_last_samples_have_all_healed_something():
    assert begun(after(*[True] * (LEAST_HEALED - 1)), NOW) is None
    assert begun(after(*[True] * (LEAST_HEALED - 1), False), NOW) is None, "one page is as it was"
    record = begun(after(True, False, *[True] * LEAST_HEALED), NOW)
    assert record is not None
    assert (record.state, record.since, len(record.samples)) == ("healing", NOW, LEAST_HEALED)


def test_a_report_that_comes_again_counts_once():
    record = noted(None, finished(1))
    assert noted(record, finished(1)) is None


def test_one_worker_heals_until_its_time_is_over():
    record = begun(after(*[True] * LEAST_HEALED), NOW)
    assert begun(record, NOW + timedelta(seconds=HEALING_S)) is None
    again = begun(record, NOW + timedelta(seconds=HEALING_S + 1))
    assert again is not None
    assert again.since == NOW + timedelta(seconds=HEALING_S + 1)


def test_a_healed_version_takes_no_reports_any_more():
    record = as_healed(after(*[True] * LEAST_HEALED), "b" * 64)
    assert record is not None
    assert (record.state, record.next_hash) == ("healed", "b" * 64)
    assert noted(record, finished(99)) is None
    assert begun(record, NOW) is None


def test_after_some_tries_no_version_is_looked_for():
    record = after(*[True] * LEAST_HEALED)
    for number in range(MAX_REFUSED):
        assert record is not None
        assert record.state == "watching"
        record = as_refused(record, "the recorded samples differ")
        if number < MAX_REFUSED - 1:
            for at in range(LEAST_HEALED):
                record = noted(record, finished(100 * (number + 1) + at)) or record
    assert record is not None
    assert (record.state, record.reason) == ("refused", "the recorded samples differ")
    assert noted(record, finished(999)) is None
