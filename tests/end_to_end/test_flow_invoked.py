"""A flow that is invoked like any workflow: its calls are performed in the browser session of the invocation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from shared.bus.nats_bus import Bus, connect_bus
from shared.client import Client
from shared.client.workflow_calls import create_workflow, invoke_workflow
from shared.contracts.workflows.invocations import WorkflowRan
from shared.contracts.workflows.library import WorkflowCreated
from shared.host.services import run_services
from shared.settings import Settings
from tests.end_to_end.small_site import Answers, SmallSite

SEARCH = """
    from exhibit.flow import FlowStopped, by_role, click, count, is_shown, open_page, type_text

    async def run(url: str, name: str) -> list[object]:
        await open_page(url)
        await type_text(name, selector="label=Name")
        await click(by_role("button", "Search"))
        try:
            await click("text=Nothing of the kind")
        except FlowStopped as error:
            return [await is_shown("text=Hello"), await count("role=heading"), error.code]
        return []
"""


class Greeting(Answers):
    def do_GET(self) -> None:
        if self.path == "/":
            self.answer('<form action="/hello"><label>Name <input name="name"></label><button>Search</button></form>')
        else:
            self.answer("<h1>Hello</h1>")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with SmallSite(Greeting) as served:
        yield served.url


async def invoked(bus: Bus, site: str) -> WorkflowRan:
    assert isinstance(await create_workflow(bus, "find_person", dedent(SEARCH)), WorkflowCreated)
    return await invoke_workflow(bus, "find_person", {"url": f"{site}/", "name": "Ann"}, timeout_s=60.0)


async def test_a_flow_is_invoked_in_a_browser_of_declared_hosts(client: Client, site: str):
    ran = await invoked(client.bus, site)
    assert (ran.error, ran.value) == (None, [True, 1, "element_missing"])


async def test_without_declared_hosts_no_browser_is_opened(nats_url: str, tmp_path: Path, site: str):
    settings = Settings(workflows_dir=tmp_path / "workflows", tools_dir=tmp_path / "none", state_dir=tmp_path / "state")
    async with run_services(settings, nats_url, ["workflows"]), connect_bus(nats_url, name="client") as bus:
        error = (await invoked(bus, site)).error
    assert error is not None
    assert error.type == "PermissionError"
    assert "tools/browser.yaml" in error.message
