"""What was sent for a run and does not belong to it, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from shared.evidence_format.files.refused import RefusedEvent

WHAT_IT_MEANS = (
    "None of it is in the run. Refused is what does not fit its population, its round, its log or its files, or is not "
    "signed by a service that may send it: a program sent what is not its own, a planner went on with a sample that "
    "had its result, or evidence does not have the public key of a service (unknown_signer). --json tells all of it."
)


def refused_lines(refused: Sequence[RefusedEvent]) -> list[str]:
    """Return one line for each event, and what they mean."""
    if not refused:
        return ["Nothing was refused for this run."]
    count = "1 event was refused" if len(refused) == 1 else f"{len(refused)} events were refused"
    return [f"{count}:", *map(_line, refused), "", WHAT_IT_MEANS]


def _line(one: RefusedEvent) -> str:
    sample = f" of {one.sample_id}" if one.sample_id else ""
    number = f", attempt {one.attempt}" if one.attempt else ""
    step = f", step {one.step}" if one.step else ""
    return f"  {one.refused_at:%Y-%m-%d %H:%M:%S} UTC  {one.event}{sample}{number}{step}: {one.code}: {one.text}"
