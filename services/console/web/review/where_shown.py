"""Which file of a sample shows a corrected value: its choices in words, and the one that is offered first. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.contracts.sessions.reviewing import ReviewItem, ShownWhere

NO_FILE = "-"
"""In addresses and forms: that no file of the sample was chosen. No file has this name."""
TECHNICAL = frozenset({"observation", "flow", "step", "prompt"})
"""Kinds of files that show a person nothing."""


@dataclass(frozen=True)
class FileChoice:
    """``value``: what the form sends. ``words``: what the file is, for people."""

    file: str
    value: str
    words: str


def file_choices(files: Sequence[ShownWhere], detail: Mapping[str, Any]) -> list[FileChoice]:
    """Return the files that may show a value, in words: pictures by number, pages by the step that has captured them.

    Args:
        files: of the sample, as evidence tells them.
        detail: of the sample, as `detail_of` makes it.
    """
    known = {file["name"]: file for file in detail.get("files") or ()}
    steps = {name: step["n"] for step in detail.get("steps") or () for name in step.get("files") or ()}
    pictures = [name for name, file in known.items() if file["kind"] == "screenshot"]

    def words_of(name: str) -> str:
        file = known.get(name, {})
        step = f", step {steps[name]}" if name in steps else ""
        if name in pictures:
            return f"picture {pictures.index(name) + 1}{step}"
        return f"the page{step}" if file.get("kind") == "page" else f"the file {file.get('original') or name}"

    shown = [one for one in files if known.get(one.file, {}).get("kind") not in TECHNICAL]
    choices = [FileChoice(one.file, f"{one.sha256} {one.file}", words_of(one.file)) for one in shown]
    counts = Counter(one.words for one in choices)
    told = [replace(one, words=f"{one.words} ({one.file})") if counts[one.words] > 1 else one for one in choices]
    return sorted(
        told, key=lambda one: (one.file not in pictures, pictures.index(one.file) if one.file in pictures else 0)
    )


def first_choice(choices: Sequence[FileChoice], detail: Mapping[str, Any], item: ReviewItem, last: str) -> str:
    """Return the name of the file that is offered first: what the person has chosen for the case before, if this sample
    has it; else the picture that is shown beside the case. Empty: none.

    Args:
        choices: of the sample.
        detail: of it.
        item: the case.
        last: the name that was chosen last; `NO_FILE`: none was meant; empty: nothing was chosen yet.
    """
    names = {one.file for one in choices}
    if last == NO_FILE or last in names:
        return "" if last == NO_FILE else last
    pictures = [file["name"] for file in detail.get("files") or () if file["kind"] == "screenshot"]
    return next((name for name in (item.picture, *reversed(pictures)) if name in names), "")
