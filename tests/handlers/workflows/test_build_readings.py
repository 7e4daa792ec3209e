"""Where the flow of a build session reads what was read on a page by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.workflows.builds.build_sessions import BuildSessions
from services.workflows.execution.in_process_executor import InProcessExecutor
from shared.contracts.actions import ByText, Click, Goto
from shared.contracts.results import Locator
from shared.contracts.workflows import builds
from shared.subjects import LOAD_BUILD_FILE
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.handlers.workflows.build_asker import Asker
from tests.handlers.workflows.service_bench import open_service
from tests.unit.planner.planner_pages import el, page

pytestmark = pytest.mark.asyncio(loop_scope="session")

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
async def test_what_was_read_on_a_page_is_read_before_it_is_left(
    tmp_path: Path, after_reading: tuple[builds.AnyBuildCommand, ...]
):
    source = await source_of_reading(tmp_path, *after_reading)
    assert source.count("click(") == 1
    assert source.index('read("number", "status")') < source.index("click(")
