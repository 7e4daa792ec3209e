"""A client of build sessions, as tests ask one, and the task that they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from shared.contracts.actions import ByText, Click, Goto
from shared.contracts.questions import QuestionAnswer
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import BuildEvent, QuestionsAnswered
from shared.flows.building.state import BuildState, replayed
from shared.subjects import DO_IN_BUILD, FOLLOW_BUILD, OPEN_BUILD
from shared.testing.bus import MemoryBus
from tests.unit.planner.planner_pages import el, page

SPEC = {
    "task_id": "records",
    "goal": "Read it.",
    "start_url": "http://site/{number}",
    "input_schema": {"number": "string"},
    "output_schema": {"number": "string", "status": "string"},
    "identity": {"number": "{number}"},
}


GO, PRESS = (
    builds.ActOnRow(action=Goto(url="http://site/A", reason="")),
    builds.ActOnRow(action=Click(target=ByText(text="Show all"), reason="")),
)
READ = builds.ReadValue(field="status", where=("beside", "Status"))


def record(number: str) -> Any:
    """Return the page of a record of the task."""
    return page(
        el("button", "Show all"), el("definition", number, header="Number"), el("definition", "Open", header="Status")
    )


class Asker:
    """A client of one session. ``events``: that it was told."""

    def __init__(
        self,
        bus: MemoryBus,
        build_id: str,
        rows: Sequence[str] = "AB",
        *,
        agent: bool = False,
        spec: Mapping[str, Any] = SPEC,
    ) -> None:
        self.bus, self.build_id, self.agent, self.spec = bus, build_id, agent, dict(spec)
        self.rows = tuple(
            builds.BuildRow(sample_id=one, number=n, fields={"number": one}) for n, one in enumerate(rows, 1)
        )
        self.events: list[BuildEvent] = []
        self.change = -1

    async def open(self) -> builds.BuildOpened:
        reply = await self.bus.ask(
            OPEN_BUILD,
            builds.OpenBuild(build_id=self.build_id, spec=self.spec, rows=self.rows, by="ann", agent=self.agent),
        )
        assert isinstance(reply, builds.BuildOpened), reply
        self.instance_id = reply.instance_id
        return reply

    async def send(self, command: builds.AnyBuildCommand) -> tuple[str, builds.DoReply]:
        command_id = uuid4().hex
        request = builds.DoInBuild(
            build_id=self.build_id, instance_id=self.instance_id, command_id=command_id, command=command
        )
        return command_id, await self.bus.ask(DO_IN_BUILD, request)

    async def follow(self) -> builds.BuildFollowed:
        request = builds.FollowBuild(
            build_id=self.build_id, instance_id=self.instance_id, since=len(self.events), change=self.change, wait_s=20
        )
        reply = await self.bus.ask(FOLLOW_BUILD, request)
        assert isinstance(reply, builds.BuildFollowed), reply
        self.events += reply.events
        self.change = reply.change
        return reply

    async def do(self, command: builds.AnyBuildCommand) -> builds.BuildFollowed:
        """Return what is told when the command has ended, or asks something."""
        self.last, reply = await self.send(command)
        assert isinstance(reply, builds.BuildAccepted), reply
        return await self._ended()

    async def answer_and_wait(self, answers: tuple[QuestionAnswer, ...]) -> builds.BuildFollowed:
        """The same for the command that asks."""
        before = len(self.events)
        _, reply = await self.send(builds.GiveAnswers(answers=answers))
        assert isinstance(reply, builds.BuildAccepted), reply
        return await self._ended(lambda: any(isinstance(one, QuestionsAnswered) for one in self.events[before:]))

    async def until(self, ready: Callable[[], bool]) -> None:
        """Follow until something has happened."""
        while not ready():
            await self.follow()

    async def _ended(self, ready: Callable[[], bool] = lambda: True) -> builds.BuildFollowed:
        while True:
            told = await self.follow()
            if ready() and self._is_over(told):
                return told

    def _is_over(self, told: builds.BuildFollowed) -> bool:
        return (self.last in told.done and told.next == told.stored) or bool(told.questions)

    @property
    def state(self) -> BuildState:
        return replayed(self.events)
