"""The list of all seals of a folder or bucket: a hash chain that is only ever added to, to be published.

Each line is one JSON object, chained to the line before it (`shared.evidence_format.chain`). Whoever has an earlier
copy can tell that no seal was taken away, exchanged or put in between since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec

from shared.evidence_format import chain
from shared.evidence_format.layout import ROUNDS, SEAL
from shared.evidence_format.seals.listed import ListedSeal, ReadFile, read_seals
from shared.evidence_format.sources.source import Finding

FORMAT = "exhibit-seals/1"


class BadList(Exception):
    """A file is no list of seals, or not as it was written. The message names the line."""


@dataclass(frozen=True)
class SealList:
    """A list that is whole. ``numbers``: of the lines, from 1, by run and round. ``head``: the hash of the last
    line."""

    seals: tuple[ListedSeal, ...]
    head: str

    @cached_property
    def numbers(self) -> Mapping[tuple[str, int], int]:
        return {one.place: number for number, one in enumerate(self.seals, 1)}

    @classmethod
    def parse(cls, data: bytes) -> SealList:
        """Return the list of a file; an empty file is an empty list. Raises BadList."""
        if data and not data.endswith(b"\n"):
            raise BadList(f"its last line, {len(data.splitlines())}, is cut off")
        entries: list[Any] = []
        seals: list[ListedSeal] = []
        for number, line in enumerate(data.splitlines(), 1):
            try:
                entry = chain.parse_exactly(line)
                seals.append(msgspec.json.decode(line, type=ListedSeal))
            except chain.NOT_JSON as exc:
                raise BadList(f"line {number} is no seal") from exc
            if not isinstance(entry, dict) or entry.get("number") != number:  # pyright: ignore[reportUnknownMemberType]
                raise BadList(f"line {number} has another number")
            entries.append(entry)
        head, broken = chain.follow_chain(entries, chain.start_hash(format=FORMAT))
        if broken is not None:
            raise BadList(f"the chain is broken at line {broken}: a line was changed, removed or put in there")
        listed = cls(tuple(seals), head)
        if len(listed.numbers) != len(seals):
            raise BadList("it has a seal of one round of one run twice")
        return listed


@dataclass(frozen=True)
class Grown:
    """What a list gets. ``lines``: to be written at its end. ``problems``: of seals that are listed and are not there,
    or are others now; for people."""

    added: tuple[ListedSeal, ...]
    lines: bytes
    problems: list[str] = field(default_factory=list[str])


def grow(listed: SealList, found: Iterable[ListedSeal]) -> Grown:
    """Return what is to be added for all seals of the place that the list is of, the earliest first."""
    there = {one.place: one for one in found}
    added = sorted((one for place, one in there.items() if place not in listed.numbers), key=_age)
    lines, head = list[bytes](), listed.head
    for number, one in enumerate(added, len(listed.seals) + 1):
        entry = chain.with_hashes({"number": number, **msgspec.to_builtins(one)}, head)
        head = entry[chain.OWN]
        lines.append(msgspec.json.encode(entry) + b"\n")
    problems = [
        f"line {number}: the seal of round {one.round} of {one.run_id} {_lack(there.get(one.place))}"
        for number, one in enumerate(listed.seals, 1)
        if there.get(one.place) != one
    ]
    return Grown(tuple(added), b"".join(lines), problems)


def _age(one: ListedSeal) -> tuple[datetime, str, int]:
    return one.sealed_at, one.run_id, one.round


def _lack(now: ListedSeal | None) -> str:
    return "is not there any more" if now is None else "is another one now"


def compare_with_list(read: ReadFile, run_id: str, listed: SealList) -> list[Finding]:
    """Return how the seals of a run differ from the list: one that is not in it, is another one, or was taken away."""
    problems: list[Finding] = []
    seals = read_seals(read)
    for at, one in enumerate(seals, 1):
        path = SEAL if at == len(seals) else f"{ROUNDS}/{one.round}/{SEAL}"
        number = listed.numbers.get(one.place)
        if number is None:
            problems.append(Finding(path, "not_as_listed", "is not in the list of seals"))
        elif listed.seals[number - 1] != one:
            problems.append(Finding(path, "not_as_listed", f"is another one than line {number} of the list has"))
    there = {one.place for one in seals}
    return problems + [
        Finding(SEAL, "not_as_listed", f"of round {one.round} was taken away: line {number} of the list has it")
        for number, one in enumerate(listed.seals, 1)
        if one.run_id == run_id and one.place not in there
    ]
