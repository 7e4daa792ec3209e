"""Which types a text of a page may have, what it comes to as each, and which one it most likely is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.field_types import base_type
from shared.pages.elements import title_of
from shared.pages.read.dates import date_hints
from shared.task.output_field import OutputField
from shared.task.typed_values import FALSE, TRUE, typed_value
from shared.text.date_names import DateOrder
from shared.text.normal import Normal, fold

ORDERS: tuple[DateOrder, ...] = ("dmy", "mdy", "ymd")
CHECKED_ROLES = ("checkbox", "switch")
MOST_ID_DIGITS = 9
"""A longer run of digits alone is more likely a number of an account than a quantity."""


@dataclass(frozen=True)
class TypeGuess:
    """A type that the text can be read as. ``value``: what it comes to. ``date_order``: by which it does, where the
    page itself leaves that open."""

    type: str
    value: Any
    date_order: DateOrder | None = None

    @property
    def keys(self) -> dict[str, str]:
        """What an entry of the spec says of it."""
        return {"type": self.type, **({"date_order": self.date_order} if self.date_order else {})}

    @property
    def code(self) -> str:
        """What tells it from the others."""
        return f"{self.type}:{self.date_order}" if self.date_order else self.type


@dataclass(frozen=True)
class TypeGuesses:
    """``guess``: the most likely one; None: only a person knows, for the page leaves the order of a date open."""

    guess: TypeGuess | None
    others: tuple[TypeGuess, ...]

    @property
    def all(self) -> tuple[TypeGuess, ...]:
        return (*((self.guess,) if self.guess is not None else ()), *self.others)


def guess_types(shown: str, element: Element, page: PageObserved) -> TypeGuesses:
    """Return the types of a text that the element shows."""
    read = [one for kind in _kinds(shown, element) for one in _read_as(kind, shown, element, page)]
    open_ = read[:1] and read[0].date_order is not None
    return TypeGuesses(None, tuple(read)) if open_ else TypeGuesses(read[0], tuple(read[1:]))


def _kinds(shown: str, element: Element) -> list[str]:
    """Return the types to try, the most likely first. A text is a string whatever else it is."""
    text = fold(shown)
    kinds = ["date-time", "date"]
    if element.role in CHECKED_ROLES:
        kinds = ["boolean", *kinds]
    digits = text.isascii() and text.isdigit()
    if digits and (text.startswith("0") or len(text) > MOST_ID_DIGITS):
        kinds += ["string", "number"]
    elif digits:
        kinds += ["number", "string", "decimal"]
    else:
        kinds += ["decimal", "number", "string"]
    words = not digits and text in TRUE | FALSE and element.role not in CHECKED_ROLES
    kinds += ["boolean"] if words else []
    listed = len([one for one in element.parts if one.kind != "old"]) > 1 or any(one in shown for one in ",;\n")
    return [*kinds, *(["array"] if listed and not any(map(str.isdigit, shown)) else [])]


def _read_as(kind: str, shown: str, element: Element, page: PageObserved) -> list[TypeGuess]:
    dated = base_type(kind) in ("date", "date-time")
    title = title_of(element, shown)
    order = date_hints(page) if dated else None
    value = typed_value(OutputField(type=kind), shown, title=title, order=order)
    if isinstance(value, Normal):
        return [TypeGuess(kind, value.value)]
    found: list[TypeGuess] = []
    for one in ORDERS if dated else ():
        value = typed_value(OutputField(type=kind, date_order=one), shown, title=title)
        if isinstance(value, Normal):
            found.append(TypeGuess(kind, value.value, one))
    return found
