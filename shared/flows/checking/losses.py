"""Fields that a flow does not bring where something else did: the recorded samples, the rules of the task, or the
version that the library has. Pure.

What a sample recorded is the truth: a value that differs is no loss but wrong, and told by the check of the sample.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue
from shared.field_types import is_rows
from shared.flows.checking.recorded_answers import SampleCheck, page_of
from shared.pages.identity.identity import read_anew
from shared.pages.read.fields import field_values
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec
from shared.text.normal import plain_form, tidy

Reader = Literal["recorded", "rules", "published"]
READERS: Mapping[Reader, str] = {
    "recorded": "the recorded samples have it",
    "rules": "the rules of the task read it",
    "published": "the version in the library reads it",
}
MOST_NAMED = 3
"""Samples that are named of a lost field."""


@dataclass(frozen=True)
class LostField:
    """A field that a flow lacks where others have it. ``had_by``: of each reader the samples in which it has the value
    and the flow has none; ``of``: how many samples were compared."""

    field: str
    had_by: Mapping[Reader, tuple[str, ...]]
    of: int

    @property
    def told(self) -> str:
        """The loss as a sentence for people."""
        parts = [f"{READERS[reader]} in {len(ids)}" for reader, ids in self.had_by.items()]
        names = tuple(dict.fromkeys(one for ids in self.had_by.values() for one in ids))
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        which = f"{', '.join(names[:MOST_NAMED])}{more}"
        return f"{self.field} would be lost: of {self.of} samples {', '.join(parts)}, where the flow does not ({which})"


def find_losses(
    spec: TaskSpec,
    samples: Sequence[Recording],
    checks: Mapping[str, SampleCheck],
    left_to_model: Collection[str],
    published: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[LostField, ...]:
    """Return the fields that the flow loses.

    ``checks``: what the flow found on each of the samples, by their ids. ``left_to_model``: fields that it does not
    read; of these nothing is lost to samples that a model read. ``published``: the fields that the version in the
    library found on each sample, without those in which it stopped.
    """
    found: dict[str, dict[Reader, list[str]]] = {}
    for sample in samples:
        check = checks.get(sample.sample_id)
        if check is None or (check.problems and not check.values):  # it stopped, which its check tells
            continue
        before = None if published is None else published.get(sample.sample_id, {})
        for name, reader in _losses_in(spec, sample, check, left_to_model, before):
            found.setdefault(name, {}).setdefault(reader, []).append(sample.sample_id)
    count = sum(one.sample_id in checks for one in samples)
    return tuple(
        LostField(name, {reader: tuple(found[name][reader]) for reader in READERS if reader in found[name]}, count)
        for name in spec.output_schema
        if name in found
    )


def _losses_in(
    spec: TaskSpec,
    sample: Recording,
    check: SampleCheck,
    left_to_model: Collection[str],
    published: Mapping[str, Any] | None,
) -> Iterator[tuple[str, Reader]]:
    recorded = {one.field: one for one in sample.values}
    read: dict[str, Mapping[str, str]] = {}
    for name, field in spec.output_schema.items():
        value = recorded.get(name)
        lacks = check.values.get(name) is None and not field.derived
        if not lacks or value is None or value.state == "not_present":
            continue
        is_recorded = value.state == "value" and bool(value.rows or tidy(value.shown or ""))
        if is_recorded and name not in left_to_model:
            yield name, "recorded"
        at = "" if is_rows(field.type) or value.candidates else _page_of_field(sample, value)
        if at and at not in read:
            read[at] = _read_by_rules(spec, sample, at)
        if at and name in read[at] and (value.state != "value" or _is_same_text(read[at][name], value.shown)):
            yield name, "rules"
        if published is not None and _is_as_recorded(published.get(name), value):
            yield name, "published"


def _is_as_recorded(now: object, then: FieldValue) -> bool:
    if now is None or then.state != "value":
        return False
    return bool(then.rows) or now == then.value or _is_same_text(str(now), then.shown)


def _is_same_text(now: str, then: str | None) -> bool:
    return plain_form(now) == plain_form(then or "")


def _page_of_field(sample: Recording, recorded: FieldValue) -> str:
    """Return the key of the stored page that showed the field, of one that was not found the last one; empty: none."""
    if recorded.source is not None:
        return sample.stored_page(recorded.source)
    seen = [step.observation.sha256 for step in sample.steps if step.observation is not None]
    return next((one for one in reversed(seen) if one in sample.pages), "")


def _read_by_rules(spec: TaskSpec, sample: Recording, at: str) -> Mapping[str, str]:
    """Return the values that labels alone tell on a stored page, as it shows them."""
    row, page = dict(sample.row), page_of(sample.pages[at], at)
    given = Sample(sample_id=sample.sample_id, key=row.get("key", ""), row=1, url=row.get("url"), fields=row)
    read = read_anew(spec, given, page)
    if read.proof.state == "mismatch":
        return {}
    values = field_values(spec, read.readings, page)
    return {one.field: one.shown for one in values if one.state == "value" and one.shown}
