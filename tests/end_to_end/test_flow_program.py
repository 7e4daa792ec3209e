"""A flow as a program, in a process of its own and a real browser: `python workspace/flow.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.end_to_end.conftest import ROOT, System
from tests.end_to_end.small_site import Answers, SmallSite

FORM = """
<title>Licenses</title><h1>Look up a license</h1>
<form action="/found"><label>License number <input id="caLicense" name="number"></label>
<label>Status <select id="status" name="status"><option>Any</option>
<option>Active - Registered</option></select></label>
<button>Search</button></form>
"""


class Licenses(Answers):
    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/found":
            self.answer(f"<title>Found</title><h1>License</h1><p>{query.replace('+', ' ')}</p>")
        else:
            self.answer(FORM)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with SmallSite(Licenses) as served:
        yield served.url


class Agent:
    """The folder of a flow, and the program in it."""

    def __init__(self, root: Path, url: str) -> None:
        self.root = root
        self.write("data/variables.json", {"Start page": url, "Medical License": "A 1", "status": "active"})
        self.write(
            "data/variables_schema.json",
            {"Start page!": {"type": "string"}, "Medical License!": {"type": "string"}, "status": {"type": "string"}},
        )
        options = {"active": "Active - Registered"}
        mapping = {"status": {"type": "native_select", "container": "select#status", "options": options}}
        self.write("workspace/dropdown_mappings.json", mapping)

    def write(self, name: str, value: Any) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")

    def run(self, source: str, **env: str) -> subprocess.CompletedProcess[str]:
        self.write("workspace/flow.py", dedent(source))
        own = {"PYTHONPATH": str(ROOT), "EXHIBIT_STATE_DIR": str(self.root / "state"), "EXHIBIT_NATS_URL": ""}
        environment = {**os.environ, **own, **env}
        return subprocess.run(
            [sys.executable, str(self.root / "workspace/flow.py")],
            capture_output=True,
            text=True,
            env=environment,
            cwd=self.root.parent,
            timeout=180,
            check=False,
        )

    def outputs(self) -> Any:
        return json.loads((self.root / "data/structured_outputs.json").read_text("utf-8"))


@pytest.fixture
def agent(tmp_path: Path, site: str) -> Agent:
    return Agent(tmp_path / "agent", site)


def test_a_flow_with_a_run_is_a_program(agent):
    agent.write("data/structured_output_schema.json", {"found": {"type": "boolean"}, "form_result": {"type": "string"}})
    ended = agent.run(
        """
        import asyncio

        from exhibit.flow import (
            by_role,
            click,
            is_shown,
            load_mappings,
            open_page,
            option_of,
            run_flow,
            screenshot,
            section,
            select_option,
            set_structured_output,
            try_click,
            type_text,
        )


        @section
        async def search(medical_license: str, status: str) -> None:
            mapping = load_mappings()["status"]
            await type_text(medical_license, selector="label=License number")
            await select_option(selector=mapping["container"], label=option_of(mapping, status))
            await click(by_role("button", "Search"))


        async def run(start_page: str, medical_license: str, status: str) -> dict[str, object]:
            await open_page(start_page)
            assert not await try_click("button#onetrust-accept-btn-handler")
            await search(medical_license, status)
            await screenshot("license")
            await set_structured_output(key="form_result", value="SUBMITTED")
            return {"found": await is_shown("text=number=A 1&status=Active - Registered")}


        async def main() -> None:
            await run_flow(run)


        if __name__ == "__main__":
            asyncio.run(main())
        """
    )
    assert ended.returncode == 0, ended.stderr
    assert agent.outputs() == {"form_result": "SUBMITTED", "found": True}
    pictures = list((agent.root / "data/files").glob("*.png"))
    assert [one.read_bytes()[:4] for one in pictures] == [b"\x89PNG"]


def test_a_flow_as_others_write_it_runs_unchanged(agent: Agent, system: System):
    ended = agent.run(
        f"""
        import asyncio
        import json
        from servers.browser_tools import click, open_page, select_option, set_structured_output, type

        async def main():
            with open({str(agent.root / "data/variables.json")!r}, "r") as f:
                variables = json.load(f)

            await open_page(variables["Start page"])
            await click(selector="input#caLicense")
            await type(text=variables["Medical License"])
            await select_option(selector="select#status", label="Active - Registered")
            await click(selector="text=Search")
            await set_structured_output(key="form_result", value="SUBMITTED")

        asyncio.run(main())
        """,
        EXHIBIT_NATS_URL=system.url,
    )
    assert ended.returncode == 0, ended.stderr
    assert agent.outputs() == {"form_result": "SUBMITTED"}


def test_bad_variables_are_told_and_no_browser_is_opened(agent):
    agent.write("data/variables.json", {"status": 3})
    ended = agent.run(
        """
        import asyncio
        from exhibit.flow import open_page, run_flow

        async def run(**variables):
            await open_page("http://127.0.0.1:1/")

        asyncio.run(run_flow(run))
        """,
        EXHIBIT_CHROMIUM="/nowhere",
    )
    assert ended.returncode == 1
    for part in ("Start page: it is required", "Medical License: it is required", "status: 3 is not a string"):
        assert part in ended.stderr
    assert not (agent.root / "data/structured_outputs.json").exists()


def test_what_is_not_there_stops_the_flow(agent: Agent, system: System):
    ended = agent.run(
        """
        import asyncio
        from exhibit.flow import FlowStopped, click, load_variables, open_page

        async def main():
            await open_page(load_variables()["Start page"])
            try:
                await click("button#other")
            except FlowStopped as error:
                print(error.code)
                raise

        asyncio.run(main())
        """,
        EXHIBIT_NATS_URL=system.url,
    )
    assert ended.returncode == 1
    assert ended.stdout == "element_missing\n"
