"""How much was decided, or is to be decided, in words: each number has its unit. Pages, commands and papers say the
same."""

from __future__ import annotations

from collections.abc import Collection, Mapping

UNITS = {
    "sample": ("sample", "samples"),
    "value": ("value", "values"),
    "judgment": ("judgment", "judgments"),
    "population": ("population", "populations"),
    "difference": ("difference", "differences"),
}
"""The word for one, and for several, of each kind of what is decided."""
DECISIONS: Mapping[str, str] = {
    "accept": "accepted",
    "correct": "corrected",
    "reject": "rejected",
    "not_applicable": "not applicable",
}
"""What people have decided, in words, in the order in which it is counted."""


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


def act_words(act: str) -> str:
    """Return what was decided, in words, also of an act of another version."""
    return DECISIONS.get(act, act.replace("_", " "))


def decided_words(counts: Mapping[tuple[str, str], int]) -> str:
    """Return how much was decided how, as in "2 samples accepted, 31 values corrected"; empty: nothing. ``counts``: by
    the kind of what was decided, and the decision."""
    told: list[str] = []
    for act, words in DECISIONS.items():
        amount = amount_words({kind: counts.get((kind, act), 0) for kind in UNITS})
        told += [f"{amount} {words}"] if amount else []
    return ", ".join(told)
