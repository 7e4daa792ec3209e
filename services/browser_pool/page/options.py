"""Which of the options that a control offers is meant, and whether the control shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from shared.text.normal import fold, tidy

MAX_LISTED = 50


class Offer(msgspec.Struct, frozen=True):
    """One option. ``parts``: its pieces of text, where there are several. ``more``: it opens a submenu. ``marks``: it
    reports whether it is selected."""

    name: str
    parts: tuple[str, ...] = ()
    disabled: bool = False
    selected: bool = False
    more: bool = False
    marks: bool = False


def meant(offers: Sequence[Offer], wanted: str) -> tuple[int, ...]:
    """Return the indexes of the options that ``wanted`` names: by the whole text, without case, then by a whole piece.

    Several indexes mean that it is ambiguous. A part of a word never matches.
    """
    goal = tidy(wanted)
    for same in (
        [n for n, one in enumerate(offers) if one.name == goal],
        [n for n, one in enumerate(offers) if fold(one.name) == fold(goal)],
        [n for n, one in enumerate(offers) if goal in one.parts],
        [n for n, one in enumerate(offers) if fold(goal) in {fold(part) for part in one.parts}],
    ):
        if same and goal:
            return tuple(same)
    return ()


def listing(names: Iterable[str]) -> str:
    """Return the options in words, each once."""
    each = list(dict.fromkeys(f'"{name[:120]}"' for name in names if name))
    more = f" and {len(each) - MAX_LISTED} more" if len(each) > MAX_LISTED else ""
    return (", ".join(each[:MAX_LISTED]) + more) or "there are none"


def shows(value: str, offer: Offer) -> bool:
    """Return whether a control's text shows the option, alone or among several."""
    shown = fold(value)
    if not shown:
        return False
    for text in (offer.name, *offer.parts):
        one = fold(text)
        if one and (
            one == shown or f" {one} " in f" {_spaced(shown)} " or f" {_spaced(one)} " in f" {_spaced(shown)} "
        ):
            return True
    return False


def _spaced(text: str) -> str:
    """Replace the marks between several values, and those that remove one, by spaces."""
    return tidy("".join(" " if mark in ",;|×✕✖▼▾▲⌄\n" else mark for mark in text))


def steps(option: str) -> tuple[str, ...]:
    """Return the path through a menu (``File > Export > PDF``); one step when there is no separator."""
    return tuple(part.strip() for part in option.split(" > ") if part.strip())
