"""Following and steering a run: its status record, its event log, and the controls of a person."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence

from shared.bus.ports import Asks
from shared.contracts.evidence import RunUnknown
from shared.contracts.questions import Question, QuestionAnswer
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
from shared.contracts.sessions.settling import Settlement, SettlementRefused, SettleSample
from shared.contracts.sessions.status import LoadStatus, RunStatus
from shared.contracts.sessions.tagging import TagRun, TagsRefused
from shared.errors import PermanentError
from shared.subjects import CONTROL_RUN, LOAD_EVENTS, LOAD_STATUS, SETTLE_SAMPLE, TAG_RUN

__all__ = ["ControlRefusedError", "RunSessions", "SettlementRefusedError", "TagsRefusedError"]

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


class TagsRefusedError(PermanentError):
    """No tag was changed; ``refused`` has all that is wrong with the request."""

    code = "tags_refused"

    def __init__(self, refused: TagsRefused) -> None:
        super().__init__("\n".join(f"{problem.where}: {problem.message}" for problem in refused.problems))
        self.refused = refused


class RunSessions:
    """Follow a run and steer it: the part of `shared.client.Client` that is about one run.

    Args:
        asks: the bus.

    Example:
        paused = await client.pause(run_id, by="ann")
        await client.resume(run_id, paused.paused_key)
    """

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def status(self, run_id: str, skip: int = 0) -> RunStatus | RunUnknown:
        """Return the status record of a run.

        Args:
            run_id: of the run.
            skip: samples of earlier pages, as ``next_skip`` of the last one; `NO_SAMPLES` for a record without any.

        Returns:
            The record with a page of samples; RunUnknown where there is no such run.

        Example:
            status = await client.status(run_id)
        """
        return await self._asks.ask(LOAD_STATUS, LoadStatus(run_id=run_id, skip=skip), timeout_s=SESSION_BOUND_S)

    async def events(self, run_id: str, since: int = 0, limit: int = 100) -> EventsLoaded | RunUnknown:
        """Return a page of the event log of a run.

        Args:
            run_id: of the run.
            since: ``next_index`` of the page before.
            limit: the most events on the page.

        Returns:
            The page; RunUnknown where there is no such run.

        Example:
            page = await client.events(run_id, since=page.next_index)
        """
        request = LoadEvents(run_id=run_id, since=since, limit=limit)
        return await self._asks.ask(LOAD_EVENTS, request, timeout_s=SESSION_BOUND_S)

    async def settle(self, request: SettleSample) -> Settlement:
        """Say what came of an irreversible press whose outcome is not known, and wait until the run is sealed again.

        The same request again changes nothing.

        Args:
            request: the sample, the verdict of a person, and the reason.

        Returns:
            What is filed of it.

        Raises:
            SettlementRefusedError: with all that is wrong with the request; nothing was changed.

        Example:
            said = SettleSample(run_id=run_id, sample_id="TCK-1", verdict="again", by="ann", reason="it is not there")
            await client.settle(said)
        """
        while True:
            reply = await self._asks.ask(SETTLE_SAMPLE, request, timeout_s=SESSION_BOUND_S)
            if isinstance(reply, SettlementRefused):
                raise SettlementRefusedError(reply)
            if reply.filed:
                return reply.settlement
            await asyncio.sleep(SETTLE_POLL_S)

    async def tag(
        self, run_id: str, add: Sequence[str] = (), remove: Sequence[str] = (), by: str = ""
    ) -> tuple[str, ...]:
        """Set and remove tags of a run. They change nothing of its evidence.

        Args:
            run_id: of the run.
            add: tags to set; those that are there stay.
            remove: tags to remove; that one is not there is no error.
            by: who does it, as the record of the tags is to say.

        Returns:
            All tags that the run has now, sorted.

        Raises:
            TagsRefusedError: with all that is wrong with the request; nothing was changed.

        Example:
            await client.tag(run_id, add=["q3"], remove=["draft"], by="ann")
        """
        request = TagRun(run_id=run_id, add=tuple(add), remove=tuple(remove), by=by)
        reply = await self._asks.ask(TAG_RUN, request, timeout_s=SESSION_BOUND_S)
        if isinstance(reply, TagsRefused):
            raise TagsRefusedError(reply)
        return reply.tags

    async def pause(self, run_id: str, by: str = "") -> RunControlled:
        """Have every sample wait before its next decision.

        Args:
            run_id: of the run.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it; ``paused_key`` names the pause.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            paused = await client.pause(run_id)
        """
        return await self.control(run_id, PauseRun(), by)

    async def resume(self, run_id: str, paused_key: str = "", by: str = "") -> RunControlled:
        """End a pause. (`Client.submit` with ``resume`` begins a new round.)

        Args:
            run_id: of the run.
            paused_key: of the pause; empty: whichever there is.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            await client.resume(run_id)
        """
        return await self.control(run_id, ResumePaused(paused_key=paused_key), by)

    async def interrupt(self, run_id: str, by: str = "") -> RunControlled:
        """End the samples at work with what they have read, and begin no other.

        Args:
            run_id: of the run.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            await client.interrupt(run_id)
        """
        return await self.control(run_id, InterruptRun(), by)

    async def close(self, run_id: str, by: str = "") -> RunControlled:
        """Begin no other sample; those at work are finished.

        Args:
            run_id: of the run.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            await client.close(run_id)
        """
        return await self.control(run_id, CloseRun(), by)

    async def message(self, run_id: str, text: str, by: str = "") -> RunControlled:
        """Tell whoever decides something: it is shown once in each sample.

        Args:
            run_id: of the run.
            text: what is told.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            await client.message(run_id, "Take the due date of the invoice.")
        """
        return await self.control(run_id, SendText(text=text), by)

    async def ask_user(self, run_id: str, questions: Sequence[Question], by: str = "") -> RunControlled:
        """Ask people something. The run goes on meanwhile.

        Args:
            run_id: of the run.
            questions: 1 to 4.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it; ``paused_key`` names the questions in the answer.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            asked = await client.ask_user(run_id, [Question(text="Which one?", options=("first", "last"))])
        """
        return await self.control(run_id, AskUser(key=uuid.uuid4().hex, questions=tuple(questions)), by)

    async def answer(self, run_id: str, key: str, answers: Sequence[QuestionAnswer], by: str = "") -> RunControlled:
        """Answer questions of `ask_user`.

        Args:
            run_id: of the run.
            key: of the questions.
            answers: to all of them, in their order.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            await client.answer(run_id, asked.paused_key, [QuestionAnswer(question="Which one?", chosen=("first",))])
        """
        return await self.control(run_id, AnswerUser(key=key, answers=tuple(answers)), by)

    async def control(self, run_id: str, control: AnyControl, by: str = "") -> RunControlled:
        """Apply a control, such as those of the other methods.

        Args:
            run_id: of the run.
            control: a message of `shared.contracts.sessions.control`.
            by: who does it, as the run is to say.

        Returns:
            What everybody is told of it.

        Raises:
            ControlRefusedError: it does not fit how the run stands; nothing was changed.

        Example:
            await client.control(run_id, PauseRun())
        """
        request = ControlRun(run_id=run_id, control_id=uuid.uuid4().hex, control=control, by=by)
        reply = await self._asks.ask(CONTROL_RUN, request, timeout_s=SESSION_BOUND_S)
        if isinstance(reply, ControlRefused):
            raise ControlRefusedError(reply)
        return reply
