"""What a page tells of a task's fields by the task's own labels and patterns: one more rule of each learned field.

The reader is `shared/pages/read`, which reads pages for tasks without a flow. It knows the forms in which a label
stands, and leaves out other records, the site's own parts and changes of the past. A learned field has its word as a
rule (`rules.ByTask`) where it gave the right value on every example. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from pydantic import ValidationError

from shared.contracts.base import Part
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.extraction.pages import TaskValue
from shared.field_types import is_rows
from shared.pages.elements import headings_of_level
from shared.pages.identity.identity import PageRead, read_anew
from shared.pages.read.candidates import texts_in
from shared.pages.read.fields import FieldFound
from shared.task.output_field import OutputField
from shared.task.route import Headline, words
from shared.task.spec import PLACEHOLDER, TaskSpec, placeholders
from shared.text.patterns import fits_pattern

TASKS_KEPT = 32
"""Cached tasks of flows."""
Json = dict[str, Any]


class FlowTask(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What a flow keeps of its task, so that pages are read by the task's labels. ``fields``: the output fields as JSON
    of `shared.task.output_field.OutputField`. ``identity``: those that prove the record. ``headlines``: those that are
    the one heading of this level, as the route says."""

    fields: dict[str, Json]
    identity: tuple[str, ...] = ()
    headlines: dict[str, int] = {}


def flow_task_of(spec: TaskSpec, called: Callable[[str], str]) -> FlowTask:
    """Return what is kept of a task. ``called``: returns the name that a flow has for a column of the input."""

    def renamed(text: str) -> str:
        return PLACEHOLDER.sub(lambda found: f"{{{called(found[1])}}}", text)

    fields: dict[str, Json] = {}
    for name, field in spec.output_schema.items():
        written = field.model_dump(mode="json", exclude_defaults=True, exclude={"description"})
        if field.under is not None:
            written["under"] = [renamed(text) for text in words(field.under)]
        fields[name] = written
    headlines = {step.headline: step.level for step in spec.route if isinstance(step, Headline)}
    return FlowTask(fields=fields, identity=tuple(spec.identity), headlines=headlines)


def problem_of(task: FlowTask) -> str:
    """Return why this is no task whose fields can be read; empty: it is one."""
    try:
        _task_of(msgspec.json.encode(task))
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return ""


@lru_cache(maxsize=TASKS_KEPT)
def _task_of(task: bytes) -> TaskSpec:
    written = msgspec.json.decode(task, type=FlowTask)
    route = [{"headline": name, "level": level} for name, level in written.headlines.items()]
    spec = {
        "task_id": "flow", "goal": "g", "start_url": "{url}", "output_schema": written.fields, "route": route,
    }  # fmt: skip
    return TaskSpec.model_validate_json(msgspec.json.encode(spec))


def read_flow_task(
    task: FlowTask, page: PageObserved, named: Mapping[str, str], row: Mapping[str, str], *, is_shown: bool = False
) -> dict[str, TaskValue]:
    """Return what the page tells of the fields. ``named``: fields that name the record, and their texts; ``row``: the
    values that the words of a part of the page may name; ``is_shown``: as of `read_task_values`."""
    spec, known = _spec_for(task, named)
    is_named = set(task.identity) <= set(known)
    return read_task_values(spec, {**row, **known}, page, is_named=is_named, is_shown=is_shown)


def is_proven(task: FlowTask, page: PageObserved, named: Mapping[str, str], row: Mapping[str, str]) -> bool:
    """Return whether the page shows the record, as it is proven for a task without a flow; see `read_flow_task`."""
    spec, known = _spec_for(task, named)
    sample = Sample(sample_id="s", key="", row=1, url=page.url, fields={**row, **known})
    return set(task.identity) <= set(known) and read_anew(spec, sample, page).proof.state == "proven"


def _spec_for(task: FlowTask, named: Mapping[str, str]) -> tuple[TaskSpec, dict[str, str]]:
    """Return the task with the identity by which the record is named, and the texts of that."""
    spec = _task_of(msgspec.json.encode(task))
    known = {name: text for name, text in named.items() if name in spec.output_schema and text}
    return spec.model_copy(update={"identity": {name: f"{{{name}}}" for name in known}}), known


def read_task_values(
    spec: TaskSpec,
    row: Mapping[str, str],
    page: PageObserved,
    *,
    is_named: bool | None = None,
    is_shown: bool = False,
) -> dict[str, TaskValue]:
    """Return what the page tells of the fields of a task, none of another record's page. ``row``: of the input.
    ``is_named``: whether it says which record is meant; None: it does where it has each column of the identity.
    ``is_shown``: the record is proven on this page in another way, so that the task's identity need not prove it."""
    lacking = {name for text in spec.identity.values() for name in placeholders(text) if not row.get(name, "").strip()}
    if lacking:
        spec = spec.model_copy(update={"identity": {}})
    sample = Sample(sample_id="s", key="", row=1, url=page.url, fields=dict(row))
    read = read_anew(spec, sample, page)
    if read.proof.state == "mismatch":
        return {}
    proven = (read.proof.state == "proven" or is_shown) and (not lacking if is_named is None else is_named)
    found = {name: _task_value(name, field, spec, read, proven=proven) for name, field in spec.output_schema.items()}
    found |= {
        step.headline: _heading_value(step.level, page, proven=proven)
        for step in spec.route
        if isinstance(step, Headline)
    }
    return {name: one for name, one in found.items() if one is not None}


def other_record(spec: TaskSpec, row: Mapping[str, str], page: PageObserved) -> str:
    """Return which other record the page shows, as the end of a sentence; empty: it may be this one's."""
    proof = read_anew(spec, Sample(sample_id="s", key="", row=1, url=page.url, fields=dict(row)), page).proof
    return proof.wrong if proof.state == "mismatch" else ""


def _task_value(name: str, field: OutputField, spec: TaskSpec, read: PageRead, *, proven: bool) -> TaskValue | None:
    # What names the record is looked for by its text too: only its label tells it.
    reading = (read.by_label if name in spec.identity else read.readings).get(name)
    if is_rows(field.type) or not isinstance(reading, FieldFound) or reading.candidate.cut_chars:
        return None
    candidate = reading.candidate
    misfit = field.value_pattern and candidate.shown and not fits_pattern(field.pattern, candidate.shown)
    return None if misfit else TaskValue(candidate.shown, candidate.element.ref, proven=proven)


def _heading_value(level: int, page: PageObserved, *, proven: bool) -> TaskValue | None:
    """Return the one text of the headings of this level, as the rules read it."""
    texts = [one for head in headings_of_level(page.elements, level) for one in texts_in(head)]
    if len(texts) != 1 or texts[0].cut_chars or not texts[0].shown:
        return None
    return TaskValue(texts[0].shown, texts[0].element.ref, proven=proven)
