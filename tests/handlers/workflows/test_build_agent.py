"""A model in a build session: its moves are done like those of a person, who is asked, corrects it, and takes over."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from services.workflows.build_handlers import build_actor
from services.workflows.builds.agent import DO_IT, LEAVE_IT, MAX_PROBLEMS
from services.workflows.builds.build_sessions import BuildSessions
from shared.bus.actor import Actor
from shared.contracts.actions import ByCss, ByRef, ByText, Click, Goto
from shared.contracts.base import Usage
from shared.contracts.building import (
    AnyBuildMove,
    AskPerson,
    BuildDecided,
    DecideBuild,
    HandOver,
    LeaveOut,
    OpenStart,
    PlanTodos,
    ReadElement,
    TakeAction,
    TodoFinished,
    WorkAgain,
)
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.results import Locator
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import (
    ActionRecorded,
    BuildEvent,
    MessageWritten,
    ModelDecided,
    QuestionsAnswered,
    Told,
    ValueRecorded,
)
from shared.subjects import DECIDE_BUILD
from shared.testing.bus import MemoryBus
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.handlers.workflows.build_asker import SPEC, Asker
from tests.unit.planner.planner_pages import el, page

BY_VIEW, BY_SEND = (Locator(kind="css", value=css, matches=1) for css in ("a.view", "button.send"))
PAGE = page(
    el("link", "View", url="http://site/A", fingerprint="f1", locators=(BY_VIEW,)),
    el("button", "Send order", fingerprint="f2", locators=(BY_SEND,)),
    el("definition", "A", header="Number"),
    el("definition", "Open", header="Status"),
    el("link", "More", url="http://site/A"),
)
Decided = AnyBuildMove | Callable[[DecideBuild], AnyBuildMove] | str
COST_USD = 0.25
VIEW, SEND, NUMBER, STATUS, MORE = 1, 2, 3, 4, 5


@dataclass
class Decider:
    """Decides by a list of moves. ``asked``: what it was shown."""

    moves: list[Decided] = field(default_factory=list)
    asked: list[DecideBuild] = field(default_factory=list[DecideBuild])
    meanwhile: Callable[[], Awaitable[None]] | None = None
    """What happens while an answer is awaited."""


planner: Actor[Decider] = Actor("planner")


@planner.answers(DECIDE_BUILD)
async def decide(request: DecideBuild, deps: Decider) -> BuildDecided:
    deps.asked.append(request)
    if deps.meanwhile is not None:
        happens, deps.meanwhile = deps.meanwhile, None
        await happens()
    move = deps.moves.pop(0)
    if isinstance(move, str):
        return BuildDecided(model="scripted", problem=move)
    return BuildDecided(
        model="scripted", move=move(request) if callable(move) else move, usage=Usage(llm_calls=1, cost_usd=COST_USD)
    )


def click(ref: int) -> Callable[[DecideBuild], AnyBuildMove]:
    """Return the click on an element of the page that was shown."""

    def decided(asked: DecideBuild) -> TakeAction:
        assert asked.page is not None
        return TakeAction(action=Click(target=ByRef(ref=ref, snapshot_id=asked.page.snapshot_id), reason="as asked"))

    return decided


@dataclass
class Talk:
    """A session in which a model works, on a page of one row."""

    asker: Asker
    model: Decider
    pool: ScriptedPool

    async def say(
        self, text: str, *moves: AnyBuildMove | Callable[[DecideBuild], AnyBuildMove] | str
    ) -> builds.BuildFollowed:
        self.model.moves = list(moves)
        return await self.asker.do(builds.SayText(text=text))

    async def answer(self, *chosen: str) -> builds.BuildFollowed:
        questions = self.asker.state.asking
        answers = tuple(
            QuestionAnswer(question=one.text, chosen=(text,)) for one, text in zip(questions, chosen, strict=True)
        )
        return await self.asker.answer_and_wait(answers)

    def acts(self, events: Sequence[BuildEvent]) -> list[tuple[str, str]]:
        """Return the actions among events, and whose they are."""
        return [(one.action, one.by) for one in events if isinstance(one, ActionRecorded)]

    @property
    def clicked(self) -> list[int]:
        return [getattr(one.target, "ref", 0) for one in self.pool.actions if isinstance(one, Click)]

    @property
    def said(self) -> list[str]:
        return [one.text for one in self.asker.events if isinstance(one, MessageWritten) and one.by == "agent"]


@dataclass
class Deps:
    builds: BuildSessions


@pytest_asyncio.fixture
async def talk() -> AsyncGenerator[Talk]:
    bus, site, model = MemoryBus(), ScriptedPool({"http://site/A": [PAGE]}), Decider()
    sessions = BuildSessions(bus, "process1")
    bus.host(pool, site)
    bus.host(planner, model)
    bus.host(build_actor, Deps(sessions))
    asker = Asker(bus, "one", rows=("A",), agent=True)
    await asker.open()
    await asker.do(builds.BeginWork())
    yield Talk(asker, model, site)
    await sessions.close()


PLAN = PlanTodos(titles=("Open it", "View it", "Read it"), fields=((), (), ("number", "status")))
DONE = HandOver(text="All is done.")


async def test_todos_are_planned_and_done_and_their_values_read(talk: Talk):
    await talk.say(
        "open it and read both", PLAN, OpenStart(), TodoFinished(), click(VIEW), TodoFinished(),
        ReadElement(field="number", ref=NUMBER), ReadElement(field="status", ref=STATUS, text="open"), TodoFinished(),
        DONE,
    )  # fmt: skip
    state = talk.asker.state
    assert [(one.title, one.state) for one in state.todos] == [
        ("Open it", "done"),
        ("View it", "done"),
        ("Read it", "done"),
    ]
    assert state.row_done
    numbers = [one.number for one in state.todos]
    assert state.steps == {numbers[0]: (1,), numbers[1]: (2,)}
    assert state.values == {numbers[2]: ("number", "status")}
    shown = [one.shown for one in talk.asker.events if isinstance(one, ValueRecorded)]
    assert shown == ["A", "Open"]  # in the letters of the page, and not in those of the model
    assert talk.said == ["All is done."]
    assert [one.still_open for one in talk.model.asked[-3:]] == [("status",), (), ()]
    assert [one.text for one in talk.model.asked[0].history if isinstance(one, MessageWritten)] == [
        "open it and read both"
    ]


async def test_what_may_change_the_site_is_done_with_a_yes_only(talk: Talk):
    told = await talk.say("send it", OpenStart(), click(SEND), HandOver(text="It was not sent."))
    assert "Send order" in told.questions[0].text
    await talk.answer(LEAVE_IT)
    assert talk.clicked == []
    await talk.say("send it now", click(SEND), HandOver(text="Sent."))
    await talk.answer(DO_IT)
    assert talk.clicked == [SEND]
    assert talk.said == ["It was not sent.", "Sent."]


@pytest.mark.parametrize(
    ("targets", "gone_as"),
    [
        ((ByCss(css="a.view"), ByCss(css="button.send"), ByCss(css="#no")), "css=#no"),
        ((ByText(text="View"), ByText(text="Send order"), ByText(text="No")), "'No'"),
    ],
    ids=["css", "text"],
)
async def test_what_a_target_hits_is_judged_and_not_how_it_was_named(
    talk: Talk, targets: tuple[ByCss | ByText, ...], gone_as: str
):
    view, send, gone = (TakeAction(action=Click(target=one, reason="as asked")) for one in targets)
    told = await talk.say("view it", OpenStart(), view, DONE)
    assert not told.questions
    assert talk.said == [DONE.text]
    for move, named in ((send, "click on button 'Send order' may"), (gone, f"click on {gone_as} may")):
        told = await talk.say("go on", move, DONE)
        assert told.questions[0].text.startswith(named)
        await talk.answer(LEAVE_IT)
    assert len(talk.clicked) == 1


async def test_a_wrong_step_is_corrected_in_words(talk: Talk):
    await talk.say("open it and view it", PLAN, OpenStart(), TodoFinished(), click(VIEW), TodoFinished(), DONE)
    number = talk.asker.state.todos[1].number
    before = talk.asker.state.steps[number]
    await talk.say(
        "not View, the link below it",
        WorkAgain(number=number),
        LeaveOut(step=2),
        click(MORE),
        TodoFinished(),
        DONE,
    )
    assert before == (2,)
    assert talk.asker.state.steps[number] == (3,)
    assert talk.asker.state.dropped["A"] == {2}


async def test_what_the_model_could_not_do_is_told_to_the_model_and_what_a_person_could_not_to_the_person(talk: Talk):
    await talk.say("read it", PLAN, OpenStart(), LeaveOut(step=9), DONE)
    await talk.asker.do(builds.MoveStep(step=9, todo=1))
    refused = [one for one in talk.asker.events if isinstance(one, Told) and one.refused]
    codes = [(one.outcome.code, one.to_model) for one in refused if one.outcome is not None]
    assert codes == [("not_its_step", True), ("todo_unknown", False)]


async def test_the_model_asks_and_is_shown_the_answers(talk: Talk):
    questions = (
        Question(text="Which status?", options=("the first", "the last")),
        Question(text="Which number?", options=("old", "new", "both")),
    )
    told = await talk.say("read it", OpenStart(), AskPerson(questions=questions), DONE)
    assert told.questions == questions
    await talk.answer("the last", "both")
    given = talk.model.asked[-1].history[-1]
    assert isinstance(given, QuestionsAnswered)
    assert [one.chosen for one in given.answers] == [("the last",), ("both",)]


async def test_a_person_takes_over_and_hands_back(talk: Talk):
    """What is decided while the person does something is void."""

    async def act_by_hand() -> None:
        await talk.asker.send(builds.ActOnRow(action=Click(target=ByText(text="View"), reason="")))

    await talk.asker.do(builds.ActOnRow(action=Goto(url="http://site/A", reason="")))
    talk.model.meanwhile = act_by_hand
    await talk.say("go on", click(SEND))
    await talk.asker.until(lambda: len(talk.acts(talk.asker.events)) > 1)
    assert len(talk.clicked) == 1
    assert talk.asker.state.asking == ()
    await talk.say("your turn", DONE)
    assert talk.said == ["All is done."]
    assert talk.acts(talk.model.asked[-1].history) == [("goto", "person"), ("click", "person")]


async def test_a_model_that_cannot_be_used_leaves_it_to_the_person(talk: Talk):
    await talk.say("go on", *["there is no such tool"] * MAX_PROBLEMS)
    [said] = talk.said
    assert "the last one because: there is no such tool." in said
    assert [one.problem for one in talk.model.asked] == ["", *["there is no such tool"] * (MAX_PROBLEMS - 1)]
    assert sum(isinstance(one, ModelDecided) for one in talk.asker.events) == MAX_PROBLEMS


async def test_the_budget_of_a_run_is_that_of_a_session_too(talk: Talk):
    """What was spent before a session was opened again counts."""
    asker = Asker(talk.asker.bus, "two", rows=("A",), agent=True, spec={**SPEC, "budget": {"run_usd": 2 * COST_USD}})
    await asker.open()
    await asker.do(builds.BeginWork())
    limited = Talk(asker, talk.model, talk.pool)
    await limited.say("open it and go on", OpenStart(), TodoFinished(), DONE)
    [said] = limited.said
    assert "is used up: $0.5000 of $0.5 are spent." in said
    assert len(talk.model.asked) == 2
    await limited.say("go on", DONE)
    assert len(talk.model.asked) == 2
