"""The state that a small status icon shows, decided by three signals: colour, shape, and the words beside it.

Each signal allows some states, or says nothing. When two of them exclude each other there is no answer: a green picture
that is titled "failed" needs a person. The words that name a state are here too, and the choice that stands for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.vision.icons.pixels import Figure, PixelGrid, colour_name, figure_of, is_coloured
from services.vision.icons.shapes import shape_of

STATES = ("pass", "fail", "pending", "neutral", "warning")
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
    phrases = find_state_phrases(hints)
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
    named = states_of_phrases(phrases)
    by_words = frozenset(named) if len(named) == 1 else None
    seen = f"{colour or 'no telling colour'}, {shape or 'no known shape'}" + _phrases_text(phrases)
    if by_colour is None and by_shape is None:
        return IconReading(None, 0.0, f"the picture says nothing: {seen}", phrases)
    if sum(signal is not None for signal in (by_colour, by_shape, by_words)) < 2:
        return IconReading(None, 0.0, f"one witness is none: {seen}", phrases)
    possible = frozenset(STATES)
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


_PHRASES_OF_STATE: dict[str, tuple[str, ...]] = {
    "pass": (
        "pass", "passed", "passes", "passing", "success", "successful", "successfully", "succeeded", "succeeds",
        "ok", "okay", "green", "healthy", "approved",
    ),
    "fail": (
        "fail", "failed", "fails", "failing", "failure", "failures", "error", "errors", "errored", "red", "broken",
        "unsuccessful", "unhealthy", "rejected", "timed out",
    ),
    "pending": (
        "pending", "in progress", "queued", "running", "waiting", "expected", "scheduled", "building", "yellow",
        "amber", "loading",
    ),
    "neutral": ("neutral", "skipped", "skip", "cancelled", "canceled", "not run", "grey", "gray", "stale", "ignored"),
    "warning": ("warning", "warnings", "warn", "caution", "unstable", "attention", "action required", "orange"),
}  # fmt: skip
_NEGATION = re.compile(r"\b(?:no|not|non|never|without|zero|0|isn t|didn t|hasn t|won t|un)\b")
_STATE_OF_PHRASE = {phrase: state for state, phrases in _PHRASES_OF_STATE.items() for phrase in phrases}
_STATE_PHRASE = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, _STATE_OF_PHRASE), key=len, reverse=True)) + r")\b"
)


def normalized_words(text: str) -> str:
    """Return the text in lower case, every run of other characters than letters and digits as one space."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def find_state_phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the state phrases of the texts, in order; none when one of them is negated, which makes it ambiguous."""
    normalized = [normalized_words(text) for text in texts]
    if any(_NEGATION.search(text) for text in normalized if _STATE_PHRASE.search(text)):
        return ()
    return tuple(dict.fromkeys(found for text in normalized for found in _STATE_PHRASE.findall(text)))


def state_of(phrase: str) -> str | None:
    """Return the state that exactly this phrase stands for."""
    return _STATE_OF_PHRASE.get(normalized_words(phrase))


def states_of_phrases(phrases: Iterable[str]) -> set[str]:
    return {_STATE_OF_PHRASE[phrase] for phrase in phrases}


def choice_for(state: str, choices: Sequence[str], phrases: Sequence[str]) -> str | None:
    """Return the choice that stands for ``state``, or None when there is no single one.

    Of several (skipped, cancelled) the one is taken that occurs in ``phrases``, the words of the page.
    """
    matching = [choice for choice in choices if state_of(choice) == state]
    if len(matching) > 1:
        matching = [choice for choice in matching if normalized_words(choice) in phrases]
    return matching[0] if len(matching) == 1 else None


def is_about_states(question: str, choices: Sequence[str]) -> bool:
    """Return whether a state answers the question.

    With choices: at least two of them are states. Without: it asks for a state, not for yes or no.
    """
    if choices:
        return sum(state_of(choice) is not None for choice in choices) >= 2
    asked = normalized_words(question)
    if re.match(r"(?:is|are|was|were|does|do|did|has|have|can)\b", asked) and " or " not in asked:
        return False
    if re.search(r"\b(?:how many|how much|when|who|why|where|number|count|colou?r)\b", asked):
        return False
    return (
        bool(re.search(r"\b(?:status|state|conclusion|outcome|result)\b", asked))
        or len(states_of_phrases(_STATE_PHRASE.findall(asked))) > 1
    )
