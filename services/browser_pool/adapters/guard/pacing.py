"""Politeness over all pools, through shared records with compare-and-set. The decisions are in `politeness`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from services.browser_pool.safety import politeness
from services.browser_pool.safety.politeness import Pace, PaceGrant, PaceLimits, Pause, registrable_domain
from shared.aio import BackgroundTasks
from shared.bus.ports import Records
from shared.errors import ExhibitError
from shared.streams import SITE_PACE, SITE_PAUSES, Bucket

log = logging.getLogger(__name__)

RecordT = TypeVar("RecordT", Pace, Pause)

LONGEST_WAIT_S = 60.0
"""Below the deadline of an action, so that its caller gets a reason."""
LOOK_AGAIN_S = (0.05, 0.3)
"""Random interval, in seconds, between two checks for a free slot, so that pools do not check at the same time."""


@dataclass(frozen=True)
class Admission:
    """Whether a document may be requested now. ``reason`` says why not; ``slot`` is held until the answer, where a
    maximum in flight is set."""

    ok: bool
    waited_s: float = 0.0
    reason: str = ""
    slot: str = ""


class Pacing:
    """Paces the documents of this process, together with all pools. ``now`` is the time of day in seconds."""

    def __init__(
        self,
        records: Records | None,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        *,
        longest_wait_s: float = LONGEST_WAIT_S,
        hold_s: float = 35.0,
    ) -> None:
        """Prepare pacing. A document in flight counts for at most ``hold_s``. Without ``records`` nothing is paced."""
        self.now, self.sleep = now, sleep
        self._records = records
        self._longest_wait_s, self._hold_s = longest_wait_s, hold_s
        self._pauses: dict[str, Pause] = {}
        self._updates = BackgroundTasks()

    async def start(self) -> None:
        """Follow the pauses that other pools record."""
        if self._records is not None:
            await self._records.watch(SITE_PAUSES, Pause, self._pauses.__setitem__)

    async def admit(self, domain: str, limits: PaceLimits, owner: str) -> Admission:
        """Wait until a document of ``domain`` may be requested.

        Without a limit and without a pause, the bus is not used.
        """
        began = self.now()
        deadline = began + self._longest_wait_s
        while self._records is not None and domain:
            pause = await self._pause(domain)
            if pause.until > deadline:
                return self._refused(f"{domain} asked to be left alone for {pause.until - self.now():.0f} s more")
            if pause.until > self.now():
                await self.sleep(pause.until - self.now())
                continue
            allowed = politeness.limits_now(limits, pause)
            if not allowed.any:
                break
            turn = await self._take_turn(domain, allowed, owner, deadline)
            slot = owner if allowed.max_in_flight else ""
            if isinstance(turn, Admission):
                return turn
            if turn is not None and await self._await_turn(turn.go_at, domain, slot):
                return Admission(True, self.now() - began, slot=slot)
            if turn is None and self.now() >= deadline:
                return self._refused(f"{domain} has as many pages on their way as it may")
            if turn is None:
                await self.sleep(random.uniform(*LOOK_AGAIN_S))
        return Admission(True, self.now() - began)

    async def _await_turn(self, go_at: float, domain: str, slot: str) -> bool:
        """Wait until ``go_at`` and return whether the domain is not paused by then; the slot is
        given back otherwise."""
        taken = False
        try:
            await self.sleep(max(go_at - self.now(), 0.0))
            taken = self._pauses[domain].until <= self.now()
        finally:
            if slot and not taken:
                self._update(self._give_back(domain, slot))
        return taken

    def _refused(self, why: str) -> Admission:
        return Admission(False, 0.0, f"{why}, and our turn does not come within {self._longest_wait_s:g} s")

    async def _take_turn(
        self, domain: str, limits: PaceLimits, owner: str, deadline: float
    ) -> PaceGrant | Admission | None:
        """Take a turn; None while there is none, a refusal when it would come too late."""
        late = False

        def changed(pace: Pace) -> Pace | None:
            nonlocal granted, late
            granted = politeness.take(pace, limits, owner, now=self.now(), hold_s=self._hold_s)
            late = granted is not None and granted.go_at > deadline
            return None if granted is None or late else granted.pace

        granted: PaceGrant | None = None
        await self._change(SITE_PACE, domain, Pace, changed)
        if late:
            return self._refused(f"so many pages of {domain} wait for their turn that fewer samples at a time would do")
        return granted

    def record_answer(self, domain: str, slot: str, status: int | None, retry_after: str | None) -> None:
        """Record a document's answer, in the background. ``status`` None: no answer came."""
        if self._records is None or not domain:
            return
        if slot:
            self._update(self._give_back(domain, slot))
        if status is None or (domain not in self._pauses and status not in politeness.TOO_BUSY):
            return
        wait_s = politeness.retry_after_s(retry_after, now=self.now())
        after = politeness.after_answer(self._pauses.get(domain, Pause()), status, wait_s, now=self.now())
        if after is not None:
            log.info("%s answered %d: left alone for %.1f s", domain, status, max(after.until - self.now(), 0.0))
            self._pauses[domain] = after
            self._update(self._tell(domain, status, wait_s))

    async def _tell(self, domain: str, status: int, wait_s: float | None) -> None:
        await self._change(
            SITE_PAUSES, domain, Pause, lambda known: politeness.after_answer(known, status, wait_s, now=self.now())
        )

    async def _give_back(self, domain: str, slot: str) -> None:
        await self._change(SITE_PACE, domain, Pace, lambda pace: _unless_equal(politeness.give_back(pace, slot), pace))

    async def _pause(self, domain: str) -> Pause:
        """Return the pause last heard of. A pause from before this process started is read once per domain."""
        if domain not in self._pauses:
            assert self._records is not None
            stored = await self._records.read(SITE_PAUSES, domain, Pause)
            self._pauses.setdefault(domain, stored or Pause())
        return self._pauses[domain]

    async def _change(
        self, bucket: Bucket, domain: str, type_: type[RecordT], change: Callable[[RecordT], RecordT | None]
    ) -> None:
        """Modify the domain's record, or an empty one. Nothing is written when ``change`` returns None."""
        assert self._records is not None
        await self._records.modify(bucket, domain, type_, lambda stored: change(stored or type_()))

    def pause_s(self, domain: str) -> float:
        return max(self._pauses.get(domain, Pause()).until - self.now(), 0.0)

    def _update(self, work: Coroutine[Any, Any, None]) -> None:
        self._updates.start(_run_logged(work))

    async def drain(self) -> None:
        """Wait until all answers are recorded."""
        await self._updates.drain()


