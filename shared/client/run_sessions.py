"""Following and steering a run: its status record, its event log, and the controls of a person."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence

from shared.bus.ports import Asks
from shared.contracts.evidence import RunUnknown
from shared.contracts.sessions.control import (
    AnswerUser,
    AnyControl,
    AskUser,
    CloseRun,
    ControlRefused,
    ControlRun,
    InterruptRun,
    PauseRun,
    ResumePaused,
    RunControlled,
    SendText,
)
from shared.contracts.sessions.events import EventsLoaded, LoadEvents
from shared.contracts.sessions.questions import Question, QuestionAnswer
from shared.contracts.sessions.settling import Settlement, SettlementRefused, SettleSample
from shared.contracts.sessions.status import LoadStatus, RunStatus
from shared.errors import PermanentError
from shared.subjects import CONTROL_RUN, LOAD_EVENTS, LOAD_STATUS, SETTLE_SAMPLE

SESSION_BOUND_S = 60.0
SETTLE_POLL_S = 0.1
"""Sealing a run again takes a fraction of a second for few samples, and minutes for thousands."""


class ControlRefusedError(PermanentError):
    """The control was not applied; ``refused`` has the code and the reason."""

    code = "control_refused"

    def __init__(self, refused: ControlRefused) -> None:
        super().__init__(refused.message)
        self.refused = refused


class SettlementRefusedError(PermanentError):
    """The sample was not settled, and nothing was changed; ``refused`` has all that is wrong with the request."""

    code = "settlement_refused"

    def __init__(self, refused: SettlementRefused) -> None:
        super().__init__("\n".join(f"{problem.where}: {problem.message}" for problem in refused.problems))
        self.refused = refused


class RunSessions:
    """Each control raises ControlRefusedError where it does not fit how the run stands."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def status(self, run_id: str, skip: int = 0) -> RunStatus | RunUnknown:
        """Return the status record of a run. ``skip``: samples of earlier pages, as ``next_skip`` of the last one."""
        return await self._asks.ask(LOAD_STATUS, LoadStatus(run_id=run_id, skip=skip), timeout_s=SESSION_BOUND_S)

    async def events(self, run_id: str, since: int = 0, limit: int = 100) -> EventsLoaded | RunUnknown:
        """Return a page of the event log; its ``next_index`` is ``since`` of the next one."""
        request = LoadEvents(run_id=run_id, since=since, limit=limit)
        return await self._asks.ask(LOAD_EVENTS, request, timeout_s=SESSION_BOUND_S)

    async def settle(self, request: SettleSample) -> Settlement:
        """Say what came of an irreversible press whose outcome is not known, and wait until the run is sealed again.

        The same request again changes nothing. Raises SettlementRefusedError.
        """
        while True:
            reply = await self._asks.ask(SETTLE_SAMPLE, request, timeout_s=SESSION_BOUND_S)
            if isinstance(reply, SettlementRefused):
                raise SettlementRefusedError(reply)
            if reply.filed:
                return reply.settlement
            await asyncio.sleep(SETTLE_POLL_S)

    async def pause(self, run_id: str, by: str = "") -> RunControlled:
        """Have every sample wait before its next decision; ``paused_key`` names the pause."""
        return await self.control(run_id, PauseRun(), by)

    async def resume(self, run_id: str, paused_key: str = "", by: str = "") -> RunControlled:
        """End a pause: the one of that key, or whichever there is. (`submit` with ``resume`` begins a new round.)"""
        return await self.control(run_id, ResumePaused(paused_key=paused_key), by)

    async def interrupt(self, run_id: str, by: str = "") -> RunControlled:
        """End the samples at work with what they have read, and begin no other."""
        return await self.control(run_id, InterruptRun(), by)

    async def close(self, run_id: str, by: str = "") -> RunControlled:
        """Begin no other sample; those at work are finished."""
        return await self.control(run_id, CloseRun(), by)

    async def message(self, run_id: str, text: str, by: str = "") -> RunControlled:
        """Tell whoever decides: it is shown once in each sample."""
        return await self.control(run_id, SendText(text=text), by)

    async def ask_user(self, run_id: str, questions: Sequence[Question], by: str = "") -> RunControlled:
        """Ask 1 to 4 questions; ``paused_key`` names them in the answer."""
        return await self.control(run_id, AskUser(key=uuid.uuid4().hex, questions=tuple(questions)), by)

    async def answer(self, run_id: str, key: str, answers: Sequence[QuestionAnswer], by: str = "") -> RunControlled:
        """Answer all questions of that key, in their order."""
        return await self.control(run_id, AnswerUser(key=key, answers=tuple(answers)), by)

    async def control(self, run_id: str, control: AnyControl, by: str = "") -> RunControlled:
        """Apply a control and return what everybody is told of it."""
        request = ControlRun(run_id=run_id, control_id=uuid.uuid4().hex, control=control, by=by)
        reply = await self._asks.ask(CONTROL_RUN, request, timeout_s=SESSION_BOUND_S)
        if isinstance(reply, ControlRefused):
            raise ControlRefusedError(reply)
        return reply
