"""Pure: the words that people use for the state of a check, and which of the choices stands for which state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

STATES = ("pass", "fail", "pending", "neutral", "warning")

_WORDS: dict[str, tuple[str, ...]] = {
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
_NOT = re.compile(r"\b(?:no|not|non|never|without|zero|0|isn t|didn t|hasn t|won t|un)\b")
_PHRASES = {phrase: state for state, phrases in _WORDS.items() for phrase in phrases}
_ANY = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True)) + r")\b")


def bare_words(text: str) -> str:
    """Lower case, with one space for all that is no letter or digit."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def said(texts: Iterable[str]) -> tuple[str, ...]:
    """The phrases for states that stand in the texts, in order; none where something is denied, for what is then
    meant nobody knows."""
    tidied = [bare_words(text) for text in texts]
    if any(_NOT.search(text) for text in tidied if _ANY.search(text)):
        return ()
    return tuple(dict.fromkeys(found for text in tidied for found in _ANY.findall(text)))


def state_of(phrase: str) -> str | None:
    """The state that exactly this phrase stands for."""
    return _PHRASES.get(bare_words(phrase))


def states_said(phrases: Iterable[str]) -> set[str]:
    return {_PHRASES[phrase] for phrase in phrases}


def choice_for(state: str, choices: Sequence[str], phrases: Sequence[str]) -> str | None:
    """The one choice that stands for ``state``; of several (skipped, cancelled) the one that the page's own words
    name. None where none does, or which of them is open."""
    fitting = [one for one in choices if state_of(one) == state]
    if len(fitting) > 1:
        fitting = [one for one in fitting if bare_words(one) in phrases]
    return fitting[0] if len(fitting) == 1 else None


def is_about_states(question: str, choices: Sequence[str]) -> bool:
    """Whether a state answers it: the choices are states; or, without choices, it asks for one and not for a yes."""
    if choices:
        return sum(state_of(one) is not None for one in choices) >= 2
    asked = bare_words(question)
    if re.match(r"(?:is|are|was|were|does|do|did|has|have|can)\b", asked) and " or " not in asked:
        return False
    if re.search(r"\b(?:how many|how much|when|who|why|where|number|count|colou?r)\b", asked):
        return False
    return (
        bool(re.search(r"\b(?:status|state|conclusion|outcome|result)\b", asked))
        or len(states_said(_ANY.findall(asked))) > 1
    )
