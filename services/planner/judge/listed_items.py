"""Pure: what a page of a list holds, as a decider reports it: nothing invented, each once. And how a search ends.

An item is believed as far as the page bears it out: an address must be that of a link on it, anything else must stand
in its text, and both in one row where the page has rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from services.planner.page.lists import is_address, path_segments, same_address
from services.planner.page.text import find_mention, text_of
from services.planner.state.attempt_state import Ending, SampleProblem, SampleView, ending_of
from services.planner.state.transitions import item_key
from services.planner.values.typed_values import as_shown, is_not_present, normalise
from shared.contracts.actions import ReportItems
from shared.contracts.browser_pool import Element, PageObserved
from shared.field_types import base_type, nullable
from shared.task.spec import OutputField, TaskSpec
from shared.text.normal import Invalid, fold, quoted

MAX_PROBLEMS = 5


@dataclass(frozen=True)
class ReportedItems:
    """``problems`` says why items were left out, in words for the decider."""

    new: tuple[dict[str, Any], ...]
    known: int
    problems: tuple[str, ...]


def check_items(view: SampleView, action: ReportItems) -> ReportedItems:
    """The items that the page bears out and that were not reported before, each once, in their types."""
    new: dict[str, dict[str, Any]] = {}
    problems: list[str] = []
    known, shown = 0, PageLookup(view.page)
    for number, written in enumerate(action.items, 1):
        item, wrong = _item(view.spec, written, shown)
        problems += [f"item {number}: {message}" for message in wrong]
        if item is None:
            continue
        if (key := item_key(item)) in view.state.listed or key in new:
            known += 1
        else:
            new[key] = item
    more = len(problems) - MAX_PROBLEMS
    message = (*problems[:MAX_PROBLEMS], *([f"and {more} more problems of this kind"] if more > 0 else ()))
    return ReportedItems(tuple(new.values()), known, message)


def listing_ending(view: SampleView, missing: Iterable[SampleProblem]) -> Ending:
    """How the search ends once its decider says that the list has been read; ``missing``: artifacts."""
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
    """What a page shows, for looking things up."""

    def __init__(self, page: PageObserved | None) -> None:
        self.page_url = page.url if page is not None else ""
        self.elements = page.elements if page is not None else ()
        self._links_by_address: dict[str, list[Element]] = {}
        self._elements_by_text: dict[str, list[Element]] = {}
        for element in self.elements:
            if element.url is not None and not _has_user(element.url):
                self._links_by_address.setdefault(same_address(urljoin(self.page_url, element.url)), []).append(element)
            self._elements_by_text.setdefault(fold(text_of(element)), []).append(element)

    def links_to(self, written: str) -> tuple[str, list[Element]]:
        """The whole address of what was written, and the links of the page that lead there."""
        try:
            whole = urljoin(self.page_url, written.strip())
        except ValueError:
            return written, []
        there = self._links_by_address.get(same_address(whole), [])
        return (urljoin(self.page_url, there[0].url or "") if there else whole), there

    def elements_showing(self, field: OutputField, value: object) -> list[Element]:
        """The elements that show ``value``: as their text, in it as words of its own, or as a part of their address."""
        text = as_shown(value)
        exact = self._elements_by_text.get(fold(text), [])
        return exact or [element for element in self.elements if _shows(element, field, text, value)]


def _item(spec: TaskSpec, written: Mapping[str, Any], shown: PageLookup) -> tuple[dict[str, Any] | None, list[str]]:
    item: dict[str, Any] = {}
    problems = [f"there is no field {quoted(name)}" for name in written if name not in spec.output_schema]
    places: dict[str, list[Element]] = {}
    for name, field in spec.output_schema.items():
        value, there, wrong = _field(name, field, written.get(name), shown)
        problems += [f"{name}: {wrong}"] if wrong else []
        if value is None and name in spec.required_fields and not nullable(field.type) and not wrong:
            problems.append(f"{name}: it is missing and required")
        item[name] = value
        if there:
            places[name] = there
    problems += _split_rows(places)
    return (None, problems) if problems else (item, [])


def _field(name: str, field: OutputField, raw: object, shown: PageLookup) -> tuple[Any, list[Element], str]:
    """The value in its type, the elements it stands in, and what is wrong with it."""
    if raw is None or raw == "" or (isinstance(raw, str) and is_not_present(raw, field.not_present)):
        return None, [], ""
    if is_address(name):
        url, there = shown.links_to(as_shown(raw))
        return (url, there, "") if there else (None, [], f"no link on the page leads to {quoted(as_shown(raw))}")
    normal = normalise(field.type, raw)
    if isinstance(normal, Invalid):
        return None, [], normal.message
    parts: list[object] = list(normal.value) if base_type(field.type) == "array" else [raw]
    standing = [shown.elements_showing(field, part) for part in parts]
    if not all(standing):
        return None, [], f"{quoted(as_shown(raw))} does not stand on the page"
    return normal.value, [element for there in standing for element in there], ""


def _split_rows(places: Mapping[str, list[Element]]) -> Iterator[str]:
    """Where the page has rows, what is told of one item must stand in one of them."""
    rows = {name: {element.row for element in there} for name, there in places.items()}
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
    return normalise(field.type, own) == normalise(field.type, value)


def _has_user(url: str) -> bool:
    """An address with a name or a password in it is no evidence of anything."""
    try:
        return "@" in urlsplit(url).netloc
    except ValueError:
        return True