class SessionPace:
    """The documents of one session, under its limits."""

    def __init__(self, pacing: Pacing, limits: PaceLimits, session_id: str) -> None:
        self._pacing, self._limits, self._session_id = pacing, limits, session_id
        self._count = 0
        self._paid: set[str] = set()
        self._slots: defaultdict[str, list[str]] = defaultdict(list)

    async def admit(self, url: str, *, ahead: bool = False) -> Admission:
        """Wait until the document at ``url`` may be requested.

        ``ahead``: interception will ask again for the same document, which must not wait twice.
        """
        domain = registrable_domain(url)
        if not ahead and domain in self._paid:
            self._paid.discard(domain)
            return Admission(True)
        self._count += 1
        admission = await self._pacing.admit(domain, self._limits, f"{self._session_id}/{self._count}")
        if admission.slot:
            self._slots[domain].append(admission.slot)
        if admission.ok and ahead:
            self._paid.add(domain)
        return admission

    def record_answer(self, url: str, status: int | None, retry_after: str | None = None) -> None:
        """Record that the document at ``url`` was answered, or never will be (``status`` None)."""
        domain = registrable_domain(url)
        self._paid.discard(domain)
        slots = self._slots.get(domain)
        self._pacing.record_answer(domain, slots.pop(0) if slots else "", status, retry_after)

    def pause_s(self, url: str) -> float:
        """Return how long the domain of ``url`` stays paused, as far as is known here."""
        return self._pacing.pause_s(registrable_domain(url))

    def end(self) -> None:
        """Free the slots of documents without an answer."""
        for domain, slots in self._slots.items():
            for slot in slots:
                self._pacing.record_answer(domain, slot, None, None)
        self._slots.clear()


def _unless_equal(changed: RecordT, before: RecordT) -> RecordT | None:
    return None if changed == before else changed


async def _run_logged(work: Coroutine[Any, Any, None]) -> None:
    """Run an update. A lost one makes a site be asked a little early, and fails no sample."""
    with contextlib.suppress(asyncio.CancelledError):
        try:
            await work
        except ExhibitError as exc:
            log.warning("what a site answered could not be shared: %s", exc)
