"""What is said of a run that was checked against its seal, by `exhibit verify` and by the console."""

from __future__ import annotations

from typing import Literal

SIGNATURE_TEXTS = {
    "by_known_key": "signed by the key you trust",
    "by_unknown_key": "signed by a key that is not known here",
    "by_other_key": "signed by another key than the one that you gave",
    "no": "not signed",
}
SealVerdict = Literal["OK", "UNDECIDED", "NOT what was sealed"]
OK_TEXT = "every file is what was sealed, none is missing and none was added"
UNDECIDED_TEXT = (
    "every file is what was sealed. Nothing was changed since; by whom it was sealed is open, as the key is not one "
    "that is known here"
)


def verdict_of(problems: int, *, stands: bool) -> SealVerdict:
    """Return what a check comes to. ``stands``: there is no problem, and the key is trusted."""
    if problems:
        return "NOT what was sealed"
    return "OK" if stands else "UNDECIDED"


def verdict_text(problems: int, *, stands: bool) -> str:
    """Return the sentence that follows the verdict."""
    if problems:
        return "1 problem" if problems == 1 else f"{problems} problems"
    return OK_TEXT if stands else UNDECIDED_TEXT


def population_text(found: int, done: int, review: int, failed: int, excepted: int, attempted: int) -> str:
    """Return the population of a run as a sum."""
    parts = f"{done} done + {review} for review + {failed} failed + {excepted} excepted"
    return f"{found} found = {parts}; {attempted} attempted"
