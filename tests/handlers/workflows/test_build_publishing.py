"""Publishing the flow of a build session: its replay asks before a press that may send something."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace as replace_part

from services.workflows.builds.build_sessions import BuildSessions
from services.workflows.builds.publishing import NO, PRESS_IT, RIGHT, STOP_BEFORE, WRONG, YES
from services.workflows.execution.in_process_executor import InProcessExecutor
from shared.client.workflow_calls import get_workflow
from shared.client.workflow_samples import LoadedSamples, load_samples
from shared.contracts.actions import ByText, Click, Goto
from shared.contracts.questions import QuestionAnswer
from shared.contracts.results import Locator, TextPart
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import FlowPublished, SessionClosed, Told
from shared.contracts.workflows.build_outcomes import BuildOutcome
from shared.contracts.workflows.library import WorkflowShown
from shared.flows.building.outcome_texts import text_for_person
from shared.flows.building.state import replayed
from shared.flows.checking.validation import Losses, validate_flow
from shared.flows.compiling.compiler import compile_flow
from shared.flows.files import parse_files
from shared.flows.made_for import other_task_problems
from shared.recordings.packing import unpack_recording
from shared.subjects import LOAD_BUILD_FILE, STORE_BUILD_FILE
from shared.task.spec import check_spec
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.handlers.workflows.build_asker import SPEC, Asker
from tests.handlers.workflows.service_bench import open_service
from tests.unit.planner.planner_pages import el, page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ORDERS = ("1001", "1002", "1003")
BY_ROLE = Locator(kind="role", value='role=button[name="Send order"]', matches=1)
SEND = builds.ActOnRow(action=Click(target=ByText(text="Send order"), reason=""))


def order(number: str) -> Any:
    return page(
        el("button", "Send order", tag="button", fingerprint="f1", locators=(BY_ROLE,)),
        el("definition", number, header="Number", tag="dd"),
        el("definition", f"Open {number}", header="Status", tag="dd"),
        el("definition", "North", header="Shop", tag="dd"),
    )


@dataclass
class Shop:
    """A session on a site whose orders are sent, and the pool that sees what is pressed."""

    asker: Asker
    pool: ScriptedPool

    @property
    def sent(self) -> int:
        return sum(isinstance(one, Click) for one in self.pool.actions)

    @property
    def told(self) -> list[BuildOutcome]:
        return [one.outcome for one in self.asker.events if isinstance(one, Told) and one.outcome is not None]

    def last(self, code: str) -> BuildOutcome:
        """Return what was told last under this code."""
        assert code in self.codes, self.told
        return next(one for one in reversed(self.told) if one.code == code)

    @property
    def codes(self) -> list[str]:
        return [one.code for one in self.told]

    async def samples(self, name: str) -> list[tuple[str, str]]:
        """Return the samples of the flow in the library, with their use."""
        loaded = await load_samples(self.asker.bus, name)
        assert isinstance(loaded, LoadedSamples)
        assert loaded.told is not None
        return [(one.sample_id, one.use) for one in loaded.told.samples]

    async def answer(self, chosen: str) -> builds.BuildFollowed:
        told = await self.asker.follow() if not self._asked else self._asked
        assert told.questions, self.told
        [question] = told.questions
        answer = QuestionAnswer(question=question.text, chosen=(chosen,))
        self._asked = await self.asker.answer_and_wait((answer,))
        return self._asked

    _asked: builds.BuildFollowed | None = None

    async def do(self, command: builds.AnyBuildCommand) -> builds.BuildFollowed:
        self._asked = await self.asker.do(command)
        return self._asked


@pytest_asyncio.fixture(loop_scope="session")
async def shop(tmp_path: Path) -> AsyncGenerator[Shop]:
    executor = InProcessExecutor()
    async with open_service(tmp_path, executor) as service:
        site = ScriptedPool({f"http://site/{one}": [order(one)] for one in ORDERS})
        service.bus.host(pool, site)
        service.deps.builds = sessions = BuildSessions(service.bus, "process1")
        fields = {**SPEC["output_schema"], "shop": "string"}
        asker = Asker(service.bus, "one", rows=ORDERS, spec={**SPEC, "output_schema": fields})
        await asker.open()
        one = Shop(asker, site)
        await one.do(builds.BeginWork())
        await _work_out_two_rows(one)
        yield one
        await sessions.close()
    await executor.close()


async def _work_out_the_third(shop: Shop) -> None:
    await shop.do(builds.NextRow())
    await shop.answer("they are right")
    assert shop.asker.state.finished == ORDERS, shop.told


async def _edit(shop: Shop, name: str, old: str, new: str) -> None:
    """Change a file of scratch_work, as a person does in the folder."""
    load = builds.LoadBuildFile(build_id="one", instance_id=shop.asker.instance_id, path=f"scratch_work/{name}")
    part = await shop.asker.bus.ask(LOAD_BUILD_FILE, load)
    assert isinstance(part, builds.BuildFilePart), part
    before = part.data.decode()
    assert old in before, before
    data = before.replace(old, new).encode()
    store = builds.StoreBuildFile(build_id="one", instance_id=load.instance_id, path=load.path, data=data)
    assert isinstance(await shop.asker.bus.ask(STORE_BUILD_FILE, store), builds.BuildFileStored)


async def _work_out_two_rows(shop: Shop) -> None:
    go = builds.ActOnRow(action=Goto(url="http://site/1001", reason=""))
    for command in (go, SEND, builds.FinishTodo()):
        await shop.do(command)
    for field in ("number", "status", "shop"):
        await shop.do(builds.ReadValue(field=field, where=("beside", field.title())))
    await shop.do(builds.FinishTodo())
    await shop.do(builds.NextRow())
    await shop.answer("they are right")
    assert shop.asker.state.finished == ORDERS[:2], shop.told
    assert shop.sent == 2  # one for each row: that is how they are worked out


async def test_without_a_yes_nothing_is_sent_for_the_proof(shop: Shop):
    told = await shop.do(builds.PublishFlow())
    assert "Send order" in told.questions[0].text
    await shop.answer(STOP_BEFORE)
    await shop.answer(RIGHT)  # what was read until there
    assert shop.sent == 2
    [published] = [one for one in shop.asker.events if isinstance(one, FlowPublished)]
    assert (published.name, published.row, published.held_back) == ("records", "1003", True)
    assert await shop.samples("records") == [
        ("1001", "compiled_from"),
        ("1002", "compiled_from"),
    ]
    assert shop.last("replay_held_back").details == ("click on button 'Send order'",)


async def test_with_a_yes_the_further_row_is_the_proof_and_a_sample(shop: Shop):
    await shop.do(builds.PublishFlow(name="orders"))
    told = await shop.answer(PRESS_IT)
    assert told.questions[0].text == (
        "Row 1003: number is '1003', status is 'Open 1003', shop is 'North'. Is that right?"
    )
    await shop.answer(RIGHT)
    assert shop.sent == 3
    assert ("1003", "held_out") in await shop.samples("orders")
    [published] = [one for one in shop.asker.events if isinstance(one, FlowPublished)]
    assert published.unvaried == ("shop",)  # all three rows are of one: nothing shows that its rules follow it


async def test_what_is_not_right_on_the_further_row_is_not_published(shop: Shop):
    await shop.do(builds.PublishFlow())
    await shop.answer(PRESS_IT)
    await shop.answer(WRONG)
    assert not isinstance(await get_workflow(shop.asker.bus, "records"), WorkflowShown)
    assert shop.last("publish_not_confirmed").row == "1003"


async def test_who_closes_is_offered_the_library(shop: Shop):
    told = await shop.do(builds.CloseBuild(offer=True))
    assert told.questions[0].options == (YES, NO)
    await shop.answer(YES)
    await shop.answer(PRESS_IT)
    await shop.answer(RIGHT)
    assert [type(one) for one in shop.asker.events if isinstance(one, FlowPublished | SessionClosed)] == [
        FlowPublished,
        SessionClosed,
    ]
    assert isinstance(await get_workflow(shop.asker.bus, "records"), WorkflowShown)


async def test_who_closes_and_says_no_keeps_the_flow_in_the_workspace_only(shop: Shop):
    await shop.do(builds.CloseBuild(offer=True))
    await shop.answer(NO)
    assert isinstance(shop.asker.events[-1], SessionClosed)
    assert shop.sent == 2
    assert not isinstance(await get_workflow(shop.asker.bus, "records"), WorkflowShown)
    assert "not_published" in shop.codes


async def test_a_field_that_may_be_lost_is_one_of_the_task(shop: Shop):
    await shop.do(builds.PublishFlow(accept_loss=("status", "colour")))
    assert shop.last("publish_unknown_field").fields == ("colour",)
    assert shop.sent == 2


async def test_a_field_that_may_be_lost_is_kept_with_the_flow(shop: Shop):
    await shop.do(builds.PublishFlow(accept_loss=("status",)))
    await shop.answer(PRESS_IT)
    await shop.answer(RIGHT)
    [published] = [one for one in shop.asker.events if isinstance(one, FlowPublished)]
    assert published.given_up == ("status",)
    assert shop.asker.state.given_up == {"status"}


async def test_a_flow_that_stopped_on_the_further_row_is_tried_on_it_again(shop: Shop):
    button, *values = order("1003").elements
    for shown, todo, act in (
        ([button], 2, "prove_record of number"),
        (values, 1, "click on button 'Send order'"),
    ):
        shop.pool.site["http://site/1003"] = [page(*shown)]
        await shop.do(builds.PublishFlow())
        stopped = shop.last("publish_stopped")
        assert (stopped.row, stopped.url, stopped.act) == ("1003", "http://site/1003", act)
        assert [one.number for one in stopped.todos] == [todo]
        assert f"at {act} of TODO {todo} (" in text_for_person(stopped)
    assert shop.asker.state.finished == ORDERS[:2], "it is not used up"
    shop.pool.site["http://site/1003"] = [order("1003")]
    await shop.do(builds.PublishFlow())
    await shop.answer(PRESS_IT)
    await shop.answer(RIGHT)
    assert [one.row for one in shop.told if one.code == "replaying"] == ["1003"] * 3
    assert shop.asker.state.published


async def test_where_the_input_has_no_further_row_one_that_is_finished_is_left_out(shop: Shop):
    await _work_out_the_third(shop)
    await shop.do(builds.PublishFlow())
    assert shop.last("replaying_left_out").row == "1003"
    await shop.answer(PRESS_IT)
    await shop.answer(RIGHT)
    [published] = [one for one in shop.asker.events if isinstance(one, FlowPublished)]
    assert published.row == "1003"
    assert await shop.samples("records") == [
        ("1001", "compiled_from"),
        ("1002", "compiled_from"),
        ("1003", "held_out"),
    ]
    assert shop.asker.state.held_out == "1003", "what stands in the workspace stays what is in the library"


async def test_where_each_row_is_needed_nobody_is_asked_at_the_end_for_what_cannot_be_done(shop: Shop):
    """The third order has no status where the others have one: each of the last two shows what the others do not."""
    shop.pool.site["http://site/1003"] = [
        page(
            el("button", "Send order", tag="button", fingerprint="f1", locators=(BY_ROLE,)),
            el("definition", "1003", header="Number", tag="dd"),
            el("definition", "Sent", header="State", tag="dd"),
            el("definition", "North", header="Shop", tag="dd"),
        )
    ]
    await shop.do(builds.NextRow())
    await shop.answer("they are right")  # number and shop
    await shop.do(builds.ReadValue(field="status", where=("beside", "State")))
    await shop.do(builds.FinishTodo())
    assert shop.asker.state.finished == ORDERS, shop.told
    await shop.do(builds.PublishFlow())
    refused = shop.last("publish_needs_further_row")
    assert refused.details
    await shop.do(builds.CloseBuild(offer=True))
    assert isinstance(shop.asker.events[-1], SessionClosed)
    assert shop.codes[-1] == "not_published_yet"


async def test_with_two_rows_of_two_none_can_be_left_out(shop: Shop):
    shop.asker.rows = shop.asker.rows[:2]
    await shop.asker.open()
    await shop.do(builds.PublishFlow())
    assert shop.codes[-1] == "publish_needs_further_row"
    await shop.do(builds.CloseBuild(offer=True))
    assert isinstance(shop.asker.events[-1], SessionClosed), "nothing is asked that cannot be done"
    assert shop.codes[-1] == "not_published_yet"


async def test_a_loss_is_accepted_and_the_flow_is_of_its_task_all_the_same(shop: Shop):
    await _edit(shop, "02_read_number_status_shop.py", '"number", "status", "shop"', '"number", "shop"')
    await shop.do(builds.PublishFlow())
    told = await shop.answer(PRESS_IT)
    assert told.questions[0].text.endswith("Still open: status (no rule reads it). Is that right?")
    await shop.answer(RIGHT)
    refused = shop.last("publish_loses")
    assert refused.fields == ("status",)
    assert "`publish --accept-loss status`" in text_for_person(refused)
    assert "publish_differs" not in shop.codes

    await shop.do(builds.PublishFlow(accept_loss=("status",)))
    await shop.answer(PRESS_IT)
    await shop.answer(RIGHT)
    shown = await get_workflow(shop.asker.bus, "records")
    assert isinstance(shown, WorkflowShown)
    assert shown.workflow.accepted_losses == ("status",)
    assert set(parse_files(shown.files).outputs) == {"number", "status", "shop"}
    spec, _ = check_spec(shop.asker.spec)
    assert spec is not None
    assert other_task_problems(shown, spec) == ()


async def test_a_difference_is_never_accepted(shop: Shop):
    await _work_out_the_third(shop)
    await shop.do(builds.PublishFlow())
    await shop.answer(PRESS_IT)
    await shop.answer(RIGHT)
    loaded = await load_samples(shop.asker.bus, "records")
    assert isinstance(loaded, LoadedSamples)
    spec, _ = check_spec(shop.asker.spec)
    assert spec is not None
    assert loaded.told is not None
    *used, third = [unpack_recording(loaded.data[one.sha256]) for one in loaded.told.samples]
    [status] = [one for one in third.values if one.field == "status"]
    other = replace_part(status, value="Closed", shown="Closed")
    wrong = replace(third, values=tuple(other if one is status else one for one in third.values))
    flow = compile_flow(spec, used, ("status",))
    losses = Losses(frozenset({"status"}))
    assert (await validate_flow(shop.asker.bus, flow, spec, [third], used, losses=losses)).problems == ()
    found = await validate_flow(shop.asker.bus, flow, spec, [wrong], used, losses=losses)
    assert found.differs == ("1003: status: then 'Closed', now 'Open 1003'",)


def lamp(number: str) -> Any:
    """Return a page that shows a title and a mark in one element, which are two texts; and a text without a label."""
    parts = (TextPart(text=f"Lamp {number} flickers"), TextPart(text=f"#{number}", kind="badge"))
    title = el("definition", f"Lamp {number} flickers #{number}", header="Title", tag="dd", parts=parts)
    return page(title, el("definition", number, header="Number", tag="dd"), el("text", f"Loud on day {number}"))


@asynccontextmanager
async def lamps(folder: Path, *fields: str) -> AsyncGenerator[Asker]:
    """Yield a session in which the record of the first row is open, and its fields are to be read."""
    executor = InProcessExecutor()
    async with open_service(folder, executor) as service:
        service.bus.host(pool, ScriptedPool({f"http://site/{one}": [lamp(one)] for one in ORDERS}))
        service.deps.builds = sessions = BuildSessions(service.bus, "process1")
        spec = {**SPEC, "output_schema": dict.fromkeys(("number", *fields), "string")}
        ann = Asker(service.bus, "one", rows=ORDERS, spec=spec)
        await ann.open()
        go = builds.ActOnRow(action=Goto(url="http://site/1001", reason=""))
        number = builds.ReadValue(field="number", where=("beside", "Number"))
        for command in (builds.BeginWork(), go, builds.FinishTodo(), number):
            await ann.do(command)
        yield ann
        await sessions.close()
    await executor.close()


async def test_a_part_of_a_text_is_read_by_hand_and_then_by_the_flow(tmp_path: Path):
    async with lamps(tmp_path, "title") as ann:
        await ann.do(builds.ReadValue(field="title", where=("1", "Lamp", "1001", "flickers")))
        await ann.do(builds.FinishTodo())
        told = await ann.do(builds.NextRow())
        assert [one.text for one in told.questions] == [
            "Read number, title: number is '1002', title is 'Lamp 1002 flickers'. Is that right?"
        ]


@pytest.mark.parametrize("right", [True, False])
async def test_of_a_row_only_what_its_page_leaves_open_is_read_by_hand(tmp_path: Path, right: bool):
    """No label tells the remark, so that one row does not say where it stands."""
    async with lamps(tmp_path, "remark") as ann:
        await ann.do(builds.ReadValue(field="remark", where=("3",)))
        await ann.do(builds.FinishTodo())
        [question] = (await ann.do(builds.NextRow())).questions
        assert question.text == ("Read number, remark: number is '1002'. Still open: remark. Is that right?")
        stopped = [one.outcome for one in ann.events if isinstance(one, Told) and one.outcome is not None][-1]
        assert (stopped.code, "remark" in stopped.details[0]) == ("todo_stopped", True)
        chosen = question.options[0 if right else 1]
        await ann.answer_and_wait((QuestionAnswer(question=question.text, chosen=(chosen,)),))
        assert (replayed(ann.events).values.get(2, ()) == ("number",)) == right
        await ann.do(builds.ReadValue(field="remark", where=("3",)))
        await ann.do(builds.FinishTodo())
        assert (replayed(ann.events).finished == ORDERS[:2]) == right
