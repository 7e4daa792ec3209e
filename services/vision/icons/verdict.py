"""Pure: the state that a small status icon shows, told by colour, shape and the words beside it.

Each of the three says which states it may stand for, or nothing. Where two of them contradict each other there is
no answer: a green picture that is titled "failed" is for a person to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.vision.icons import state_words
from services.vision.icons.colours import is_coloured, named
from services.vision.icons.grid import Figure, Grid, figure_of
from services.vision.icons.shapes import shape_of

OF_COLOUR: dict[str, frozenset[str]] = {
    "green": frozenset({"pass"}),
    "red": frozenset({"fail"}),
    "amber": frozenset({"pending", "warning"}),
    "orange": frozenset({"pending", "warning"}),
    "blue": frozenset({"pending"}),
    "grey": frozenset({"neutral", "pending"}),
}
OF_SHAPE: dict[str, frozenset[str]] = {
    "check": frozenset({"pass"}),
    "cross": frozenset({"fail"}),
    "dash": frozenset({"neutral"}),
    "slashed circle": frozenset({"neutral"}),
    "warning triangle": frozenset({"warning"}),
    "exclamation mark": frozenset({"fail", "warning"}),
    "dot": frozenset({"pass", "fail", "pending", "neutral"}),
    "ring": frozenset({"pending"}),
    "spinner": frozenset({"pending"}),
    "clock": frozenset({"pending"}),
}
SURE, LIKELY, WEAK = 0.95, 0.85, 0.5
TITLED = 0.8
"""A colour or a shape alone, with words that agree."""


@dataclass(frozen=True)
class Reading:
    """``state`` None: it cannot be told. ``why`` is one sentence that names colour, shape and words."""

    state: str | None
    confidence: float
    why: str
    phrases: tuple[str, ...] = ()


def read_icon(grid: Grid, hints: Sequence[str]) -> Reading:
    """What the icon shows; ``hints`` are texts beside it."""
    figure = figure_of(grid)
    if figure is None:
        return Reading(None, 0.0, "there is no figure on a plain ground")
    if figure.is_mixed:
        return Reading(None, 0.0, "it has several colours")
    phrases = state_words.said(hints)
    return judged(colour_of(figure), shape_of(figure.mask), phrases)


def colour_of(figure: Figure) -> str:
    """Of a white check on a green badge that fills the picture, the ground has the colour that speaks."""
    own, grounds = named(figure.colour), named(figure.ground)
    if not grounds:
        return own
    return grounds if not is_coloured(figure.colour) and own == "" else ""


def judged(colour: str, shape: str, phrases: tuple[str, ...]) -> Reading:
    """Pure verdict on three witnesses."""
    by_colour, by_shape = OF_COLOUR.get(colour), OF_SHAPE.get(shape)
    told = state_words.states_said(phrases)
    by_title = frozenset(told) if len(told) == 1 else None
    seen = f"{colour or 'no telling colour'}, {shape or 'no known shape'}" + _quoted(phrases)
    if by_colour is None and by_shape is None:
        return Reading(None, 0.0, f"the picture says nothing: {seen}", phrases)
    if sum(witness is not None for witness in (by_colour, by_shape, by_title)) < 2:
        return Reading(None, 0.0, f"one witness is none: {seen}", phrases)
    possible = frozenset(state_words.STATES)
    for witness in (by_colour, by_shape, by_title):
        possible &= witness if witness is not None else possible
    if not possible:
        return Reading(None, 0.0, f"colour, shape and words contradict each other: {seen}", phrases)
    if len(possible) > 1:
        return Reading(None, 0.0, f"it could be {' or '.join(sorted(possible))}: {seen}", phrases)
    confidence = _confidence(by_colour, by_shape, by_title, colour, shape)
    return Reading(next(iter(possible)), confidence, seen, phrases)


def _confidence(
    by_colour: frozenset[str] | None,
    by_shape: frozenset[str] | None,
    by_title: frozenset[str] | None,
    colour: str,
    shape: str,
) -> float:
    """A dot says by itself only that there is a state: only amber, or words, make it sure."""
    seen_twice = by_colour is not None and by_shape is not None and (shape != "dot" or colour == "amber")
    if seen_twice:
        return LIKELY if by_title is None else SURE
    return TITLED if by_title is not None and by_colour is not None else WEAK


def _quoted(phrases: tuple[str, ...]) -> str:
    return f", beside it: {', '.join(phrases)}" if phrases else ", no words for a state beside it"
