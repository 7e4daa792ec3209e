"""How what is decided in a review is named and told, in commands and on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shared.contracts.sessions.reviewing import Agreement, ReviewItem

STATES = {"open": "open", "in_review": "in review", "signed_off": "signed off"}
POPULATION, DIFFERENCE, JUDGMENT = "population", "difference:", ":judgment"

DECISIONS = {
    "accept": "accepted",
    "correct": "corrected",
    "reject": "rejected",
    "not_applicable": "not applicable",
}
"""What was decided, in words, in the order in which it is counted."""

UNITS = {
    "sample": ("sample", "samples"),
    "value": ("value", "values"),
    "judgment": ("judgment", "judgments"),
    "population": ("population", "populations"),
    "difference": ("difference", "differences"),
}
"""The word for one, and for several, of each kind of what is decided."""


def unit_words(kinds: Collection[str], number: int) -> str:
    """Return the word for so many of these kinds; of several kinds together, that of cases."""
    one, several = UNITS[next(iter(kinds))] if len(set(kinds)) == 1 else ("case", "cases")
    return one if number == 1 else several


def amount_words(of_kind: Mapping[str, int]) -> str:
    """Return how much there is of each kind, as in "19 samples and the population"; empty: nothing."""
    parts = [
        f"{number} {unit_words((kind,), number)}" if kind != "population" else "the population"
        for kind, number in of_kind.items()
        if number
    ]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def decision_words(act: str) -> str:
    """Return what was decided, in words, also of an act of another version."""
    return DECISIONS.get(act, act.replace("_", " "))


def decided_words(counts: Mapping[tuple[str, str], int]) -> str:
    """Return how much was decided how, each number with its unit: "2 samples accepted, 31 values corrected".

    Args:
        counts: by the kind of what was decided, and the act.
    """
    parts = [
        (amount_words({kind: counts.get((kind, act), 0)}), told) for act, told in DECISIONS.items() for kind in UNITS
    ]
    return ", ".join(f"{amount} {told}" for amount, told in parts if amount)


def share_words(part: int, total: int, of_kind: Mapping[str, int]) -> str:
    """Return a part of all that is decided, with its unit: "6 of 19 samples". Of several kinds, each is told."""
    kinds = [kind for kind, number in of_kind.items() if number]
    if len(kinds) == 1:
        return f"{part} of {total} {unit_words(kinds, total)}"
    return f"{part} of {total} ({amount_words(of_kind)})" if kinds else f"{part} of {total}"


def item_words(item: ReviewItem) -> str:
    """Return how a command and an address name an item."""
    target = item.target
    match target.kind:
        case "value":
            return f"{target.sample_id}.{target.field}"
        case "judgment":
            return f"{target.sample_id}{JUDGMENT}"
        case "population":
            return POPULATION
        case "difference":
            return f"{DIFFERENCE}{target.key}"
        case _:
            return target.sample_id


def sample_of(words: str) -> str:
    """Return the id of the sample that an item of this name is of; empty: it is of the whole run."""
    if words == POPULATION or words.startswith(DIFFERENCE):
        return ""
    return words.removesuffix(JUDGMENT).split(".", 1)[0]


def agreement_words(told: Agreement) -> str:
    """Return what the drawn samples say, with the interval and its method."""
    if not told.decided:
        return f"none of {told.drawn} is decided yet"
    rate = (
        f"{told.agreed} of {told.decided} ({told.rate:.1%}; {told.confidence:.0%}: {told.low:.1%} to {told.high:.1%})"
    )
    within = {True: "the tolerable rate is kept", False: "the tolerable rate is not shown to be kept"}
    verdict = within.get(told.within, "") if told.within is not None else ""
    verdict = verdict or f"{told.drawn - told.decided} are open"
    return f"{rate}; {verdict}; {told.method}"
