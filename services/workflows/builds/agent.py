"""A model in a build session: it is asked for one move after the other, and each is done like a command of a person.

It goes on until it hands over, nobody answers its question, a person does something, or a bound is met.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Protocol

from services.workflows.builds.build_store import BuildBus
from services.workflows.builds.workbench import Workbench, now_text
from shared.contracts.actions import BrowserAction, Goto
from shared.contracts.base import Usage, add_usage
from shared.contracts.building import (
    AnyBuildMove,
    AskPerson,
    BuilderPage,
    DecideBuild,
    FieldAbsent,
    HandOver,
    LeaveOut,
    OpenStart,
    PlanTodos,
    ReadElement,
    TakeAction,
    TodoFinished,
    TodoTold,
    WorkAgain,
)
from shared.contracts.questions import Question
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import AGENT, MessageWritten, ModelDecided, TodoAdded, TodoDeleted
from shared.flows.building.model_history import history_for_model
from shared.flows.building.site_acts import described_act, may_change_site
from shared.subjects import DECIDE_BUILD
from shared.task.usage_limit import run_budget

MAX_MOVES = 60
"""For one message of a person."""
MAX_PROBLEMS = 3
"""In a row."""
PAGE_CHARS = 40_000
DECIDE_TIMEOUT_S = 310.0
DO_IT, LEAVE_IT = "do it", "leave it"


class AgentSession(Protocol):
    """What the agent uses of the session that it works in."""

    async def do(self, command: builds.AnyBuildCommand) -> None: ...
    async def act(self, action: BrowserAction, *, by: str = ...) -> None: ...
    def read_element(self, field: str, ref: int, part: str = ..., *, by: str = ...) -> None: ...
    def absent(self, field: str, *, by: str = ...) -> None: ...
    def leave_out(self, step: int) -> None: ...
    def start_url(self) -> str: ...


class BuildAgent:
    """The model of one session. It decides nothing while nobody speaks to it."""

    def __init__(self, bench: Workbench, bus: BuildBus, session: AgentSession) -> None:
        self._bench, self._bus, self._session = bench, bus, session

    async def work(self, goes_on: Callable[[], bool]) -> None:
        """Ask for a move and do it, as long as ``goes_on`` holds. Raises what the planner says where no model can be
        asked."""
        problem, problems, moves = "", 0, 0
        budget = run_budget(self._bench.spec.budget)
        while goes_on():
            if used := budget.exceeded_by(self._spent()):
                self._say(f"The budget of this task is used up: {used}. Go on by hand, or raise `budget` in the spec.")
                return
            if moves == MAX_MOVES:
                self._say(f"I have made {moves} moves since you spoke, and stop here: say how to go on.")
                return
            moves += 1
            decided = await self._bus.ask(DECIDE_BUILD, self._asked(problem), timeout_s=DECIDE_TIMEOUT_S)
            tag = "" if decided.move is None else str(decided.move.__struct_config__.tag)
            self._bench.note(
                ModelDecided(at=now_text(), model=decided.model, move=tag, problem=decided.problem, usage=decided.usage)
            )
            if not goes_on():
                return  # a person has done something meanwhile: what was decided is void
            problem = decided.problem
            problems = problems + 1 if decided.move is None else 0
            if problems == MAX_PROBLEMS:
                self._say(
                    f"{MAX_PROBLEMS} of my answers could not be used, the last one because: {problem}. "
                    "Say it in other words, or do this by hand."
                )
                return
            if decided.move is not None and not await self._done(decided.move):
                return

    def _spent(self) -> Usage:
        """Return what the model has cost in this session so far."""
        return reduce(add_usage, (one.usage for one in self._bench.events if isinstance(one, ModelDecided)), Usage())

    def _asked(self, problem: str) -> DecideBuild:
        state, live = self._bench.state, self._bench.live
        page = None if live is None else live.page
        history, left_out = history_for_model(self._bench.events)
        return DecideBuild(
            spec=dict(self._bench.written),
            row=dict(state.row),
            todos=tuple(
                TodoTold(number=one.number, title=one.title, state=one.state, fields=one.fields) for one in state.todos
            ),
            current=0 if state.current is None else state.current.number,
            history=history,
            left_out=left_out,
            page=None
            if page is None
            else BuilderPage(url=page.url, title=page.title, text=page.text[:PAGE_CHARS], snapshot_id=page.snapshot_id),
            problem=problem,
            still_open=() if live is None else self._bench.open_fields(live.sample.values),
        )

    async def _done(self, move: AnyBuildMove) -> bool:
        """Do a move, and let what is refused be told to the model. Return whether to go on."""
        self._bench.is_model_acting = True
        try:
            return await self._do(move)
        finally:
            self._bench.is_model_acting = False

    async def _do(self, move: AnyBuildMove) -> bool:
        """Do a move. Return whether to go on."""
        match move:
            case PlanTodos():
                self._plan(move)
            case OpenStart():
                await self._session.act(Goto(url=self._session.start_url(), reason="where to begin"), by=AGENT)
            case TakeAction():
                return await self._act(move.action)
            case ReadElement():
                self._session.read_element(move.field, move.ref, move.text, by=AGENT)
            case FieldAbsent():
                self._session.absent(move.field, by=AGENT)
            case LeaveOut():
                self._session.leave_out(move.step)
            case TodoFinished():
                await self._session.do(builds.FinishTodo())
            case WorkAgain():
                await self._session.do(builds.ReopenTodo(number=move.number))
            case AskPerson():
                return bool(await self._bench.ask_all(move.questions))
            case HandOver():
                self._say(move.text)
                return False
        return True

    def _plan(self, move: PlanTodos) -> None:
        """Replace the TODOs that nobody has worked on."""
        state = self._bench.state
        numbers = range(state.last_number + 1, state.last_number + 1 + len(move.titles))
        old = [one.number for one in state.todos if one.state == "open" and one.number not in state.ever_done]
        fields = (*move.fields, *(() for _ in move.titles))
        for number, title, brings in zip(numbers, move.titles, fields, strict=False):
            self._bench.note(TodoAdded(at=now_text(), number=number, title=title.strip(), fields=brings))
        for number in old:
            self._bench.note(TodoDeleted(at=now_text(), number=number))

    async def _act(self, action: BrowserAction) -> bool:
        """Perform an action; one that may change the site only with a person's yes."""
        live = self._bench.need_live()
        shown = () if live.page is None else live.page.elements
        judged = await live.judged(action)
        samples = (*self._bench.finished_samples(), live.sample)
        if any(may_change_site(one, shown, samples) for one in judged):
            what = described_act(judged[0], shown)
            asked = Question(text=f"{what} may change the site. Do it?", options=(DO_IT, LEAVE_IT))
            answer = await self._bench.ask(asked)
            if not answer:
                return False
            if answer != [DO_IT]:
                self._bench.tell("act_not_wanted", details=(what,))
                return True
        await self._session.act(action, by=AGENT)
        return True

    def _say(self, text: str) -> None:
        self._bench.note(MessageWritten(at=now_text(), by=AGENT, text=text))
