"""What a mutant is: one fragment of a module that is written otherwise, so that a promise breaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """``before`` stands in its module exactly once. ``promise``: what the change breaks. ``equal``: why no test can
    tell the difference; empty: some test must."""

    before: str
    after: str
    promise: str
    equal: str = ""


@dataclass(frozen=True)
class Module:
    """A module that decides. ``tests``: files and folders below tests/ that are tried first; then their folders."""

    path: str
    tests: tuple[str, ...]
    mutants: tuple[Mutant, ...]


def changed(text: str, mutant: Mutant) -> str:
    """Return the text of the module with the change. Raises ValueError unless the fragment stands there once."""
    found = text.count(mutant.before)
    if found != 1:
        raise ValueError(f"it has {found} times: {mutant.before}")
    return text.replace(mutant.before, mutant.after)


def line_of(text: str, mutant: Mutant) -> int:
    """Return the first line that differs, from 1."""
    return text[: text.index(mutant.before)].count("\n") + _same_lines(mutant) + 1


def _same_lines(mutant: Mutant) -> int:
    """Return how many lines at the beginning of the fragment stay: they only say which place is meant."""
    before, after = mutant.before.split("\n"), mutant.after.split("\n")
    return next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
