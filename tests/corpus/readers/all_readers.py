"""All readers over the pages of a group."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.pages.read.fields import read_fields
from shared.task.spec import TaskSpec
from tests.corpus.readers.asking import (
    field_name,
    labels_on,
    labels_task,
    list_tasks,
    other_id,
    record_id,
    sample_of,
    task,
)
from tests.corpus.readers.learned import learned_rows
from tests.corpus.readers.lists import list_rows
from tests.corpus.readers.values import ending_row, identity_rows, label_row, value_rows
from tests.corpus.rows import Row, Rows
from tests.corpus.stored import AskedPage, Group, PageSeen


def read_all(group: Group, observed: Mapping[str, PageSeen]) -> Rows:
    """Return what each reader says of each page of the group."""
    rows = {one.name: read_one(group, one, observed[one.name]) for one in group.pages if one.name in observed}
    for name, learned in learned_rows(group, observed).items():
        rows[name] += learned
    return rows


def read_one(group: Group, asked: AskedPage, seen: PageSeen) -> list[Row]:
    if not asked.spec:
        return _without_task(asked, seen)
    spec = task(group.specs[asked.spec])
    if spec.phase == "discovery":
        return list_rows("list", spec, sample_of(asked), seen.page)
    return _with_task(spec, sample_of(asked), seen, {})


def _with_task(spec: TaskSpec, sample: Sample, seen: PageSeen, names: Mapping[str, str]) -> list[Row]:
    rows = value_rows(spec, sample, seen.page, seen.ink, names)
    proofs = identity_rows(spec, sample, _another(spec, sample), seen.page)
    return [*rows, *proofs, ending_row(spec, sample, seen.page, seen.ink, rows)]


def _another(spec: TaskSpec, sample: Sample) -> Sample:
    """Return the sample of another record: with other values in the columns that identify it."""
    templates = " ".join(spec.identity.values())
    fields = {key: other_id(value) if f"{{{key}}}" in templates else value for key, value in sample.fields.items()}
    return Sample(sample_id=sample.sample_id, key=sample.key, row=1, url=sample.url, fields=fields)


def _without_task(asked: AskedPage, seen: PageSeen) -> list[Row]:
    labels = labels_on(seen.page)
    rows: list[Row] = []
    id_ = record_id(seen.page)
    sample = sample_of(asked, {**asked.row, **({"record": id_} if id_ else {})})
    if labels or id_:
        names = {field_name(at): label for at, label in enumerate(labels)}
        rows += _with_task(labels_task(labels, seen.page), sample, seen, names)
        rows += [one for label in labels for one in _alone(label, seen, rows)]
    for name, spec in list_tasks(seen.page).items():
        rows += list_rows(f"list of {name}", spec, sample, seen.page)
    return rows


def _alone(label: str, seen: PageSeen, together: list[Row]) -> list[Row]:
    """Return the reading of one label where no other is a label of the task, if it is another one."""
    spec = labels_task([label], _anonymous(seen.page))
    name = field_name(0)
    reading = read_fields(spec, seen.page)[name]
    row = label_row("label alone", label, name, spec.output_schema[name], reading, seen.page, seen.ink)
    with_others = next(one for one in together if one.key == ("labels", label))
    same = (row.state, row.value, row.at) == (with_others.state, with_others.value, with_others.at)
    return [] if same else [row]


def _anonymous(page: PageObserved) -> PageObserved:
    return replace(page, elements=(), title="")
