"""Rows of page numbers, such as "1 2 3 4 5", and which of them is the current page.

A row has at least two numbers in sequence, of which one can be pressed. Days of a calendar, years and a choice of
entries per page are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from urllib.parse import urljoin

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.lists.lists import same_address
from shared.text.list_words import PAGES
from shared.text.normal import plain_form

_NEVER = frozenset({"banner", "contentinfo", "complementary", "search"})
_PRESSED = frozenset({"link", "button"})
_BETWEEN = frozenset({"text", "listitem", "link", "button", "cell", "strong", "emphasis", "generic"})
_NUMBER = re.compile(r"(?P<before>[^\d#]{0,30})(?P<number>\d{1,5})(?P<behind>[^\d#]{0,20})")
_OF = re.compile(r"(?:[^\W\d]{1,4}|/)\s*(?P<number>\d{1,5})(?:\s[^\W\d]{1,12})?")
_FIELDS = frozenset({"combobox", "listbox", "spinbutton", "textbox"})
_SIGNS = re.compile(r"[\W_]*")
_WORDS = {word for texts in PAGES.values() for text in texts for word in text.split()} | {
    *(
        "go",
        "to",
        "current",
        "gehe",
        "zu",
        "zur",
        "aktuelle",
        "you're",
        "on",
        "you",
        "are",
        "goto",
        "страница",
        "页",
        "頁",
    )
}
LEAST_DAYS, MOST_DAYS = 28, 31
YEARS = range(1900, 2101)


@dataclass(frozen=True)
class NumberRow:
    """`numbers`: the page numbers with their elements, in order. `current`: the number of this page, None: unknown."""

    numbers: tuple[tuple[int, Element], ...]
    current: int | None

    @property
    def refs(self) -> tuple[int, ...]:
        return tuple(element.ref for _, element in self.numbers)

    @property
    def controls(self) -> tuple[Element, ...]:
        """What can be pressed."""
        return tuple(element for _, element in self.numbers if _is_control(element))

    def control(self, number: int) -> Element | None:
        """Return the control of a page."""
        return next((e for n, e in self.numbers if n == number and _is_control(e)), None)


def number_rows(page: PageObserved) -> list[NumberRow]:
    """Return the rows of page numbers outside of header, footer, sidebars and tables of data."""
    rows = [row for part in _runs(page) if (row := _to_row(part, page)) is not None]
    in_tables = [row for row in rows if row.numbers[0][1].row is not None]
    return [row for row in rows if row not in in_tables or len(in_tables) == 1]


def chosen_page(page: PageObserved) -> tuple[Element, int, int] | None:
    """Return the field in which the page of a list is chosen, its number and that of the last page, 0 where nothing
    tells that: "Page [1] of 3", or a list with the options 1 to 3."""
    for at, element in enumerate(page.elements):
        said = re.sub(r"[\W_]+", " ", plain_form(element.name)).split()
        is_field = element.role in _FIELDS and element.area not in _NEVER and not element.in_dialog
        number = to_page_number(element.value or "") if is_field and said else None
        if number is None or not all(word in _WORDS for word in said):
            continue
        behind = page.elements[at + 1 :]
        options = list(takewhile(lambda one: one.role == "option", behind))
        numbers = [found for one in options if (found := to_page_number(one.name)) is not None]
        following = behind[len(options)].name if len(options) < len(behind) else ""
        of = _OF.fullmatch(plain_form(following))
        return element, number, max([*numbers, int(of["number"]) if of is not None else 0])
    return None


def to_page_number(name: str) -> int | None:
    """Return the number of a label such as `2`, `[2]`, `Page 2` or `Go to page 2`; None if it has other words."""
    found = _NUMBER.fullmatch(plain_form(name))
    if found is None:
        return None
    rest = re.sub(r"[\W_]+", " ", f"{found['before']} {found['behind']}").split()
    return int(found["number"]) if all(word in _WORDS for word in rest) else None


def _is_control(element: Element) -> bool:
    return element.role in _PRESSED and "disabled" not in element.states and "current" not in element.states


def _runs(page: PageObserved) -> Iterator[list[tuple[int, Element]]]:
    """Yield ascending numbers with nothing but signs between them."""
    run: list[tuple[int, Element]] = []
    for element in page.elements:
        usable = element.area not in _NEVER and not element.in_dialog and element.role in _BETWEEN
        number = to_page_number(element.name) if usable else None
        if number is None:
            if usable and _SIGNS.fullmatch(element.name):
                continue
            yield run
            run = []
        elif run and number > run[-1][0] and (element.frame, element.row) == (run[-1][1].frame, run[-1][1].row):
            run.append((number, element))
        else:
            yield run
            run = [(number, element)]
    yield run


def _to_row(run: Sequence[tuple[int, Element]], page: PageObserved) -> NumberRow | None:
    numbers = [number for number, _ in run]
    if len(run) < 2 or not any(_is_control(element) for _, element in run) or _are_dates(numbers):
        return None
    row = run[0][1].row
    if row is not None and any(e.row == row and to_page_number(e.name) is None and e.name.strip(" .…›»<>«‹→←")
                               for e in page.elements):  # fmt: skip
        return None
    current = _current(run, page)
    in_sequence = any(b - a == 1 for a, b in pairwise(numbers)) or (current is not None and current + 1 in numbers)
    return NumberRow(tuple(run), current) if in_sequence else None


def _are_dates(numbers: Sequence[int]) -> bool:
    """Return whether they are the days of a month, or years: a bar of years leads to parts of a list."""
    days = len(numbers) >= LEAST_DAYS and numbers[-1] <= MOST_DAYS
    return days or all(number in YEARS for number in numbers)


def _current(run: Sequence[tuple[int, Element]], page: PageObserved) -> int | None:
    """Return the number that is marked, cannot be pressed, leads to this page, or is missing in the sequence."""
    marked = [number for number, e in run if "current" in e.states]
    plain_ones = [number for number, e in run if not _is_control(e)]
    here = [number for number, e in run if e.url is not None and _is_here(e.url, page.url)]
    numbers = [number for number, _ in run]
    missing = [a + 1 for a, b in pairwise(numbers) if b - a == 2 and not _has_ellipsis(run, a, page)]
    first = [1] if numbers[0] == 2 else []
    for found in (marked, plain_ones, here, missing, first):
        if len(found) == 1:
            return found[0]
    return None


def _is_here(url: str, page_url: str) -> bool:
    if url.startswith(("#", "javascript:")) or url.endswith("#"):
        return False
    try:
        return same_address(urljoin(page_url, url)) == same_address(page_url)
    except ValueError:
        return False


def _has_ellipsis(run: Sequence[tuple[int, Element]], number: int, page: PageObserved) -> bool:
    refs = {n: e.ref for n, e in run}
    behind = next((e for e in page.elements if e.ref > refs[number]), None)
    return behind is not None and behind.name.strip() in ("…", "...", "..")
