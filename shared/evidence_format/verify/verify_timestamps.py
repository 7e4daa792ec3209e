"""Checks the timestamp tokens of a run: each is of the seal of its round, and of the authority that was given."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shared.evidence_format.layout import ROUNDS, SEAL, TIMESTAMPS, timestamp_path
from shared.evidence_format.seals.timestamp import (
    BadToken,
    Timestamp,
    TimestampAuthority,
    can_read_tokens,
    read_timestamp,
)
from shared.evidence_format.sources.source import Finding
from shared.extras import missing_extra

_NUMBER = re.compile(rf"{re.escape(TIMESTAMPS)}/([1-9][0-9]{{0,5}})\.tsr")


@dataclass
class TimestampCheck:
    """``found``: what the tokens say, by round. ``paths``: of all files that are in the place of a token, also of wrong
    ones. ``notes``: for people."""

    problems: list[Finding] = field(default_factory=list[Finding])
    found: dict[int, Timestamp] = field(default_factory=dict[int, Timestamp])
    paths: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def check_timestamps(
    read: Callable[[str], bytes | None], paths: Sequence[str], rounds: int, authority: TimestampAuthority | None
) -> TimestampCheck:
    """Check all tokens of a run.

    Args:
        read: returns a file of the run.
        paths: of all files of the run, or those where tokens are.
        rounds: how many times the run was sealed.
        authority: whom to believe; None: tokens are only compared with the seals.
    """
    checked = TimestampCheck()
    numbered = {number: path for path in paths if (number := _round_of(path)) is not None and number <= rounds}
    checked.paths = list(numbered.values())
    if numbered and not can_read_tokens():
        checked.notes.append(f"{len(numbered)} timestamps were not checked: {missing_extra('tsa')}")
        return checked
    for number, path in sorted(numbered.items()):
        try:
            seal = read(SEAL if number == rounds else f"{ROUNDS}/{number}/{SEAL}")
            checked.found[number] = read_timestamp(read(path) or b"", seal or b"", authority)
        except BadToken as exc:
            message = f"is no timestamp of the seal of round {number}: {exc}"
            checked.problems.append(Finding(path, "timestamp_wrong", message))
    checked.notes += [_told(number, one) for number, one in checked.found.items()]
    if authority is not None and timestamp_path(rounds) not in paths:
        checked.notes.append(
            f"no timestamp of the seal of round {rounds}: only the sealing machine says when it was made"
        )
    return checked


def _round_of(path: str) -> int | None:
    named = _NUMBER.fullmatch(path)
    return int(named[1]) if named is not None else None


def _told(number: int, one: Timestamp) -> str:
    told = f"round {number} was sealed by {one.at:%Y-%m-%d %H:%M:%S} UTC at the latest, as {one.by} says"
    return told if one.checked else f"{told}; not checked: name the authority's certificates with --tsa-certificate"
