"""Pure: what a page of a list holds, as samples; and what is remembered of each.

What is found must bear the same name on whichever page, attempt or round it is met again: it is made of the item
alone, never of the others beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from services.discovery.population.sample_keys import key_template
from services.discovery.population.samples import sample_of
from services.discovery.tables.table import Row, cell_text
from shared.contracts.base import Part
from shared.contracts.discovery import Sample
from shared.task.spec import TaskSpec, fill, placeholders


class Listing(Part, frozen=True, kw_only=True):
    """How far finding the samples of a run has come. ``attempt_base``: of the round that looks for them."""

    found: int = 0
    attempt_base: int = 0
    closed: bool = False


class Find(Part, frozen=True, kw_only=True):
    """One sample that was found, by which step of which attempt; 0 and 0: in an earlier round."""

    sample: Sample
    found_at: datetime
    found_on: str = ""
    item: dict[str, Any] = {}
    attempt: int = 0
    step: int = 0


def find_template(spec: TaskSpec, row: Mapping[str, str], fields: frozenset[str]) -> str | None:
    """The template that tells one item from another; None where there is none that names a field of the list."""
    template = key_template(spec, (*row, *fields))
    named = set(placeholders(template or ""))
    return template if named & fields and named <= {*row, *fields} else None


def samples_of_item(
    spec: TaskSpec, row: Mapping[str, str], item: Mapping[str, Any], number: int, home: str = ""
) -> tuple[Sample, ...]:
    """The ``number``-th sample of the run, under each name it may bear, best first: the next is for where another item
    has that name already. ``home`` is the host whose name goes without saying."""
    cells = {**row, **{name: text_of(value) for name, value in item.items()}}
    template = find_template(spec, row, frozenset(item))
    named = fill(template, cells).strip() if template is not None else ""
    keys = (named,) if named else (*_own_keys(cells.get("url", ""), home), _all_of(item))
    bare = [key for key in dict.fromkeys(keys) if key]
    plain = [sample_of(key, Row(number, cells)) for key in bare]
    return (*plain, *(sample_of(key, Row(number, cells), hashed=True) for key in bare[-1:]))


def same_item(one: Sample, other: Sample, *, named: bool) -> bool:
    """Whether two samples are the same thing whose names differ in capitals at most: not where they do; else where the
    task says what names them, or they have one address, or all their fields in common."""
    if one.sample_id != other.sample_id:
        return False
    if named or (one.url and one.url == other.url):
        return True
    return not one.url and not other.url and one.fields == other.fields


def text_of(value: object) -> str:
    """A value of an item as the cell of a table."""
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(one) for one in cast("list[object]", value))
    return cell_text(value)


def _own_keys(url: str, home: str) -> tuple[str, ...]:
    """The last part of the path of an address; its path and query, with its host where that is not that of the list."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ()
    path = parts.path.strip("/") + (f"?{parts.query}" if parts.query else "")
    whole = path if not parts.netloc or parts.netloc.lower() == home else f"{parts.netloc}/{path}".rstrip("/")
    return (unquote(parts.path.rstrip("/").rpartition("/")[2]).strip(), whole, url)


def _all_of(item: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (text_of(item[name]) for name in item)))
