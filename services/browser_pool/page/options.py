"""Pure: which of the choices that a control offers is meant, and whether a control shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from shared.text.normal import fold, tidy

MAX_LISTED = 50


class Offer(msgspec.Struct, frozen=True):
    """One choice. ``parts``: the pieces of text it is made of, where there are several; ``more``: it opens others;
    ``marks``: it says of itself whether it is picked."""

    name: str
    parts: tuple[str, ...] = ()
    disabled: bool = False
    selected: bool = False
    more: bool = False
    marks: bool = False


def meant(offers: Sequence[Offer], wanted: str) -> tuple[int, ...]:
    """Indexes of the choices that ``wanted`` may mean: by the whole text, then but for case, then by a whole piece
    of it. More than one is for a person to decide; a part of a word is never enough."""
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
    """The choices in words, each once."""
    each = list(dict.fromkeys(f'"{name[:120]}"' for name in names if name))
    more = f" and {len(each) - MAX_LISTED} more" if len(each) > MAX_LISTED else ""
    return (", ".join(each[:MAX_LISTED]) + more) or "there are none"


def shows(value: str, offer: Offer) -> bool:
    """Whether what a control shows is the choice: alone, or as one of several."""
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
    """Without the marks that stand between several choices, or beside one to take it away."""
    return tidy("".join(" " if mark in ",;|×✕✖▼▾▲⌄\n" else mark for mark in text))


def steps(option: str) -> tuple[str, ...]:
    """``File > Export > PDF``: the way through a menu; one step where there is none."""
    return tuple(part.strip() for part in option.split(" > ") if part.strip())
