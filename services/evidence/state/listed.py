"""Pure: the result of a sample that was only listed: what the list said of it, and where."""

from __future__ import annotations

from collections.abc import Iterable

from shared.contracts.discovery import SampleFound
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FieldValue, plain_note


def listed(message: SampleFound, fields: Iterable[str]) -> SampleFinished:
    """As if somebody had worked on it: in runs that only list, being found is all that is done about a sample.
    ``fields``: those that the task asks for."""
    return SampleFinished(
        run_id=message.run_id,
        sample_id=message.sample_id,
        attempt=1,
        status="done",
        sample=message.sample,
        values=tuple(_value(name, message) for name in fields),
        notes=(plain_note(f"listed on {message.found_on}; how it was found is in _discovery/action_log.json"),),
        started_at=message.found_at,
        finished_at=message.found_at,
    )


def _value(name: str, message: SampleFound) -> FieldValue:
    value = message.item.get(name)
    if value is None:
        return FieldValue(field=name, state="not_present" if name in message.item else "not_found")
    return FieldValue(field=name, state="value", value=value, shown=message.sample.fields.get(name))
