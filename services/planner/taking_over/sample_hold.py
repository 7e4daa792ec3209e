"""Who has taken a sample over, what he asks for, and what whoever follows the sample is told.

The hold is of this process alone, as the work on the sample is: an attempt that ends takes it along. It is a lease, so
that a holder who has gone holds nothing up.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from shared.aio import wait_for_first
from shared.contracts.sessions.taking_over import (
    HOLD_S,
    MOST_WAIT_S,
    ActOn,
    FollowSample,
    HandBack,
    PressAt,
    SampleAtWork,
    SampleSteered,
    SteerRefused,
    SteerReply,
    SteerSample,
    TakeOver,
)
from shared.text.normal import tidy

NAME_CHARS, NOTE_CHARS = 60, 1000
FOLLOWED_S = 2 * MOST_WAIT_S
OVER = SteerRefused(code="not_held", message="the work on this sample has ended, or begins anew")


@dataclass
class AskedAct:
    """An act that its holder waits for."""

    by: str
    command: ActOn | PressAt
    reply: asyncio.Future[SteerReply] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def answer(self, reply: SteerReply) -> None:
        if not self.reply.done():
            self.reply.set_result(reply)


class SampleHold:
    """The hold of one attempt at a sample. ``elapsed_s``: a monotonic clock. ``why_not``: why the attempt cannot be
    taken over; empty: it can."""

    def __init__(self, elapsed_s: Callable[[], float], attempt: int, decides: str, why_not: str = "") -> None:
        self._elapsed_s, self._why_not = elapsed_s, why_not
        self._by = self._key = ""
        self._until_s = 0.0
        self._ready = False
        self._asked: deque[AskedAct] = deque()
        self._told = SampleAtWork(version=1, attempt=attempt, steps=0, decides=decides)
        self._changed = asyncio.Event()
        self._followed_s = -FOLLOWED_S
        self.number = 0
        """Of the hold, from 1: to take it again is another one."""
        self.note = ""
        """What its last holder has said to whoever goes on."""
        self.expired = False
        """Whether its last holder was not heard any more."""

    # --- for whoever asks

    async def follow(self, request: FollowSample) -> SampleAtWork:
        """Return what is done now, once it is later than what is known."""
        self._followed_s = self._elapsed_s()
        try:
            async with asyncio.timeout(min(max(request.wait_s, 0.0), MOST_WAIT_S)):
                while self._told.version <= request.known:
                    changed = self._changed
                    await changed.wait()
        except TimeoutError:
            pass
        mine = self._is_key(request.key)
        return replace(self._told, mine=mine, elements=self._told.elements if mine else ())

    async def steer(self, request: SteerSample) -> SteerReply:
        """Take the sample over, hand it back, or have an act done. An act is answered when it was done."""
        command = request.command
        if isinstance(command, TakeOver):
            return self._take(request)
        if not self._is_key(request.key):
            held = f"{self._by} holds it" if self.by else "nobody holds it"
            return SteerRefused(code="not_held", message=f"it is not yours to act on, or not any more: {held}")
        self._until_s = self._elapsed_s() + HOLD_S
        if isinstance(command, HandBack):
            self.note = tidy(command.note)[:NOTE_CHARS]
            self.end()
            return SampleSteered(message="handed back")
        if not isinstance(command, ActOn | PressAt):
            return SampleSteered(message="kept")
        if not self._ready:
            return SteerRefused(code="not_ready", message="a step is on its way: you can act when it has ended")
        asked = AskedAct(self._by, command)
        self._asked.append(asked)
        self.tell()
        return await asked.reply

    def _take(self, request: SteerSample) -> SteerReply:
        if self._why_not:
            return SteerRefused(code="not_possible", message=self._why_not)
        if self.by and not self._is_key(request.key):
            return SteerRefused(code="held", message=f"{self.by} has taken it over")
        if not self.by:
            self.number += 1
        self._by, self._key = tidy(request.by)[:NAME_CHARS] or "unnamed", request.key
        self._until_s = self._elapsed_s() + HOLD_S
        self.tell(held_by=self._by)
        return SampleSteered(message="yours" if self._ready else "yours, when the step that is on its way has ended")

    def _is_key(self, key: str) -> bool:
        return bool(self.by) and bool(key) and hmac.compare_digest(key.encode(), self._key.encode())

    # --- for the work on the sample

    @property
    def is_followed(self) -> bool:
        """Whether somebody wants to know what the page has."""
        return self._elapsed_s() - self._followed_s < FOLLOWED_S

    @property
    def by(self) -> str:
        """Who holds it; empty: nobody, or nobody who was heard."""
        if self._by and self._elapsed_s() >= self._until_s:
            self.expired = True
            self.end()
        return self._by

    def begin(self) -> None:
        """Its holder may act from now on."""
        self.note, self.expired, self._ready = "", False, True
        self.tell(ready=True)

    async def next_act(self, within_s: float) -> AskedAct | None:
        """Return what its holder asks for next; None where he has asked for nothing within the time, or there is none
        any more."""
        until_s = asyncio.get_running_loop().time() + within_s
        while self.by and not self._asked:
            left_s = until_s - asyncio.get_running_loop().time()
            if left_s <= 0:
                return None
            await wait_for_first(self._changed.wait(), timeout_s=left_s)
        return self._asked.popleft() if self._asked else None

    def end(self) -> None:
        """End the hold: nothing that was asked for is done any more."""
        self._by = self._key = ""
        self._ready = False
        while self._asked:
            self._asked.popleft().answer(OVER)
        self.tell(held_by="", ready=False)

    def tell(self, **news: object) -> None:
        """Tell whoever follows what has changed; the fields of `SampleAtWork`."""
        self._told = replace(self._told, version=self._told.version + 1, **news)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
