"""Words that name the state of a check, and the choice that stands for a state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

STATES = ("pass", "fail", "pending", "neutral", "warning")

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
