"""Ends samples of which the result was refused and on which nobody works any more, so that their run ends too.

A planner that has sent its result has nothing more to do, and evidence that has refused it would wait for ever. Whether
the work is over is known from the bus, which has a mark of each command that was handled: a refused result of somebody
else ends nothing while the real work goes on. Such a sample is given up as a planner gives one up, by an event in its
turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

import msgspec

from services.evidence.ports import Store
from services.evidence.run_ledger import RunLedger
from services.evidence.state.run_state import RunState
from shared.bus.ports import Publishes, Records
from shared.contracts.codes import REASONS, Reason
from shared.contracts.planner import SampleFinished
from shared.errors import ExhibitError, PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.refused import RefusedEvent
from shared.streams import INBOX
from shared.subjects import SAMPLE_FINISHED, work_id

log = logging.getLogger(__name__)
REFUSED: Reason = "result_refused"
LOOK_EVERY_S = 2.0
LOOKS_BETWEEN_TRIES = 10
"""Events before it may take that long to be written."""
MOST_ATTEMPTS = 10
"""More than a planner makes in one round."""


class RefusedResults:
    """Samples of which a result was refused, until they have ended."""

    def __init__(self, store: Store, ledger: RunLedger, now: Callable[[], datetime]) -> None:
        self._store, self._ledger, self._now = store, ledger, now
        self._why: dict[tuple[str, str], str] = {}
        self._looks: dict[tuple[str, str], int] = {}
        self._attempts: dict[str, int] = {}

    def note_attempt(self, state: RunState, attempt: int) -> None:
        """Remember that somebody is at this attempt although evidence refuses it: no later one takes its number."""
        if attempt <= state.attempt_base + MOST_ATTEMPTS:
            self._attempts[state.record.run_id] = max(attempt, self.latest_attempt(state.record.run_id))

    def latest_attempt(self, run_id: str) -> int:
        """Return the highest attempt that was noted; 0 if none was."""
        return self._attempts.get(run_id, 0)

    def note(self, run_id: str, sample_id: str, why: str) -> None:
        """Remember that a result of this sample was refused. ``why``: for people."""
        self._why[run_id, sample_id] = why

    async def watch(self, records: Records, publishes: Publishes) -> None:
        """Give up, for ever, what has no work left. Begin with what an earlier process has refused."""
        known = False
        while True:
            try:
                if not known:
                    await self.recall()
                    known = True
                await self.give_up_lost(records, publishes)
            except ExhibitError as exc:  # the bus or the store is away: the next look finds the same
                log.info("results that were refused are looked at later: %s", exc)
            await asyncio.sleep(LOOK_EVERY_S)

    async def give_up_lost(self, records: Records, publishes: Publishes) -> None:
        """Give up each sample whose work is over. One that has ended meanwhile is forgotten."""
        for (run_id, sample_id), why in list(self._why.items()):
            state = await self._find(run_id)
            if state is None or not _is_open(state, sample_id):
                del self._why[run_id, sample_id]
                self._looks.pop((run_id, sample_id), None)
            elif await records.read(INBOX, _work_id(state, sample_id), bool) is not None:
                looks = self._looks[run_id, sample_id] = self._looks.get((run_id, sample_id), -1) + 1
                if looks % LOOKS_BETWEEN_TRIES == 0:
                    tries = 1 + looks // LOOKS_BETWEEN_TRIES
                    await publishes.publish(SAMPLE_FINISHED, await self._given_up(state, sample_id, why, tries))

    async def _find(self, run_id: str) -> RunState | None:
        try:
            return await self._ledger.find(run_id)
        except PermanentError:  # its files cannot be read, and it can be neither worked on nor closed
            return None

    async def _given_up(self, state: RunState, sample_id: str, why: str, tries: int) -> SampleFinished:
        """Return the result of an attempt that has none. Each try has another number: the bus drops what has an id that
        it knows, such as that of a refused result."""
        run_id, facts = state.record.run_id, REASONS[REFUSED]
        filed = await self._ledger.latest_attempt(run_id, sample_id)
        latest = max(filed, state.attempt_base, self.latest_attempt(run_id))
        log.warning("%s/%s: its result was refused, and nobody works on it: it is given up", run_id, sample_id)
        return SampleFinished(
            run_id=run_id,
            sample_id=sample_id,
            attempt=latest + tries,
            status=facts.status,
            reason=REFUSED,
            message=f"{facts.words}: {why}",
            fault=facts.fault,
            sample=state.samples[sample_id][0],
            flagged=True,
            started_at=self._now(),
            finished_at=self._now(),
        )

    async def recall(self) -> None:
        """Remember what an earlier process has refused."""
        for run_id in filter(layout.is_safe, await self._store.names(layout.QUARANTINE)):
            for name in await self._store.names(layout.quarantine_key(run_id)):
                one = _parse(await self._store.read(layout.quarantine_key(run_id, name)))
                if one is not None and one.event == SampleFinished.__name__:
                    self.note(run_id, one.sample_id, one.text)


def _is_open(state: RunState, sample_id: str) -> bool:
    return state.current_summary is None and sample_id in state.samples and not state.has_ended(sample_id)


def _work_id(state: RunState, sample_id: str) -> str:
    return work_id(state.record.run_id, state.samples[sample_id][0], state.attempt_base)


def _parse(data: bytes | None) -> RefusedEvent | None:
    try:
        return msgspec.json.decode(data or b"", type=RefusedEvent)
    except chain.NOT_JSON:
        return None
