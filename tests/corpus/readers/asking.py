"""The task that is asked of a page: that of its group, else one with each label that the page has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.pages.elements import is_heading, is_input
from shared.pages.lists.lists import repeated_records
from shared.task.spec import TaskSpec
from shared.text.normal import label_form, tidy
from tests.corpus.stored import AskedPage

MOST_LABELS = 16
MOST_CHARS = 40
HEADS = ("term", "rowheader", "columnheader")
_PREFIX = re.compile(r"([^\W\d][\w ./()-]{0,38}?)\s*:\s*\S")
_ID = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{0,5}-\d{1,6}(?![\w-])")
"""An id of a record, such as `TCK-1001`."""


@lru_cache(maxsize=256)
def _valid(written: str) -> TaskSpec:
    return TaskSpec.model_validate_json(written)


def task(written: Mapping[str, Any]) -> TaskSpec:
    """Return the task without what is no reading: its pictures, its route and its API."""
    left = {
        key: value for key, value in written.items() if key not in ("required_artifacts", "route", "api", "judgment")
    }
    return _valid(json.dumps(left))


def sample_of(asked: AskedPage, row: Mapping[str, str] | None = None) -> Sample:
    fields = dict(asked.row if row is None else row)
    fields.setdefault("url", asked.url)
    return Sample(sample_id=asked.name, key=next(iter(fields.values())), row=1, url=asked.url, fields=fields)


# --- pages without a task


def field_name(at: int) -> str:
    return f"f{at}"


def labels_on(page: PageObserved) -> list[str]:
    """Return what looks like a label on the page, once each, in the order of the page."""
    found: dict[str, str] = {}
    for text in _label_texts(page):
        plain = tidy(text).rstrip(":").strip()
        if plain and len(plain) <= MOST_CHARS and any(map(str.isalpha, plain)):
            found.setdefault(label_form(plain), plain)
    return [text for form, text in found.items() if form][:MOST_LABELS]


def _label_texts(page: PageObserved) -> Iterator[str]:
    for one in page.elements:
        if one.header:
            yield one.header
        names_other = one.before_blank or one.like_next or one.name.endswith(":")
        if is_input(one) or one.role in HEADS or names_other:
            yield one.name
        elif (found := _PREFIX.match(one.name)) is not None:
            yield found[1]


def labels_task(labels: list[str], page: PageObserved) -> TaskSpec:
    """Return a task with a text for each label, and the record's id where its headings or its title have one."""
    schema: dict[str, Any] = {
        field_name(at): {"type": "string | null", "labels": [label]} for at, label in enumerate(labels)
    }
    identity = {"record": "{record}"} if record_id(page) else {}
    if identity:
        schema["record"] = {"type": "string", "labels": ["record"]}
    return task({**_PLAIN, "output_schema": schema or {"record": "string"}, "identity": identity})


_PLAIN = {"task_id": "t", "goal": "Read it.", "start_url": "{url}", "required_fields": []}


def record_id(page: PageObserved) -> str:
    """Return the first id in a heading, else in the title; empty: there is none."""
    texts = [*(one.name for one in page.elements if is_heading(one)), page.title]
    return next((found[0] for text in texts if (found := _ID.search(text)) is not None), "")


def other_id(id_: str) -> str:
    """Return the id of another record: with another last digit or letter."""
    last = id_[-1:]
    return id_[:-1] + ("1" if not last.isdigit() else str((int(last) + 1) % 10))


def list_tasks(page: PageObserved) -> dict[str, TaskSpec]:
    """Return tasks for the lists of a page without a task: of its links, and of the columns of its largest table."""
    lists = repeated_records(page.elements)
    tables = [one for one in lists if one.is_table and len(one.columns) > 1]
    tasks: dict[str, TaskSpec] = {}
    if lists:
        tasks["links"] = task(
            {**_LIST, "output_schema": {"title": "string", "url": "string"}, "required_fields": ["title"]}
        )
    if tables:
        columns = max(tables, key=lambda one: len(one.records)).columns[:5]
        schema = {field_name(at): {"type": "string | null", "labels": [name]} for at, name in enumerate(columns)}
        tasks["columns"] = task({**_LIST, "output_schema": schema, "required_fields": ["f0"]})
    return tasks


_LIST = {"task_id": "t", "phase": "discovery", "goal": "List all.", "start_url": "http://127.0.0.1/list"}


def told_element(element: Element | None, value: str = "") -> str:
    """Return the element in words that do not change with its number or its box."""
    if element is None:
        return ""
    is_shown = tidy(element.name) == tidy(value) or not element.name
    name = "" if is_shown else f" {element.name[:50]!r}"
    header = f" of {element.header[:50]!r}" if element.header else ""
    return f"{element.role}{name}{header}"
