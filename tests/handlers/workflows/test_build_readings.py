"""Where the flow of a build session reads what was read on a page by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from services.workflows.builds.build_sessions import BuildSessions
from services.workflows.builds.recorded_row import RecordedRow
from services.workflows.builds.scratch_run import keep_values
from services.workflows.builds.workbench import values_told
from services.workflows.execution.in_process_executor import InProcessExecutor
from shared.contracts.actions import ByText, Click, Goto
from shared.contracts.results import Locator
from shared.contracts.steps import FieldValue
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import Told, ValueRecorded
from shared.contracts.workflows.flows import FlowAnswer
from shared.flows.reading import LocatedReading
from shared.recordings.recording import Recording
from shared.subjects import LOAD_BUILD_FILE
from shared.task.spec import check_spec
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.handlers.workflows.build_asker import SPEC, Asker
from tests.handlers.workflows.service_bench import open_service
from tests.unit.planner.planner_pages import el, page

ORDERS = ("1001", "1002", "1003")
ALL_BY_ROLE = Locator(kind="role", value='role=link[name="All"]', matches=1)
LIST = "http://site/list"
GO = builds.ActOnRow(action=Goto(url="http://site/1001", reason=""))
LEAVE = builds.ActOnRow(action=Click(target=ByText(text="All"), reason=""))


async def source_of_reading(tmp_path: Path, *after_reading: builds.AnyBuildCommand) -> str:
    """Return the file of a TODO that reads two fields and leaves the page, which shows the time as well: each look at
    it is another page."""
    executor = InProcessExecutor()

    def shown(time: int) -> Any:
        return page(
            el("definition", "1001", header="Number", tag="dd"),
            el("definition", "Open 1001", header="Status", tag="dd"),
            el("status", f"at {time}"),
            el("link", "All", tag="a", fingerprint="f2", locators=(ALL_BY_ROLE,)),
        )

    async with open_service(tmp_path, executor) as service:
        site = {"http://site/1001": [shown(time) for time in range(9)], LIST: [page(el("heading", "All orders"))]}
        service.bus.host(pool, ScriptedPool(site, clicks={"All": LIST}))
        service.deps.builds = sessions = BuildSessions(service.bus, "process1")
        ann = Asker(service.bus, "one", rows=ORDERS)
        await ann.open()
        reads = [builds.ReadValue(field=one, where=("beside", one.title())) for one in ("number", "status")]
        for command in (builds.BeginWork(), GO, builds.FinishTodo(), *reads, *after_reading, LEAVE):
            await ann.do(command)
        await ann.do(builds.FinishTodo())
        load = builds.LoadBuildFile(
            build_id="one", instance_id=ann.instance_id, path="scratch_work/02_read_number_status.py"
        )
        part = await service.bus.ask(LOAD_BUILD_FILE, load)
        assert isinstance(part, builds.BuildFilePart), part
        await sessions.close()
    await executor.close()
    return part.data.decode()


@pytest.mark.parametrize(
    "after_reading",
    [(), (builds.ShowPage(),), (LEAVE, GO, builds.UndoStep(), builds.UndoStep())],
    ids=["at once", "after another look", "after a turn that was left out"],
)
@pytest.mark.asyncio(loop_scope="session")
async def test_what_was_read_on_a_page_is_read_before_it_is_left(
    tmp_path: Path, after_reading: tuple[builds.AnyBuildCommand, ...]
):
    source = await source_of_reading(tmp_path, *after_reading)
    assert source.count("click(") == 1
    assert source.index('read("number", "status")') < source.index("click(")


MAY_LACK = {**SPEC, "output_schema": {"number": "string", "status": "string | null"}}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_field_that_a_page_has_none_of_is_noted_so_that_its_todo_is_done(tmp_path: Path):
    executor = InProcessExecutor()
    async with open_service(tmp_path, executor) as service:
        shown = page(el("definition", "1001", header="Number", tag="dd"))
        service.bus.host(pool, ScriptedPool({"http://site/1001": [shown]}))
        service.deps.builds = sessions = BuildSessions(service.bus, "process1")
        ann = Asker(service.bus, "one", rows=ORDERS[:1], spec=MAY_LACK)
        await ann.open()
        number = builds.ReadValue(field="number", where=("beside", "Number"))
        for command in (builds.BeginWork(), GO, builds.FinishTodo(), number, builds.FinishTodo()):
            await ann.do(command)
        for field in ("number", "status"):
            await ann.do(builds.NoteAbsent(field=field))
        await ann.do(builds.FinishTodo())
        codes = [one.outcome.code for one in ann.events if isinstance(one, Told) and one.outcome is not None]
        assert "todo_without_its_fields" in codes
        assert codes.count("not_absent") == 1, "the task says that every record has a number"
        [absent] = [one for one in ann.events if isinstance(one, ValueRecorded) and one.absent]
        assert (absent.field, absent.shown) == ("status", "")
        assert ann.state.row_done
        await sessions.close()
    await executor.close()


def test_what_a_flow_finds_empty_without_an_element_is_kept_as_absent(tmp_path: Path):
    spec, _ = check_spec(MAY_LACK)
    assert spec is not None
    row = RecordedRow(cast("Any", None), spec, Recording("build", "1001", {}, ()), tmp_path, "ann")
    row.page = page()
    read: dict[str, FieldValue] = {}
    answer = keep_values(row, [LocatedReading("status", "empty")], FlowAnswer(value={"status": None}), read)
    assert answer.error is None
    assert [one.state for one in (*row.sample.values, read["status"])] == ["not_present", "not_present"]
    assert values_told(read, ["owner"]) == "of status the page shows none. Still open: owner."
    assert keep_values(row, [LocatedReading("status", "value", "Open")], FlowAnswer(value={}), {}).error is not None
