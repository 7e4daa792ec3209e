"""How the record of a version's uses changes, and when the version is set aside. Pure."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from shared.contracts.workflows.flow_uses import FlowEnding, FlowUses, RunUse, does_worse

KEPT_RUNS = 4
"""Runs that use one version at the same time, or one after the other."""


def with_use(record: FlowUses | None, run_id: str, ending: FlowEnding, now: datetime) -> FlowUses:
    """Return the record after a sample of a run."""
    runs = () if record is None else record.runs
    known = next((one for one in runs if one.run_id == run_id), RunUse(run_id=run_id, since=now, at=now))
    counted = replace(known, at=now, **{ending: getattr(known, ending) + 1})
    others = tuple(one for one in runs if one.run_id != run_id)
    return FlowUses(runs=(*others, counted)[-KEPT_RUNS:])


def why_set_aside(record: FlowUses | None, published_at: datetime) -> str:
    """Return why a version is not chosen any more, for people; empty: it is chosen.

    Its last run counts, of those that began after it was published: to publish it again brings it back."""
    runs = () if record is None else record.runs
    last = next((one for one in reversed(runs) if one.since >= published_at), None)
    if last is None or not does_worse(last.done, last.taken_over):
        return ""
    return (
        f"in the run {last.run_id} it did {last.done} of the {last.begun} samples in which it began, and the rules "
        f"finished {last.taken_over} others where it had stopped"
    )
