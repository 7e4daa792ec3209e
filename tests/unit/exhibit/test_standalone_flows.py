"""A flow that is a program of its own, with something else than a browser behind it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from exhibit.flow.standalone import StandaloneFlow
from exhibit.flow.workspace import FlowFolder
from shared.contracts.workflows.flows import ClickElement, FlowAnswer, FlowCall, FlowError, ReadFields, ReadList
from shared.flows.code.functions import (
    FlowStopped,
    bind_here,
    click,
    load_mappings,
    load_variables,
    read,
    read_list,
    run_flow,
    section,
    set_structured_output,
    type,
)

VARIABLES_SCHEMA = {"Medical License!": {"type": "string"}, "copies": {"type": "number", "default": 1}}
OUTPUT_SCHEMA = {"holder": {"type": "string"}, "status": {"type": "enum", "enumValues": ["active", "lapsed"]}}


class Site:
    """Answers calls. ``open``: whether it is; ``opened``: how often it was."""

    def __init__(self) -> None:
        self.calls: list[FlowCall] = []
        self.answers: dict[object, FlowAnswer] = {}
        self.is_open, self.opened = False, 0

    async def answer(self, call: FlowCall) -> FlowAnswer:
        assert self.is_open
        self.calls.append(call)
        return self.answers.get(call.__class__, FlowAnswer())

    @asynccontextmanager
    async def open(self, folder: FlowFolder) -> AsyncGenerator[Site]:
        self.is_open, self.opened = True, self.opened + 1
        try:
            yield self
        finally:
            self.is_open = False


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "workspace").mkdir()
    write(tmp_path, "data/variables.json", {"Medical License": "A 1"})
    write(tmp_path, "data/variables_schema.json", VARIABLES_SCHEMA)
    write(tmp_path, "data/structured_output_schema.json", OUTPUT_SCHEMA)
    return tmp_path


@pytest.fixture
def site(root: Path) -> Site:
    made = Site()
    bind_here(StandaloneFlow(FlowFolder(root), made.open))
    return made


def write(root: Path, name: str, value: Any) -> None:
    (root / name).write_text(json.dumps(value), "utf-8")


def outputs(root: Path) -> Any:
    return json.loads((root / "data/structured_outputs.json").read_text("utf-8"))


async def test_run_gets_the_variables_and_its_outputs_are_written(root, site):
    site.answers[ReadFields] = FlowAnswer(value={"holder": "Ann Lee"})

    @section
    async def look_up(number: str) -> dict[str, object]:
        await click("#license")
        await type(text=number)
        return await read("holder")

    async def run(medical_license: str, copies: int) -> dict[str, object]:
        assert Path.cwd() == root
        assert load_variables() == {"Medical License": "A 1"}
        assert load_mappings() == {}
        assert copies == 1
        await set_structured_output(key="status", value="active")
        return await look_up(medical_license)

    before = Path.cwd()
    assert await run_flow(run) == {"holder": "Ann Lee"}
    assert outputs(root) == {"status": "active", "holder": "Ann Lee"}
    assert [one.__class__.__name__ for one in site.calls] == ["EnterSection", "ClickElement", "TypeInto", "ReadFields"]
    assert (site.is_open, site.opened, Path.cwd()) == (False, 1, before)


async def test_bad_variables_are_refused_all_at_once_before_anything_runs(root, site):
    write(root, "data/variables.json", {"copies": "two", "License": "A 1"})

    async def run(**variables: object) -> None:
        await click("#license")

    with pytest.raises(ValueError) as caught:
        await run_flow(run)
    for part in ("Medical License: it is required", 'copies: "two" is not a number', "License: there is no such"):
        assert part in str(caught.value)
    assert site.opened == 0


@pytest.mark.parametrize(
    ("returned", "part"),
    [
        ({"holder": 5, "status": "active"}, "holder: 5 is not a string"),
        ({"holder": "Ann", "status": "gone"}, '"gone" is none of active, lapsed'),
        ({"holder": "Ann"}, "status: it was not set"),
        ({"holder": "Ann", "status": None, "stat": 1}, "there is no such output; there is 'status'"),
    ],
)
async def test_outputs_that_are_not_of_the_schema_are_refused(root, site, returned, part):
    async def run(**_variables: object) -> dict[str, object]:
        return returned

    with pytest.raises(ValueError, match=r"outputs") as caught:
        await run_flow(run)
    assert part in str(caught.value)
    assert not (root / "data/structured_outputs.json").exists()


async def test_what_is_not_on_the_page_is_none(root, site):
    async def run(**_variables: object) -> dict[str, object]:
        return {"holder": None, "status": "lapsed"}

    await run_flow(run)
    assert outputs(root) == {"holder": None, "status": "lapsed"}


async def test_an_output_is_checked_when_it_is_set_and_is_written_at_once(root, site):
    with pytest.raises(ValueError, match="none of active"):
        await set_structured_output(key="status", value="gone")
    with pytest.raises(TypeError):
        await set_structured_output(key="holder", value={1})
    await set_structured_output(key="status", value="lapsed")
    assert outputs(root) == {"status": "lapsed"}


async def test_a_failed_call_is_raised_and_the_browser_is_closed(root, site):
    site.answers[ClickElement] = FlowAnswer(error=FlowError(code="element_missing", message="no such button"))

    async def run(**_variables: object) -> None:
        await click("#save")

    with pytest.raises(FlowStopped) as caught:
        await run_flow(run)
    assert (caught.value.code, str(caught.value)) == ("element_missing", "no such button")
    assert not site.is_open


async def test_a_step_that_nobody_awaits_is_an_error(root, site):
    async def run(**_variables: object) -> dict[str, object]:
        click("#save")
        return {"holder": None, "status": None}

    with pytest.raises(RuntimeError, match=r"never awaited.*click\(\)"):
        await run_flow(run)


def test_main_needs_no_run_flow(root, site):
    async def main() -> None:
        await click(selector="#one")
        await click(selector="#two")

    asyncio.run(main())
    assert (site.is_open, site.opened) == (False, 1)
    asyncio.run(main())
    assert (site.is_open, site.opened, len(site.calls)) == (False, 2, 4)


async def test_what_opening_raises_is_raised_by_the_call(root):
    @asynccontextmanager
    async def fails(_folder: FlowFolder) -> AsyncGenerator[Site]:
        raise OSError("no browser")
        yield Site()

    bind_here(StandaloneFlow(FlowFolder(root), fails))
    with pytest.raises(OSError, match="no browser"):
        await click("#save")


def test_hosts_and_secrets_are_those_of_variables_and_code(root):
    write(
        root,
        "data/variables.json",
        {"url": "https://licenses.example/x", "name": "Ann", "other": "http://127.0.0.1:80"},
    )
    source = "async def run():\n    await type_secret('portal_password', '#p')\n    await type_secret(secret='pin')\n"
    (root / "workspace/flow.py").write_text(source)
    folder = FlowFolder(root)
    assert folder.hosts()[0] == "licenses.example"
    assert folder.secrets() == ("portal_password", "pin")


# --- what is left behind


def last_run(root: Path) -> dict[str, Any]:
    return json.loads((root / "data/last_run.json").read_text("utf-8"))


async def test_a_run_that_stops_keeps_what_it_has_read_and_nothing_of_an_earlier_one(root, site):
    write(root, "data/structured_outputs.json", {"holder": "Bo Xi", "status": "lapsed"})
    site.answers[ReadFields] = FlowAnswer(value={"holder": "Ann Lee"})
    site.answers[ClickElement] = FlowAnswer(error=FlowError(code="element_missing", message="no such tab"))

    async def run(**_variables: object) -> dict[str, object]:
        found = await read("holder")
        await click("#more")
        return found

    with pytest.raises(FlowStopped):
        await run_flow(run)
    assert outputs(root) == {"holder": "Ann Lee"}
    told = last_run(root)
    assert (told["state"], told["code"], told["message"]) == ("stopped", "element_missing", "no such tab")


async def test_a_list_that_was_read_may_go_on_and_that_is_said(root, site):
    site.answers[ReadList] = FlowAnswer(value=[{"sku": "A-1"}])

    async def run(**_variables: object) -> dict[str, object]:
        await read_list("lines")
        return {"holder": None, "status": None}

    await run_flow(run)
    assert last_run(root)["remarks"] == [
        "lines: the rows of the page that was shown; only a run finds out whether there are more"
    ]


async def test_what_cannot_be_undone_is_clicked_once_for_the_same_variables(root, site):
    async def run(**_variables: object) -> dict[str, object]:
        await click("#send", irreversible=True)
        return {"holder": None, "status": None}

    await run_flow(run)
    assert last_run(root)["state"] == "finished"
    bind_here(StandaloneFlow(FlowFolder(root), site.open))
    with pytest.raises(FlowStopped) as caught:
        await run_flow(run)
    assert caught.value.code == "clicked_before"
    assert len(site.calls) == 1
    write(root, "data/variables.json", {"Medical License": "B 2"})
    bind_here(StandaloneFlow(FlowFolder(root), site.open))
    await run_flow(run)
    assert len(site.calls) == 2


async def test_a_damaged_list_of_clicks_stops_the_flow(root, site):
    (root / "data/clicked_once.json").write_text("[]")

    async def run(**_variables: object) -> None:
        await click("#send", irreversible=True)

    with pytest.raises(ValueError, match="must not be lost"):
        await run_flow(run)
    assert site.calls == []


def test_the_addresses_in_the_code_are_opened_too(root):
    (root / "workspace/flow.py").write_text(
        'async def run(name):\n    await open_page(f"https://people.example/{name}")\n'
    )
    assert FlowFolder(root).hosts() == ("people.example",)
