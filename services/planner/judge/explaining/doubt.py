"""One field of a sample as it was read, and the same page read again with another entry of it in the spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import field as field_of
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from services.planner.judge.field_values import judge_field
from services.planner.state.attempt_state import SampleView
from shared.contracts.actions import Done
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue
from shared.field_types import base_type
from shared.pages.identity.identity import PageRead, read_anew, read_in_part, read_page
from shared.pages.identity.related_parts import related_refs
from shared.pages.identity.scope import find_section
from shared.pages.identity.site_parts import site_refs
from shared.pages.read.changes import past_refs
from shared.pages.read.dates import date_hints
from shared.pages.read.fields import FieldFound, Reading, all_labels, field_value, labels_of
from shared.pages.read.label_places import NO_REFS
from shared.task.output_field import OutputField
from shared.task.route import Read, words
from shared.task.row_values import expected_identity, fill_known, template_values
from shared.task.spec import TaskSpec
from shared.text.written_dates import DateHints

MOST_ELEMENTS_READ = 6_000
"""Elements that are read again for one field, so that a long page costs little more than a short one."""
LEAST_TRIALS = 4


@dataclass
class Doubt:
    """A field, its reading on the page, and what came of entries that were tried in the place of its own."""

    view: SampleView
    page: PageObserved
    name: str
    field: OutputField
    reading: Reading
    tried: dict[str, FieldValue | None] = field_of(default_factory=dict[str, FieldValue | None])

    @classmethod
    def of(cls, view: SampleView, page: PageObserved, name: str) -> Doubt:
        return cls(view, page, name, view.spec.output_schema[name], readings_of(view.spec, view, page, name)[name])

    @property
    def names(self) -> tuple[str, ...]:
        """What the page may call it, as the task says."""
        return (self.name, *self.field.labels)

    @property
    def labels(self) -> frozenset[str]:
        return labels_of(self.name, self.field)

    @property
    def other_labels(self) -> frozenset[str]:
        """Labels that another field of the task has."""
        return all_labels(self.view.spec) - self.labels

    @cached_property
    def past(self) -> frozenset[int]:
        """Elements that tell of the past."""
        return past_refs(self.page.elements)

    @cached_property
    def others(self) -> frozenset[int]:
        """Elements that belong to other records."""
        if self.name in self.wanted:
            return NO_REFS
        return related_refs(self.view.spec, self.wanted, self.page)

    @cached_property
    def site(self) -> frozenset[int]:
        """Elements that belong to the site and to no record."""
        return NO_REFS if self.name in self.wanted else site_refs(self.page, self.wanted)

    @cached_property
    def order(self) -> DateHints | None:
        """What the page says of reading its dates; None for other fields."""
        return date_hints(self.page) if base_type(self.field.type) in ("date", "date-time") else None

    @property
    def row_key(self) -> str | None:
        """The text that marks this sample's row among many."""
        return next(iter(self.wanted.values()), None)

    @property
    def wanted(self) -> Mapping[str, str]:
        return expected_identity(self.view.spec, self.view.sample)

    @property
    def found(self) -> Element | None:
        """The element of the value, if there is exactly one."""
        return self.reading.candidate.element if isinstance(self.reading, FieldFound) else None

    def is_other_field(self, ref: int) -> bool:
        """Return whether the element shows the value of another field."""
        readings = read_page(self.view.spec, self.view.sample, self.page).readings
        return any(
            isinstance(one, FieldFound) and one.candidate.element.ref == ref
            for name, one in readings.items()
            if name != self.name
        )

    def new_keys(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the keys that are another way in the field's entry; None: it is left out."""
        entry = self.entry_with({})
        return {name: value for name, value in keys.items() if value != entry.get(name)}

    def entry_with(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return the field's entry in the spec with these keys; without those that are None."""
        entry = {**self.field.model_dump(mode="json", exclude_defaults=True), **keys}
        return {name: value for name, value in entry.items() if value is not None}

    def read_with(self, keys: Mapping[str, Any]) -> FieldValue | None:
        """Return the certain value that the page gives with these keys; None if it gives none, if it gives another
        field another value, or after too many trials."""
        asked = repr(sorted(keys.items()))
        if asked not in self.tried:
            if len(self.tried) >= max(LEAST_TRIALS, MOST_ELEMENTS_READ // (len(self.page.elements) or 1)):
                return None
            self.tried[asked] = self._read(self.entry_with(keys))
        return self.tried[asked]

    def _read(self, entry: dict[str, Any]) -> FieldValue | None:
        try:
            changed = OutputField.model_validate(entry)
        except ValidationError:
            return None
        view, name = self.view, self.name
        schema = {**view.spec.output_schema, name: changed}
        spec = view.spec.model_copy(update={"output_schema": schema})
        read = read_anew(spec, view.sample, self.page)
        reading = readings_of(spec, view, self.page, name, read)[name]
        if not isinstance(reading, FieldFound) or not self._leaves_others(read):
            return None
        value = field_value(name, changed, reading, self.page)
        tried = replace(view, spec=spec, state=replace(view.state, seen={name: value}))
        judged, problems, notes = judge_field(name, changed, tried, Done(values={}))
        return judged if judged.state != "not_found" and not problems and not notes else None

    def _leaves_others(self, read: PageRead) -> bool:
        """Return whether the record is shown as before, and all other fields that were read are read so again."""
        before = read_page(self.view.spec, self.view.sample, self.page)
        if read.proof.state == "mismatch" or (before.proof.state == "proven") > (read.proof.state == "proven"):
            return False
        if self.name in self.view.spec.identity and read.proof.state != "proven":
            return False
        return all(
            _shown(read.readings[name]) == _shown(reading)
            for name, reading in before.readings.items()
            if name != self.name and isinstance(reading, FieldFound)
        )


def _shown(reading: Reading) -> str | None:
    return reading.candidate.shown if isinstance(reading, FieldFound) else None


def readings_of(
    spec: TaskSpec, view: SampleView, page: PageObserved, name: str, read: PageRead | None = None
) -> Mapping[str, Reading]:
    """Return the readings of the page; of a field that a step of the route reads in a part of it, those of the part."""
    read = read or read_page(spec, view.sample, page)
    part = _part_of_step(view, page, name)
    if part is None:
        return read.readings
    return {**read.readings, **read_in_part(spec, view.sample, page, frozenset({name}), part)}


def _part_of_step(view: SampleView, page: PageObserved, name: str) -> tuple[Element, ...] | None:
    steps = (one for one in view.spec.route if isinstance(one, Read) and name in one.read and one.under is not None)
    step, row = next(steps, None), template_values(view.sample)
    return None if step is None else find_section(page, [fill_known(word, row) for word in words(step.under)])
