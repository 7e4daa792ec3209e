"""A flow as a program, in a process of its own and a real browser: `python workspace/flow.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, ClassVar
from urllib.parse import unquote

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


AGENT_FORM = """
<title>Registration</title><h1>Register</h1>
<script>const saw = (text) => fetch("/saw?" + encodeURIComponent(text));</script>
<label>License <input id="caLicense" oninput="saw('license ' + this.value)"></label>
<label>CURES <select id="curesStatus" onchange="saw('status ' + this.value)"><option>Any</option>
<option>Active - Registered</option><option>Pending Registration</option></select></label>
<label>Payer <input autofocus oninput="saw('payer ' + this.value)"></label>
<ul id="payers"><li onclick="saw('picked other')">Blue Shield of California</li>
<li onclick="saw('picked ' + this.textContent)">Blue Shield</li></ul>
<button id="onetrust-accept-btn-handler" onclick="saw('accepted')">Accept</button>
"""


class Licenses(Answers):
    seen: ClassVar[dict[str, str]] = {}
    """What the page with `AGENT_FORM` has told of what was done on it, the last of each."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/saw":
            what, _, value = unquote(query).partition(" ")
            self.seen[what] = value
            self.answer("")
        elif path == "/agent":
            self.answer(AGENT_FORM)
        elif path == "/found":
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

    def last_run(self) -> Any:
        return json.loads((self.root / "data/last_run.json").read_text("utf-8"))

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


VARIABLES = """
import asyncio
import json
from servers.browser_tools import click, type

async def main():
    with open("/home/chrome_user/agent/data/variables.json", "r") as f:
        variables = json.load(f)

    await click(selector="input#caLicense")
    await type(text=variables["Medical License"])

asyncio.run(main())
"""
DROPDOWN = """
import asyncio
import json
from servers.browser_tools import select_option

async def main():
    with open("/home/chrome_user/agent/workspace/dropdown_mappings.json", "r") as f:
        mappings = json.load(f)

    cures_mapping = mappings["cures_status"]
    await select_option(selector=cures_mapping["container"], label="Active - Registered")

asyncio.run(main())
"""
LAZY_DROPDOWN = """
import asyncio
import json
from servers.browser_tools import click, type

async def main():
    with open("/home/chrome_user/agent/data/variables.json", "r") as f:
        variables = json.load(f)

    with open("/home/chrome_user/agent/workspace/dropdown_mappings.json", "r") as f:
        mappings = json.load(f)

    payer_mapping = mappings["payer"]
    await type(text=variables["payer"])
    await click(selector=f'{payer_mapping["option_selector"]}:has-text("{variables["payer"]}")')

asyncio.run(main())
"""
POPUP = """
import asyncio
from servers.browser_tools import click

async def try_click(selector):
    \"\"\"Click element if present, ignore if not (for popups/modals).\"\"\"
    try:
        await click(selector=selector)
    except Exception:
        pass

async def main():
    await try_click("button#onetrust-accept-btn-handler")

asyncio.run(main())
"""
OUTPUT = """
import asyncio
from servers.browser_tools import set_structured_output

async def main():
    await set_structured_output(key="form_result", value="SUBMITTED")

asyncio.run(main())
"""
MAPPINGS = {
    "cures_status": {
        "type": "native_select",
        "container": "select#curesStatus",
        "options": {"active - registered": "Active - Registered", "pending registration": "Pending Registration"},
    },
    "payer": {"type": "searchable", "option_selector": "ul#payers li"},
}


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        (VARIABLES, {"license": "A 1"}),
        (DROPDOWN, {"status": "Active - Registered"}),
        (LAZY_DROPDOWN, {"payer": "Blue Shield", "picked": "Blue Shield"}),
        (POPUP, {"accepted": ""}),
        (OUTPUT, {}),
    ],
    ids=["variables", "dropdown", "lazy_dropdown", "popup", "output"],
)
def test_a_flow_as_others_print_it_runs_unchanged(
    agent: Agent, site: str, system: System, source: str, seen: dict[str, str]
):
    agent.write("data/start_page.json", {"url": f"{site}/agent"})
    agent.write("data/variables.json", {"Medical License": "A 1", "payer": "Blue Shield"})
    agent.write("workspace/dropdown_mappings.json", MAPPINGS)
    Licenses.seen.clear()
    ended = agent.run(source, EXHIBIT_NATS_URL=system.url)
    assert ended.returncode == 0, ended.stderr
    assert Licenses.seen == seen
    assert agent.last_run()["state"] == "finished"
    assert not seen or not (agent.root / "data/structured_outputs.json").exists()
    if not seen:
        assert agent.outputs() == {"form_result": "SUBMITTED"}


def test_such_a_flow_fails_on_another_page_and_names_what_it_did_not_find(agent: Agent, site: str, system: System):
    agent.write("data/start_page.json", {"url": f"{site}/found?another=page"})
    ended = agent.run(VARIABLES, EXHIBIT_NATS_URL=system.url)
    assert ended.returncode == 1
    told = agent.last_run()
    assert (told["state"], told["code"]) == ("stopped", "element_missing")
    assert "input#caLicense" in told["message"]
    assert "input#caLicense" in ended.stderr


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
