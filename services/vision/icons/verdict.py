"""The state that a small status icon shows, decided by three signals: colour, shape, and the words beside it.

Each signal allows some states, or says nothing. When two of them exclude each other there is no answer: a green picture
that is titled "failed" needs a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.vision.icons import state_words
from services.vision.icons.colours import colour_name, is_coloured
from services.vision.icons.grid import Figure, PixelGrid, figure_of
from services.vision.icons.shapes import shape_of

STATES_OF_COLOUR: dict[str, frozenset[str]] = {
    "green": frozenset({"pass"}),
    "red": frozenset({"fail"}),
    "amber": frozenset({"pending", "warning"}),
    "orange": frozenset({"pending", "warning"}),
    "blue": frozenset({"pending"}),
    "grey": frozenset({"neutral", "pending"}),
}
STATES_OF_SHAPE: dict[str, frozenset[str]] = {
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
WITH_WORDS = 0.8
"""Confidence of one visual signal with words that agree."""


@dataclass(frozen=True)
class IconReading:
    """The verdict. ``state`` is None when it cannot be told; ``why`` is one sentence that names all three signals."""

    state: str | None
    confidence: float
    why: str
    phrases: tuple[str, ...] = ()


def read_icon(grid: PixelGrid, hints: Sequence[str]) -> IconReading:
    """Return what the icon shows; ``hints`` are the texts beside it."""
    figure = figure_of(grid)
    if figure is None:
        return IconReading(None, 0.0, "there is no figure on a plain ground")
    if figure.is_mixed:
        return IconReading(None, 0.0, "it has several colours")
    phrases = state_words.find_state_phrases(hints)
    return combine_signals(icon_colour(figure), shape_of(figure.mask), phrases)


def icon_colour(figure: Figure) -> str:
    """Return the colour that carries the state: of a white check on a badge that fills the picture, the badge's."""
    figure_name, ground_name = colour_name(figure.colour), colour_name(figure.ground)
    if not ground_name:
        return figure_name
    return ground_name if not is_coloured(figure.colour) and figure_name == "" else ""


def combine_signals(colour: str, shape: str, phrases: tuple[str, ...]) -> IconReading:
    """Return the only state that all present signals allow; at least two signals are needed."""
    by_colour, by_shape = STATES_OF_COLOUR.get(colour), STATES_OF_SHAPE.get(shape)
    named = state_words.states_of_phrases(phrases)
    by_words = frozenset(named) if len(named) == 1 else None
    seen = f"{colour or 'no telling colour'}, {shape or 'no known shape'}" + _phrases_text(phrases)
    if by_colour is None and by_shape is None:
        return IconReading(None, 0.0, f"the picture says nothing: {seen}", phrases)
    if sum(signal is not None for signal in (by_colour, by_shape, by_words)) < 2:
        return IconReading(None, 0.0, f"one witness is none: {seen}", phrases)
    possible = frozenset(state_words.STATES)
    for signal in (by_colour, by_shape, by_words):
        possible &= signal if signal is not None else possible
    if not possible:
        return IconReading(None, 0.0, f"colour, shape and words contradict each other: {seen}", phrases)
    if len(possible) > 1:
        return IconReading(None, 0.0, f"it could be {' or '.join(sorted(possible))}: {seen}", phrases)
    confidence = _confidence(by_colour, by_shape, by_words, colour, shape)
    return IconReading(next(iter(possible)), confidence, seen, phrases)


def _confidence(
    by_colour: frozenset[str] | None,
    by_shape: frozenset[str] | None,
    by_words: frozenset[str] | None,
    colour: str,
    shape: str,
) -> float:
    """Return the confidence. A dot has no meaning of its own, so it counts as a second signal only in amber."""
    seen_twice = by_colour is not None and by_shape is not None and (shape != "dot" or colour == "amber")
    if seen_twice:
        return LIKELY if by_words is None else SURE
    return WITH_WORDS if by_words is not None and by_colour is not None else WEAK


def _phrases_text(phrases: tuple[str, ...]) -> str:
    return f", beside it: {', '.join(phrases)}" if phrases else ", no words for a state beside it"
