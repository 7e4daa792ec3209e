"""Items of a listed page as samples, and the records that say which items are known.

An item must get the same name on every page, attempt and round. So the name depends on the item alone, never on the
items beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlsplit

from msgspec.structs import replace

from shared.contracts.base import Part
from shared.contracts.discovery import Sample
from shared.submission.samples import item_key_template, last_path_part, to_sample
from shared.tables.table import Row, cell_text
from shared.task.spec import TaskSpec, fill


class SearchProgress(Part, frozen=True, kw_only=True):
    """Progress of the search for a run's samples. ``attempt_base`` is that of the searching round."""

    found: int = 0
    attempt_base: int = 0
    closed: bool = False
    shared_name: str = ""
    """A sample that different items of this round are, if there is one: they have one name or one address."""
    taken: frozenset[tuple[int, int]] = frozenset()
    """Attempt and step of each page of this round whose items were added."""
    unnamed: int = 0
    """Items of this round that nothing names, so that they are no samples."""


class FoundItem(Part, frozen=True, kw_only=True):
    """A found sample, with the attempt and step that found it; 0 and 0: an earlier round."""

    sample: Sample
    found_at: datetime
    found_on: str = ""
    item: dict[str, Any] = {}
    attempt: int = 0
    step: int = 0


def candidate_samples(
    spec: TaskSpec, row: Mapping[str, str], item: Mapping[str, Any], number: int, home: str = "", address: str = ""
) -> tuple[Sample, ...]:
    """Return the ``number``-th sample of the run under each name that it may get, best first.

    The next name is used when another item has the one before. Names leave out the host when it is ``home``.
    ``address``: the item's own, where none of its fields is called `url`; it names no item, for it may vary.
    """
    cells = {**row, **{name: item_text(value) for name, value in item.items()}}
    template = item_key_template(spec, row, frozenset(item))
    named = fill(template, cells).strip() if template is not None else ""
    keys = (named,) if named else (*_url_keys(cells.get("url", ""), home), _all_values(item))
    unique = [key for key in dict.fromkeys(keys) if key]
    plain = [to_sample(key, Row(number, cells)) for key in unique]
    named_samples = (*plain, *(to_sample(key, Row(number, cells), hashed=True) for key in unique[-1:]))
    return tuple(replace(one, url=one.url or address or None) for one in named_samples)


def is_same_item(one: Sample, other: Sample, *, named: bool) -> bool:
    """Return whether two samples, whose ids are equal except for case, are the same item.

    They are when the ids are equal, and a template names them, or they have the same address, or (without addresses)
    the same fields.
    """
    if one.sample_id != other.sample_id:
        return False
    url, others = one.fields.get("url", ""), other.fields.get("url", "")
    if named or (url and url == others):
        return True
    return not url and not others and one.fields == other.fields


def item_text(value: object) -> str:
    """Return a value of an item as the text of a table cell."""
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(part) for part in cast("list[object]", value))
    return cell_text(value)


def _url_keys(url: str, home: str) -> tuple[str, ...]:
    """Return names made from an address: last part of the path, path and query (with a foreign host), all of it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ()
    path = parts.path.strip("/") + (f"?{parts.query}" if parts.query else "")
    relative = path if not parts.netloc or parts.netloc.lower() == home else f"{parts.netloc}/{path}".rstrip("/")
    return (last_path_part(url), relative, url)


def _all_values(item: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (item_text(item[name]) for name in item)))
