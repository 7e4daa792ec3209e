"""How much of a flood a service takes: whoever asks too fast is held up, and what repeats is kept a few times. Pure.

Who asks is told by where the reply goes: the inbox of one connection. Nobody proves that; but whoever names another
inbox gets no reply, and all inboxes beyond `MOST_ASKERS` share one pace, so that new names gain nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

RATE, BURST = 50.0, 150.0
"""Of one asker: the cost of asks a second, and what may be asked at once after a pause."""
MOST_WAIT_S = 3.0
"""An ask that would be held up longer is refused at once: nothing piles up here."""
COSTS_AS_AN_ASK_BYTES = 1024**2
"""So many bytes of an ask cost as much again as the ask itself."""
MOST_ASKERS = 12
FORGET_S = 60.0
OTHERS = "others"
MOST_PARTS = 3
"""Parts of a reply subject that may name the connection: `_INBOX`, the user's key where there are users, its number.
The last part of all is the number of the ask."""


@dataclass
class AskPace:
    """The pace of each asker of one service. Times are seconds of one clock."""

    _due_s: dict[str, float] = field(default_factory=dict[str, float])
    """For each asker when all that was admitted has been paid for."""

    def delay_s(self, reply: str, cost: float, now_s: float) -> float | None:
        """Return how long an ask is held up; None: it is refused, and costs nothing."""
        asker = self._asker(reply, now_s)
        due_s = max(self._due_s.get(asker, now_s), now_s)
        wait_s = max(0.0, due_s + (cost - BURST) / RATE - now_s)
        if wait_s > MOST_WAIT_S:
            return None
        self._due_s[asker] = due_s + cost / RATE
        return wait_s

    def _asker(self, reply: str, now_s: float) -> str:
        name = ".".join(reply.split(".")[:-1][:MOST_PARTS])
        if name in self._due_s:
            return name
        if len(self._due_s) >= MOST_ASKERS:
            self._due_s = {one: due_s for one, due_s in self._due_s.items() if now_s - due_s < FORGET_S}
        return name if len(self._due_s) < MOST_ASKERS else OTHERS


MOST_LETTERS, LETTERS_S = 20, 60.0
"""Unsigned events that become dead letters in so many seconds. Each stays in the stream of events."""


@dataclass
class LetterLimit:
    """Which of the events that are refused unread become dead letters, and how many did not."""

    _since_s: float = 0.0
    _taken: int = 0
    left_out: int = 0

    def take(self, now_s: float) -> bool:
        """Return whether this one becomes a dead letter."""
        if now_s - self._since_s >= LETTERS_S or not self._taken:
            self._since_s, self._taken = now_s, 0
        if self._taken < MOST_LETTERS:
            self._taken += 1
            return True
        self.left_out += 1
        return False

    def tell(self) -> int:
        """Return how many were left out since this was asked last."""
        told, self.left_out = self.left_out, 0
        return told
