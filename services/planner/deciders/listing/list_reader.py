"""Finds the repeated records of a list on a page, and reads the fields of each. No site is known by name.

Of all that repeats, the list counts whose records fill most of the fields that the task asks for. Header, footer,
navigation and sidebars are never a list.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from services.planner.page.fields import labels_of
from services.planner.page.lists import ListedRecord, is_address, last_segment, repeated_records, same_address
from services.planner.page.text import HEADER_ROLES, find_mention, is_heading, is_input, label_form, text_of
from services.planner.page.typed_values import is_not_present, normalise
from shared.contracts.browser_pool import Element, PageObserved
from shared.field_types import base_type
from shared.task.spec import OutputField, TaskSpec
from shared.text.normal import Normal, fold

_HASH = re.compile(r"(?:^|_)(?:sha|hash)$", re.I)
_HEX = re.compile(r"[0-9a-f]{7,128}", re.I)
_TITLE = frozenset({"name", "title", "subject", "summary", "headline", "full_name", "display_name"})
_IN_ADDRESS = re.compile(r"(?:^|_)(?:sha|hash|id|key|number|login|user_?name|handle|slug|code|account)$", re.I)


@dataclass(frozen=True)
class ListRead:
    """A list as read. `place`: of the links that head its items, or `row`. `last`: the ref of its last element.
    `end_px`: where its last item begins. `doubt`: why it may not be the list that is meant, or not read right, and what
    to write in the spec; empty if it is certain."""

    items: tuple[dict[str, Any], ...]
    place: str
    last: int
    end_px: float
    doubt: str = ""


NOTHING = ListRead((), "", 0, 0.0)


def read_list(spec: TaskSpec, page: PageObserved, place: str = "") -> ListRead:
    """Return the list on this page. `place`: where earlier pages had it, so that no other list is taken for it."""
    candidates = repeated_records(page, place)
    read = [(_worth(spec, items), -at, _read(name, records, items))
            for at, (name, records) in enumerate(candidates)
            if (items := _items(spec, records, page))]  # fmt: skip
    best = max(read, key=lambda one: one[:2], default=None)
    return best[2] if best is not None and best[0][0] > 0 else NOTHING


def _read(place: str, records: Sequence[ListedRecord], items: Sequence[dict[str, Any]]) -> ListRead:
    last = records[-1]
    end_px = max((r.head.box.y for r in records if r.head.box is not None), default=0.0)
    return ListRead(tuple(items), place, last.parts[-1].ref, end_px)


def _worth(spec: TaskSpec, items: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many distinct items are complete, and how many values there are in all."""
    whole = [item for item in items if all(item.get(name) is not None for name in spec.required_fields)]
    different = {tuple(str(value) for value in item.values()) for item in whole}
    return len(different), sum(value is not None for item in items for value in item.values())


# --- the fields of one


def _items(spec: TaskSpec, records: Sequence[ListedRecord], page: PageObserved) -> list[dict[str, Any]]:
    shared = _shared_addresses(records)
    return [_item(spec, record, page, shared) for record in records]


def _shared_addresses(records: Sequence[ListedRecord]) -> frozenset[str]:
    """Return addresses that several records link to, such as that of an author: they are not a record's own."""
    counts: dict[str, int] = defaultdict(int)
    for record in records:
        for url in {same_address(e.url) for e in record.parts if e.url is not None}:
            counts[url] += 1
    return frozenset(url for url, count in counts.items() if count > 1 and len(records) > 1)


def _item(spec: TaskSpec, record: ListedRecord, page: PageObserved, shared: frozenset[str]) -> dict[str, Any]:
    own = _own_link(record, shared)
    item: dict[str, Any] = {}
    for name, field in spec.output_schema.items():
        if is_address(name):
            link = _labelled_link(name, field, record) or own
            item[name] = urljoin(page.url, link.url) if link is not None and link.url is not None else None
        else:
            item[name] = _value(field, _shown(name, field, spec, record, own))
    return item


def _own_link(record: ListedRecord, shared: frozenset[str]) -> Element | None:
    links = [e for e in record.parts if e.url is not None and e.role == "link"]
    return next((e for e in links if same_address(e.url or "") not in shared), links[0] if links else None)


def _labelled_link(name: str, field: OutputField, record: ListedRecord) -> Element | None:
    """Return the link whose name or header is a label of the field."""
    labels = labels_of(name, field) | {
        label.removesuffix(" url").removesuffix(" link") for label in labels_of(name, field)
    }
    links = [e for e in record.parts if e.url is not None]
    fitting = [e for e in links if label_form(e.header or "") in labels or label_form(e.name) in labels]
    return fitting[0] if fitting else None


def _shown(name: str, field: OutputField, spec: TaskSpec, record: ListedRecord, own: Element | None) -> str | None:
    labels = labels_of(name, field)
    headed = [e for e in record.parts if e.role not in HEADER_ROLES and label_form(e.header or "") in labels]
    if headed:
        return text_of(headed[0])
    inline = [e for e in record.parts if label_form(e.name.partition(":")[0]) in labels and ": " in e.name]
    if inline:
        return inline[0].name.partition(":")[2].strip()
    if any(e.header is not None for e in record.parts):
        return _in_address(name, record, own)
    return _unlabelled(name, field, spec, record, own)


def _unlabelled(name: str, field: OutputField, spec: TaskSpec, record: ListedRecord, own: Element | None) -> str | None:
    """Lists without headers: a title is the link's text, an id is in its address, a date has the form of one."""
    texts = [n for n, f in spec.output_schema.items() if not is_address(n) and base_type(f.type) == "string"]
    if name.lower() in _TITLE or (texts == [name] and not _IN_ADDRESS.search(name)):
        return text_of(record.head)
    if base_type(field.type) not in ("string", "array"):
        shown = [text_of(e) for e in record.parts if not is_input(e) and not is_heading(e)]
        return next((text for text in shown if text and isinstance(normalise(field.type, text), Normal)), None)
    found = _in_address(name, record, own)
    return found if found is not None else text_of(record.head) if texts == [name] else None


def _in_address(name: str, record: ListedRecord, own: Element | None) -> str | None:
    """Return the id at the end of the item's address, written as a text of the item writes it."""
    if own is None or own.url is None or not _IN_ADDRESS.search(name):
        return None
    last = last_segment(own.url)
    if _HASH.search(name) and not _HEX.fullmatch(last):
        return None
    said = [e.name for e in record.parts if last and fold(e.name).lstrip("@#") == fold(last)]
    return find_mention(said[0], last) if said else last or None


def _value(field: OutputField, shown: str | None) -> Any:
    if not shown or is_not_present(shown, field.not_present):
        return None
    normal = normalise(field.type, shown)
    return normal.value if isinstance(normal, Normal) else None
