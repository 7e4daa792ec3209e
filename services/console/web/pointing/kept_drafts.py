"""Where the specs are kept that somebody makes by pointing: in the server, until it ends or others take their place."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from services.console.web.pointing.spec_drafts import SpecDraft

MOST_DRAFTS, MOST_BYTES = 8, 120_000_000


@dataclass
class SpecDrafts:
    """The drafts of a server. The oldest go where there are too many."""

    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a draft is changed."""
    looking: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    """Held while pages are opened. To look at one or to learn takes one browser session, a try one for each row."""
    _drafts: dict[str, SpecDraft] = field(default_factory=dict[str, SpecDraft])

    def get(self, draft_id: str) -> SpecDraft | None:
        return self._drafts.get(draft_id)

    def newest(self, person: str = "") -> tuple[SpecDraft, ...]:
        """Return those of a person, or of everybody, the newest first."""
        return tuple(one for one in reversed(self._drafts.values()) if person in ("", one.person))

    def put(self, draft: SpecDraft) -> None:
        self._drafts.pop(draft.draft_id, None)
        self._drafts[draft.draft_id] = draft
        mine = [one.draft_id for one in self._drafts.values() if one.person == draft.person]
        for old in mine[: max(0, len(mine) - MOST_DRAFTS)]:
            del self._drafts[old]
        while len(self._drafts) > 1 and self._bytes > MOST_BYTES:
            del self._drafts[next(iter(self._drafts))]

    @property
    def _bytes(self) -> int:
        return sum(len(shot.data) for one in self._drafts.values() for shot in one.shots)
