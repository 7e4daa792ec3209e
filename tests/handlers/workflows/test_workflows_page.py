"""docs/workflows.md: what it shows is true."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

from typer.main import get_command

from exhibit import InProcessExecutor, Session
from services.console.cli import app
from services.workflows.session import Feature
from shared.task.spec import check_spec
from shared.workflow_source.lint import lint

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "workflows.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def test_the_first_workflow_has_no_faults():
    assert [one for one in lint(blocks("python")[0], "fetch_json") if one.severity != "advice"] == []


async def test_the_example_of_a_search_finds_it(tmp_path):
    (query,) = re.findall(r'exhibit workflows search "(.*)"', PAGE)
    async with Session(tmp_path / "workflows", InProcessExecutor()) as session:
        await session.add_workflow("fetch_json", blocks("python")[0])
        assert [hit.workflow.name for hit in await session.search(query)] == ["fetch_json"]


async def test_the_example_of_a_session_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = blocks("python")[1].replace("from exhibit import Session\n", "")
    names: dict[str, Any] = {"Session": lambda storage, **rest: Session(storage, InProcessExecutor(), **rest)}
    lines = textwrap.indent(body.replace("    await session.invoke(", "    greeting = await session.invoke("), "    ")
    lines = lines.replace("    await session.search(", "    hits = await session.search(")
    exec(f"async def example():\n{lines}\n        return greeting, hits, result", names)
    greeting, hits, result = await names["example"]()
    assert greeting == "Hello, Ada!"
    assert [hit.workflow.name for hit in hits] == ["greet"]
    assert (result.value, result.error, result.is_ok) == ("Hello, World!", None, True)


def test_every_command_that_it_names_is_there():
    group = get_command(app).commands["workflows"]  # type: ignore[attr-defined]
    told = set(re.findall(r"exhibit workflows ([a-z]+)", PAGE))
    assert told <= set(group.commands)
    assert set(group.commands) - told == set()


def test_the_key_of_the_spec_is_valid():
    (written,) = blocks("json")
    spec = {"task_id": "t", "goal": "g", "output_schema": {"a": "string"}, **json.loads(f"{{{written}}}")}
    assert check_spec(spec)[1] == ()


def test_every_method_and_feature_is_there():
    told = PAGE[PAGE.index("Also `list`") : PAGE.index("Over the bus")]
    methods = set(re.findall(r"`([a-z_]+)`", told)) - {"run", "add", "sync"}
    assert [name for name in sorted(methods) if not hasattr(Session, name) and name != "deps"] == []
    assert len(Feature.__args__) == 6
