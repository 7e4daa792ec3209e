"""Items of a list as a driver reports them: each is checked against the page and counted once. And how a search ends.

An address must be that of a link on the page; other values must be in its text, and all of one item in one row if the
page has rows. What the task says of the list holds for every item: the part of the page, the link, the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from services.planner.state.attempt_state import Ending, SampleProblem, SampleView, ending_of
from services.planner.state.transitions import item_key
from shared.contracts.actions import ReportItems
from shared.contracts.browser_pool import Element, PageObserved
from shared.field_types import base_type, nullable
from shared.pages.elements import text_of
from shared.pages.identity.scope import find_list
from shared.pages.lists.lists import (
    column_of,
    is_address,
    is_link_meant,
    path_segments,
    same_address,
    spanned_rows,
    under_column_headers,
    web_address,
)
from shared.task.output_field import OutputField
from shared.task.route import words
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown, find_shown_problem, is_not_present, typed_value
from shared.text.normal import Invalid, fold, label_form, quoted
from shared.text.record_words import find_mention

MAX_PROBLEMS = 5


@dataclass(frozen=True)
class ReportedItems:
    """New and known items of a report. `problems` tells the driver why items were left out. `addresses`: the own one
    of each new item, empty where it is not certain, or a field of the item."""

    new: tuple[dict[str, Any], ...]
    known: int
    problems: tuple[str, ...]
    addresses: tuple[str, ...] = ()


def check_items(view: SampleView, action: ReportItems) -> ReportedItems:
    """Return the typed items that the page confirms and that were not reported before, up to the limit of the task."""
    new: dict[str, dict[str, Any]] = {}
    addresses: list[str] = []
    problems: list[str] = []
    known, shown = 0, _lookup_of_list(view)
    for number, written in enumerate(action.items, 1):
        item, wrong, places = _item(view.spec, written, shown)
        problems += [f"item {number}: {message}" for message in wrong]
        if item is None:
            continue
        if (key := item_key(item)) in view.state.listed or key in new:
            known += 1
        elif view.spec.limit is None or len(view.state.listed) + len(new) < view.spec.limit:
            new[key] = item
            told = action.addresses[number - 1] if number <= len(action.addresses) else _own_address(places, shown)
            addresses.append("" if same_address(told) in _own_values(item) else told)
    more = len(problems) - MAX_PROBLEMS
    message = (*problems[:MAX_PROBLEMS], *([f"and {more} more problems of this kind"] if more > 0 else ()))
    return ReportedItems(tuple(new.values()), known, message, tuple(addresses))


def _own_values(item: Mapping[str, Any]) -> set[str]:
    return {same_address(str(value)) for name, value in item.items() if is_address(name) and value is not None}


def _own_address(places: Mapping[str, Sequence[Element]], shown: PageLookup) -> str:
    """Return where the values of an item lead: the one address that they are links to."""
    links = {e.url for there in places.values() for e in there if e.role == "link" and e.url is not None}
    found = {web_address(shown.page_url, url) for url in links}
    return next(iter(found)) if len(found) == 1 else ""


def listing_ending(view: SampleView, missing: Iterable[SampleProblem]) -> Ending:
    """Return how the search ends once its driver reports the end of the list. `missing`: artifacts, and what is not
    proven of the list."""
    lacking = tuple(missing)
    notes = view.state.notes
    if lacking:
        message = "; ".join(problem.message for problem in lacking)
        return replace(ending_of(lacking[0].reason, message), flagged=True, notes=notes)
    expected, found = view.spec.expected_items, len(view.state.listed)
    if expected is not None and found < expected:
        message = f"{found} items were found where {expected} are expected"
        return replace(ending_of("missing_items", message), flagged=True, notes=notes)
    return Ending("done", "", "", "", notes=notes)


class PageLookup:
    """An index of a page's links and texts. `within`: the elements that count, if not all do. `links`: the words that
    choose the links that count, if not all do."""

    def __init__(
        self, page: PageObserved | None, within: Sequence[Element] | None = None, links: frozenset[str] = frozenset()
    ) -> None:
        self.page_url = page.url if page is not None else ""
        named = under_column_headers(page.elements) if page is not None else []
        counted = {element.ref for element in (named if within is None else within)}
        self.elements = [element for element in named if element.ref in counted]
        self._links_by_address: dict[str, list[Element]] = {}
        self._elements_by_text: dict[str, list[Element]] = {}
        for element in self.elements:
            if element.url is not None and not _has_user(element.url) and (not links or is_link_meant(element, links)):
                self._links_by_address.setdefault(same_address(urljoin(self.page_url, element.url)), []).append(element)
            self._elements_by_text.setdefault(fold(text_of(element)), []).append(element)

    def links_to(self, written: str) -> tuple[str, list[Element]]:
        """Return the absolute address, and the links of the page that lead to it."""
        try:
            whole = urljoin(self.page_url, written.strip())
        except ValueError:
            return written, []
        there = self._links_by_address.get(same_address(whole), [])
        return (urljoin(self.page_url, there[0].url or "") if there else whole), there

    def elements_showing(self, field: OutputField, value: object) -> list[Element]:
        """Return the elements that show the value: as their text, as words in it, or as a segment of their address."""
        text = as_shown(value)
        exact = self._elements_by_text.get(fold(text), [])
        return exact or [element for element in self.elements if _shows(element, field, text, value)]


def _lookup_of_list(view: SampleView) -> PageLookup:
    """Return an index of the part of the page that the task names; of nothing, if the page has no such part."""
    page, asked = view.page, view.spec.list_
    if page is None:
        return PageLookup(None)
    elements = find_list(page, words(asked.under)) or ()
    return PageLookup(page, elements, frozenset(map(label_form, words(asked.link))))


def _item(
    spec: TaskSpec, written: Mapping[str, Any], shown: PageLookup
) -> tuple[dict[str, Any] | None, list[str], Mapping[str, list[Element]]]:
    item: dict[str, Any] = {}
    problems = [f"there is no field {quoted(name)}" for name in written if name not in spec.output_schema]
    places: dict[str, list[Element]] = {}
    for name, field in spec.output_schema.items():
        columns = frozenset(map(label_form, words(spec.list_.columns.get(name))))
        value, there, wrong = _field(name, field, written.get(name), shown, columns)
        problems += [f"{name}: {wrong}"] if wrong else []
        if value is None and name in spec.required_fields and not nullable(field.type) and not wrong:
            problems.append(f"{name}: it is missing and required")
        item[name] = value
        if there:
            places[name] = there
    problems += _split_rows(places)
    return (None, problems, places) if problems else (item, [], places)


def _field(
    name: str, field: OutputField, raw: object, shown: PageLookup, columns: frozenset[str]
) -> tuple[Any, list[Element], str]:
    """Return the typed value, the elements that show it, and what is wrong with it. `columns`: where the task says that
    it stands; empty: anywhere."""
    if raw is None or raw == "" or (isinstance(raw, str) and is_not_present(raw, field)):
        return None, [], ""
    if is_address(name):
        url, there = shown.links_to(as_shown(raw))
        return (url, there, "") if there else (None, [], f"no link on the page leads to {quoted(as_shown(raw))}")
    normal = typed_value(field, raw)
    wrong = normal.message if isinstance(normal, Invalid) else find_shown_problem(field, as_shown(raw))
    if isinstance(normal, Invalid) or wrong:
        return None, [], wrong
    parts: list[object] = list(normal.value) if base_type(field.type) == "array" else [raw]
    standing = [shown.elements_showing(field, part) for part in parts]
    if columns:
        standing = [[element for element in there if column_of(element) in columns] for there in standing]
    if not all(standing):
        where = "in the column that list.columns names" if columns else "on the page"
        return None, [], f"{quoted(as_shown(raw))} does not stand {where}"
    return normal.value, [element for there in standing for element in there], ""


def _split_rows(places: Mapping[str, list[Element]]) -> Iterator[str]:
    """Return a problem if the values of one item are in different rows."""
    rows = {
        name: {row for element in there for row in (spanned_rows(element) or (None,))} for name, there in places.items()
    }
    bound = {name: found for name, found in rows.items() if None not in found}
    common = set[int | None].intersection(*bound.values()) if bound else {None}
    if not common:
        yield f"{', '.join(bound)} stand in different rows of the page"


def _shows(element: Element, field: OutputField, text: str, value: object) -> bool:
    own = text_of(element)
    if find_mention(own, text) or (element.header and find_mention(element.header, text)):
        return True
    if element.url is not None and text and text in path_segments(element.url):
        return True
    if base_type(field.type) in ("string", "array") or not own:
        return False
    return typed_value(field, own) == typed_value(field, value)


def _has_user(url: str) -> bool:
    """Return whether the address holds a user name or password. Such an address is no evidence."""
    try:
        return "@" in urlsplit(url).netloc
    except ValueError:
        return True
