"""Says of the fields of a sample why they are not certain, and which keys of the spec would settle them.

A key is offered only if the same page, read again with it, gives exactly one certain value, judged as all values are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.planner.judge.explaining.doubt import Doubt
from services.planner.judge.explaining.near import MOST_NEAR, near_value, near_values
from services.planner.judge.explaining.proposals import label_proposals, proposals
from services.planner.state.attempt_state import Ending, SampleView
from shared.contracts.codes import facts_of
from shared.contracts.explained import FieldExplained, NearValue, SettlingKey
from shared.contracts.steps import FieldValue
from shared.field_types import nullable
from shared.pages.entries.value_places import label_beside, section_of
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import FieldAmbiguous, FieldFound
from shared.pages.read.label_places import NO_REFS
from shared.task.typed_values import as_shown

MOST_KEYS = 5
MOST_ALIKE = 3
_OF_ANY_TEXT = ("label_alike", "label_free", "without_label")
"""Keys that name a text which may be that of another field."""


def with_explanations(ending: Ending, view: SampleView) -> Ending:
    """Return the ending; one that goes to a person for its fields with what is told of those that are not certain."""
    facts = facts_of(ending.reason)
    if facts is None or not facts.of_fields or view.page is None or view.spec.phase == "discovery":
        return ending
    known = ending.values or [FieldValue(field=name, state="not_found") for name in view.spec.output_schema]
    open_ = [value for value in known if not is_certain(value, view)]
    unsure = [value for value in open_ if _counts(value, view)] or open_
    told = explained_fields(view, [value.field for value in unsure])
    # Of a page that was not proven to be that of the record no value counts.
    return replace(ending, values=ending.values or tuple(unsure), explained=told)


def explained_fields(
    view: SampleView, unsure: Iterable[str], certain: Iterable[str] = ()
) -> tuple[FieldExplained, ...]:
    """Return what is told of these fields of the page; of those that are certain only what nearly matched."""
    page = view.page
    if page is None:
        return ()
    doubts = [Doubt.of(view, page, name) for name in unsure]
    told = [_explained(doubt, near_values(doubt), tuple(_settling(doubt))) for doubt in doubts]
    for doubt in (Doubt.of(view, page, name) for name in certain):
        near = near_values(doubt)
        told.append(_explained(doubt, (*near, *_alike(doubt, near))))
    return tuple(told)


def read_with_others(
    view: SampleView, others: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, tuple[FieldValue | None, ...]]:
    """Return what the page gives with each of these entries in the place of the field's own; None: no certain value,
    or that of another record, of the past or of the site."""
    page = view.page
    if page is None:
        return {}
    doubts = {name: Doubt.of(view, page, name) for name in others if name in view.spec.output_schema}
    return {name: tuple(_read_with(doubt, entry) for entry in others[name]) for name, doubt in doubts.items()}


def _read_with(doubt: Doubt, entry: Mapping[str, Any]) -> FieldValue | None:
    own: dict[str, Any] = dict.fromkeys(doubt.entry_with({}))
    value = doubt.read_with({**own, **entry})
    return None if value is None or _is_of_another(doubt, value) else value


def is_certain(value: FieldValue, view: SampleView) -> bool:
    """Return whether a value is one of its field's type, or the page says that there is none and may say so."""
    if value.state == "not_present":
        return nullable(view.spec.output_schema[value.field].type)
    return value.state == "value" and value.value is not None


def _counts(value: FieldValue, view: SampleView) -> bool:
    """Return whether the sample needs the field, or the page says too much about it."""
    needed = {*view.spec.required_fields, *view.spec.identity}
    if value.state != "not_found" or value.field in needed or view.page is None:
        return True
    return isinstance(read_page(view.spec, view.sample, view.page).readings[value.field], FieldAmbiguous)


def _explained(doubt: Doubt, near: tuple[NearValue, ...], keys: tuple[SettlingKey, ...] = ()) -> FieldExplained:
    elements, found = doubt.page.elements, doubt.found
    return FieldExplained(
        field=doubt.name,
        label="" if found is None else label_beside(elements, found, doubt.labels),
        section="" if found is None else section_of(elements, found),
        near=near[:MOST_NEAR],
        settled_by=keys,
    )


def _settling(doubt: Doubt) -> Iterator[SettlingKey]:
    """Yield the keys that settle a field, one for each value that it may have."""
    if doubt.read_with({}) is not None:
        return
    offered: set[str] = set()
    has_alike = False
    for one in proposals(doubt):
        if has_alike and not one.alike:
            return
        value = doubt.read_with(one.keys)
        if value is None or _is_of_another(doubt, value) or (one.why in _OF_ANY_TEXT and _is_taken(doubt, value)):
            continue
        meant = repr((value.state, as_shown(value.value) if value.state == "value" else ""))
        if meant not in offered:
            offered.add(meant)
            has_alike = has_alike or one.alike
            yield SettlingKey(
                keys=doubt.new_keys(one.keys),
                entry=doubt.entry_with(one.keys),
                why=one.why,
                state="value" if value.state == "value" else "not_present",
                value=value.value,
                shown=value.shown or "",
                box=value.source.box if value.source is not None else None,
            )
        if len(offered) == MOST_KEYS:
            return


def _is_of_another(doubt: Doubt, value: FieldValue) -> bool:
    """Return whether it is of the past, of another record or of the site: no key makes that the value. A part that the
    field names may be all history."""
    past = doubt.past if doubt.field.under is None else NO_REFS
    return value.source is not None and value.source.ref in past | doubt.others | doubt.site


def _is_taken(doubt: Doubt, value: FieldValue) -> bool:
    return value.source is not None and doubt.is_other_field(value.source.ref)


def _alike(doubt: Doubt, near: Sequence[NearValue]) -> Iterator[NearValue]:
    """Yield what stands under labels that are like those of a field which is certain."""
    refs = {element.ref: element for element in doubt.page.elements}
    shown = {one.shown for one in near}
    labels = (one for one in label_proposals(doubt) if one.why == "label_alike")
    for one in [*labels][:MOST_ALIKE]:
        label = one.keys["labels"][-1]
        value = doubt.read_with({"labels": [label]})
        element = None if value is None or value.source is None else refs.get(value.source.ref)
        same = isinstance(doubt.reading, FieldFound) and element is doubt.reading.candidate.element
        if value is not None and element is not None and not same and value.shown not in shown:
            yield near_value(doubt, element, value.shown or "", "other_label", label=label)
