"""Lists that somebody points at: which two items, which of the lists they may be of, what was said of its length, and
the discovery task that comes of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Problem
from shared.contracts.results import Box
from shared.hosts import host_of
from shared.pages.boxes import box_around
from shared.pages.elements import text_of
from shared.pages.entries.pointed_list import NotOneList, PointedList, meant_by, pointed_lists
from shared.pages.lists.counts import read_counts
from shared.pages.lists.lists import is_in_noise
from shared.pages.lists.paging import earlier_page, next_page_control
from shared.task.typed_values import as_shown
from shared.text.normal import quoted, tidy

MOST_COUNT = 1_000_000
MAX_LABEL_CHARS = 80
ONE_PAGE, ALL_PAGES = "one", "all"


@dataclass(frozen=True)
class ListSettings:
    """What a person says of the length of a list. ``expected``: so many items, and never fewer; ``limit``: only so
    many; 0: not said. ``one_page``: the list is the one page. ``called``: what leads to the next page."""

    expected: int = 0
    limit: int = 0
    one_page: bool = False
    called: str = ""

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of the task that say it."""
        pagination = False if self.one_page else self.called or None
        said = {"expected_items": self.expected or None, "limit": self.limit or None, "pagination": pagination}
        return {key: value for key, value in said.items() if value is not None}


@dataclass(frozen=True)
class ListDraft:
    """A list that was pointed at. ``way``: the number of the list that is meant, of those that both items may be of."""

    first: int
    second: int
    ways: tuple[PointedList, ...]
    way: int
    task_id: str
    goal: str = ""
    settings: ListSettings = ListSettings()

    @property
    def found(self) -> PointedList:
        return self.ways[self.way]

    def spec(self, url: str, profile: str) -> dict[str, Any]:
        """Return the discovery task as it is written. ``profile``: the login state; empty: none."""
        fields = self.found.fields
        names = ", ".join(one.name.replace("_", " ") for one in fields)
        spec: dict[str, Any] = {
            "task_id": self.task_id,
            "phase": "discovery",
            "goal": self.goal or f"List every item of the list, on all of its pages, and report the {names} of each.",
            "start_url": url.replace("{", "%7B").replace("}", "%7D"),
            "allowed_hosts": [host_of(url)],
        }
        if profile:
            spec["auth_profile"] = profile
        if self.found.key:
            spec["sample_id"] = f"{{{self.found.key}}}"
        spec |= {
            "output_schema": {one.name: one.written for one in fields},
            "required_fields": [one.name for one in fields if one.is_needed],
            "required_artifacts": ["screenshot"],
        }
        return spec | ({"list": dict(self.found.choice)} if self.found.choice else {}) | self.settings.keys


def number_of(text: str) -> int:
    """Return the number that a form or an address has; -1: none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else -1


def settings_of(form: Mapping[str, str]) -> ListSettings | Problem:
    """Return what a form says of the length of a list, or what is wrong with it."""
    counts: list[int] = []
    for name, words in (("expected", "how many there must be"), ("limit", "how many are wanted")):
        text = form.get(name, "").strip()
        count = number_of(text) if text else 0
        if text and not 0 < count <= MOST_COUNT:
            told = f"{quoted(text, 20)} is no number of items: write one from 1 to {MOST_COUNT}"
            return Problem(where=words, message=told)
        counts.append(count)
    called = tidy(form.get("called", ""))
    if len(called) > MAX_LABEL_CHARS:
        return Problem(where="the next page", message=f"what leads to it has at most {MAX_LABEL_CHARS} characters")
    one_page = form.get("pages", "") == ONE_PAGE
    return ListSettings(counts[0], counts[1], one_page, "" if one_page else called)


def list_of(page: PageObserved, form: Mapping[str, str], task_id: str) -> ListDraft | NotOneList:
    """Return the list of the two items that a form or an address names, or why they give none."""
    first, second = number_of(form.get("first", "")), number_of(form.get("second", ""))
    found = pointed_lists(page, first, second)
    if isinstance(found, NotOneList):
        return found
    if before := earlier_page(page):
        told = f"this is not the first page of the list: it says {quoted(before, 60)}"
        return NotOneList(f"{told}. Open the address of its first page, or all before it would be missing")
    way = min(max(0, number_of(form.get("way", ""))), len(found) - 1)
    return ListDraft(first, second, found, way, task_id)


# --- what the page shows of it


@dataclass(frozen=True)
class ListedItem:
    """An item on the page. ``box``: of all of its row, or of its link; None: it cannot be seen."""

    number: int
    cells: tuple[str, ...]
    address: str
    box: Box | None


def items_of(page: PageObserved, found: PointedList) -> list[ListedItem]:
    """Return the items of the list on the page, each with what it shows of the fields."""
    elements = {one.ref: one for one in page.elements}
    read = found.read
    return [
        ListedItem(at, cells_of(item, found), address, _box_of(page.elements, elements[head]))
        for at, (item, address, head) in enumerate(zip(read.items, read.addresses, read.heads, strict=True), 1)
    ]


def cells_of(item: Mapping[str, Any], found: PointedList) -> tuple[str, ...]:
    """Return what an item shows of each field; empty where it shows none."""
    return tuple("" if item.get(one.name) is None else as_shown(item[one.name]) for one in found.fields)


def _box_of(elements: Sequence[Element], head: Element) -> Box | None:
    row = [one for one in elements if head.row is not None and (one.frame, one.row) == (head.frame, head.row)]
    boxes = [one.box for one in row or [head] if one.box is not None]
    return box_around(boxes) if boxes else None


def way_words(one: PointedList) -> str:
    """Return which of several lists one is, for people."""
    under = f"under “{one.choice['under']}”" if one.choice.get("under") else "of the page"
    link = f", each opened by its link “{one.choice['link']}”" if one.choice.get("link") else ""
    return f"the {len(one.read.items)} {under}{link}"


def paging_words(page: PageObserved, draft: ListDraft) -> str:
    """Return how the list goes on after this page, in words of the page."""
    if draft.settings.one_page:
        return "It is the one page."
    counts = [one for one in read_counts(page) if one.kind != "total" or one.firm]
    said = f" The page says {quoted(tidy(counts[0].text), 60)}." if counts else ""
    called = (draft.settings.called,) if draft.settings.called else ()
    control = next_page_control(page, draft.found.read.last, called=called)
    if control is None:
        return f"Nothing on this page leads on: it may be the only one.{said}"
    name = tidy(control.element.name or control.element.title or "") or "a button without a name"
    return f"{quoted(name, 40)} {'adds more of it' if control.kind == 'more' else 'leads to its next page'}.{said}"


def in_content(page: PageObserved) -> set[int]:
    """Return the refs of what stands where a list may be, a heading that is a link as that link alone."""
    return {
        one.ref
        for at, one in enumerate(page.elements)
        if not is_in_noise(one) and text_of(one) != "" and meant_by(page.elements, at) is one
    }
