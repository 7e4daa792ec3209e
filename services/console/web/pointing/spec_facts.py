"""What the page of a spec shows that is made by pointing: the boxes on its pictures, what is guessed of a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from services.console.web.pointing.page_looks import PageShot
from services.console.web.pointing.spec_drafts import (
    PointableText,
    PointedField,
    SpecDraft,
    entry_words,
    ways_of,
    with_key,
)
from shared.contracts.browser_pool import Element
from shared.contracts.results import Box
from shared.field_types import base_type, nullable
from shared.pages.boxes import has_centre
from shared.pages.elements import is_heading, is_input, text_of, title_of
from shared.pages.entries.guessed_types import TypeGuesses, guess_types
from shared.pages.entries.pointed import PointedEntry, PointedText, can_be_pointed_at, labels_near
from shared.pages.entries.value_places import field_name_of, label_and_value
from shared.text.dates import is_relative
from shared.text.normal import bare_key, fold, tidy
from shared.text.record_words import find_mention

MOST_BOXES = 1200
MAX_SHOWN_CHARS = 300
SITE_AREAS = ("navigation", "banner", "contentinfo")
"""Parts around the content: what they show is in the list alone."""


@dataclass(frozen=True)
class ValueBox:
    """A box on a picture. ``kind``: chosen, field or empty."""

    value: PointableText
    box: Box
    kind: str


@dataclass(frozen=True)
class ShotWithBoxes:
    shot: PageShot
    boxes: tuple[ValueBox, ...]


@dataclass(frozen=True)
class Chosen:
    """What is pointed at, with what is guessed of it. ``entries``: those that read it as the guessed type."""

    element: Element
    whole: str
    shown: str
    name: str
    guesses: TypeGuesses
    type_code: str
    entries: tuple[PointedEntry, ...]
    had: PointedField | None
    optional: bool = False

    @property
    def is_relative(self) -> bool:
        """Whether the text counts from the time of reading, so that it says no day later."""
        return is_relative(self.shown)

    @property
    def marked(self) -> str:
        """What the markup adds to a text that counts from the time of reading, where a date is in it; else empty."""
        is_dated = any(base_type(one.type) in ("date", "date-time") for one in self.guesses.all)
        return title_of(self.element, self.shown) or "" if self.is_relative and is_dated else ""


def choices_of(chosen: Chosen | None) -> list[tuple[str, bool]]:
    """Return the ways in which the value is found, in words, and which is the one that is taken."""
    if chosen is None:
        return []
    ways = [entry_words(one) for one in chosen.entries]
    had = entry_words(chosen.had) if chosen.had is not None else ""
    return [(one, one == (had if had in ways else ways[0])) for one in ways]


def boxed(draft: SpecDraft, values: list[PointableText], chosen: int) -> list[ShotWithBoxes]:
    """Return each picture with the boxes that are on it."""
    boxes = {one.ref: one.box for one in draft.look.page.elements}
    found: list[ShotWithBoxes] = []
    for shot in draft.look.shots:
        on: list[ValueBox] = []
        for one in values:
            box = boxes.get(one.ref)
            if box is not None and has_centre(shot.area, box) and (one.area not in SITE_AREAS or one.field):
                on.append(ValueBox(one, box, "chosen" if one.ref == chosen else "field" if one.field else ""))
        on.sort(key=lambda one: -one.box.width * one.box.height)  # what lies within another one can be pressed
        found.append(ShotWithBoxes(shot, tuple(on[-MOST_BOXES:])))
    return found


def key_ways(draft: SpecDraft) -> list[tuple[str, bool, str]]:
    """Return what may prove the record, as choices: the field, whether the address is made of it, and the address."""
    ways: list[tuple[str, bool, str]] = []
    for one in draft.fields:
        if base_type(one.entry["type"]) in ("string", "number"):
            template = with_key(draft, one.name, by_address=True)
            ways += [(one.name, True, template.address_template)] if template.by_address else []
            ways.append((one.name, False, ""))
    return ways


def chosen_of(draft: SpecDraft, asked: str, given: Mapping[str, str], *, take_whole: bool = False) -> Chosen | None:
    """Return the value that the address or the form names, with what the form says of it. Of a text with its own label
    the rest is taken first."""
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 8):
        return None
    element = draft.element(int(asked))
    if element is None or not can_be_pointed_at(element):
        return None
    whole = text_of(element)
    had = next((one for one in draft.fields if one.ref == element.ref), None)
    labelled = None if element.header or is_input(element) or is_heading(element) else label_and_value(whole)
    value = had.shown if had is not None and had.shown in whole else whole
    if had is None and labelled is not None and not take_whole:
        value = labelled[1]
    shown = tidy(given.get("shown", "") or value)[:MAX_SHOWN_CHARS]
    guesses = guess_types(shown, element, draft.look.page)
    code = (
        given.get("type", "")
        or (had.code if had is not None else "")
        or (guesses.guess.code if guesses.guess is not None else "")
    )
    entries: tuple[PointedEntry, ...] = ()
    taken = {one.name: one for one in draft.fields}
    name = given.get("name", "").strip() or (had.name if had is not None else "")
    kind = next((one for one in guesses.all if one.code == code), guesses.guess)
    if kind is not None:
        own = had.name if had is not None else field_name_of("pointed", taken)
        entries = ways_of(draft, had, own, kind, PointedText(element.ref, shown))
    if not name and not had:
        name = name_in_list(draft, shown)
    if not name:
        labels = [one.entry["labels"][0] for one in entries if one.entry.get("labels")]
        named = bool(find_mention(draft.look.page.title, shown))
        titles = ["title" for one in entries if one.headline == 1 or (one.headline and named)]
        near = () if entries else labels_near(draft.look.page.elements, element, shown)
        own = [labelled[0]] if labelled is not None else []
        name = field_name_of(next(chain(own, titles, labels, near), ""), taken)
    optional = had is not None and nullable(had.entry["type"])
    return Chosen(element, whole, shown, name, guesses, code, entries, had, optional)


def name_in_list(draft: SpecDraft, shown: str) -> str:
    """Return the field of the list that the record is of which says the same of it; empty: none, or it is taken."""
    found = draft.found_in
    taken = {one.name for one in draft.fields}
    same = [] if found is None else [name for name, cell in found.cells.items() if is_same_cell(cell, shown)]
    return next((name for name in same if name not in taken and name != "url"), "")


def is_same_cell(cell: str, shown: str) -> bool:
    """Return whether a list and the page of its item say the same: "#12" is 12."""
    return cell != "" and fold(bare_key(cell)) == fold(bare_key(shown))
