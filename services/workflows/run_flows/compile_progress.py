"""How the record of a run's flow changes. Pure: a change that was made before is not made again."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.planner import SampleFinished
from shared.contracts.workflows.run_flows import LEARNERS, MAX_LOST, MOST_LEARNERS, RunFlow
from shared.recordings.recording import why_not_compiled

MAX_TRIES = 3
"""Compilations that may be cut off, such as by a process that is killed."""


def after_sample(record: RunFlow, finished: SampleFinished) -> RunFlow:
    """Return the record after one of its learners has ended; the same one where that tells nothing new."""
    name = finished.sample_id
    if record.state != "learning" or name not in record.learners or name in record.done:
        return record
    taken_over = bool(finished.taken_over_by)
    if not why_not_compiled(finished.status, finished.reason, finished.decided_by, taken_over=taken_over):
        return replace(record, done=(*record.done, name), lost=tuple(one for one in record.lost if one != name))
    if name in record.lost:
        return record
    lost = (*record.lost, name)
    if len(lost) < MAX_LOST:
        return replace(record, lost=lost)
    if len(record.done) >= LEARNERS:  # no further one comes: the flow is made of what there is
        return replace(record, lost=lost, wanted=len(record.done))
    needed = f"{len(record.done)} of the {record.wanted} that are needed"
    why = f"{len(lost)} samples were not done on pages, and {needed} were"
    return as_failed(replace(record, lost=lost), why)


def is_ready(record: RunFlow) -> bool:
    """Return whether the flow can be compiled now."""
    return record.state == "learning" and len(record.done) >= record.wanted


def begun(record: RunFlow) -> RunFlow:
    """Return the record when a compilation begins; failed where too many were cut off."""
    if not is_ready(record):
        return record
    if record.tries >= MAX_TRIES:
        return as_failed(record, f"{record.tries} compilations were cut off")
    return replace(record, tries=record.tries + 1)


def asking_for(record: RunFlow, lacking: tuple[str, ...]) -> RunFlow:
    """Return the record when one learner more is wanted, for it may show these fields; the same one where there are
    enough."""
    if record.state != "learning" or not may_ask_more(record):
        return record
    return replace(record, wanted=len(record.done) + 1, lacking=lacking, tries=0)


def may_ask_more(record: RunFlow) -> bool:
    """Return whether another sample may become a learner."""
    return len(record.done) < MOST_LEARNERS and len(record.lost) < MAX_LOST


def as_compiled(record: RunFlow, name: str, hash: str) -> RunFlow:
    return replace(record, state="compiled", name=name, hash=hash) if record.state == "learning" else record


def as_failed(record: RunFlow, reason: str) -> RunFlow:
    if record.state != "learning":
        return record
    return replace(record, state="failed", reason=f"no flow was compiled: {reason}")
