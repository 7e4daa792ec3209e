"""Who reviews a run and who must sign, as the key ``review`` of its task says. It is sealed with the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shared.contracts.discovery import RunRecord
from shared.contracts.sessions.reviewing import ReviewRole


@dataclass(frozen=True)
class ReviewPerson:
    """``key``: the fingerprint of the public key that the person signs with."""

    name: str
    role: ReviewRole
    key: str


@dataclass(frozen=True)
class ReviewPolicy:
    """``reviewers``: how many must sign. ``people``: all who may take part; none: the task does not say, so that
    anybody reviews, with the key that is first used under a name, and one signature is enough. ``preparer``: who has
    requested the run."""

    reviewers: int = 1
    people: tuple[ReviewPerson, ...] = ()
    preparer: str = ""

    @classmethod
    def of(cls, record: RunRecord) -> ReviewPolicy:
        written: Mapping[str, Any] = record.spec.get("review") or {}
        people = tuple(
            ReviewPerson(str(one.get("name", "")), one.get("role", "reviewer"), str(one.get("key", "")).lower())
            for one in written.get("people") or ()
        )
        return cls(int(written.get("reviewers") or 1), people, record.requested_by)

    @property
    def approvers(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.people if one.role == "approver")

    def person(self, name: str) -> ReviewPerson | None:
        return next((one for one in self.people if one.name == name), None)

    def role_of(self, name: str) -> ReviewRole | Literal[""]:
        """Return the role of a person; empty for somebody whom the task does not name."""
        if not self.people:
            return "reviewer"
        if name == self.preparer:  # four eyes, whatever else the task calls him
            return "preparer"
        known = self.person(name)
        return known.role if known is not None else ""
