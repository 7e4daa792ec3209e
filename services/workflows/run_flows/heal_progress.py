"""How the record of a version's healing changes. Pure: None means that nothing changes."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from shared.contracts.workflows.heals import LEAST_HEALED, MAX_REFUSED, FlowFinished, FlowHealing, HealedSample

HEALING_S = 300.0
"""How long a worker may propose and check. Then it is taken for gone, and another one begins."""


def noted(record: FlowHealing | None, finished: FlowFinished) -> FlowHealing | None:
    """Return the record after a sample. A version that all samples find as recorded has none."""
    if record is None and not finished.heals:
        return None
    record = record or FlowHealing()
    known = any((one.run_id, one.sample_id) == (finished.run_id, finished.sample_id) for one in record.samples)
    if known or record.state in ("healed", "refused"):
        return None
    sample = HealedSample(run_id=finished.run_id, sample_id=finished.sample_id, heals=finished.heals)
    return replace(record, samples=(*record.samples, sample)[-LEAST_HEALED:])


def begun(record: FlowHealing | None, now: datetime) -> FlowHealing | None:
    """Return the record when a worker begins; None where there is nothing to do, or another one is at it."""
    if record is None or len(record.samples) < LEAST_HEALED or not all(one.heals for one in record.samples):
        return None
    is_lost = record.since is not None and now - record.since > timedelta(seconds=HEALING_S)
    if record.state == "watching" or (record.state == "healing" and is_lost):
        return replace(record, state="healing", since=now)
    return None


def as_healed(record: FlowHealing | None, hash: str) -> FlowHealing | None:
    return None if record is None else replace(record, state="healed", next_hash=hash, samples=(), reason="")


def as_refused(record: FlowHealing | None, reason: str) -> FlowHealing | None:
    """Return the record after a try that nothing has come of: other samples may tell more, a few times."""
    if record is None:
        return None
    tries = record.tries + 1
    state = "refused" if tries >= MAX_REFUSED else "watching"
    return replace(record, state=state, tries=tries, samples=(), reason=reason)
