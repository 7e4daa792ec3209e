"""The libraries in examples/workflows: nothing to find fault with, and each does what its description says.

Those that use a tool run in the sandbox, with the tools of their own declarations against a server on loopback.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from exhibit import InProcessExecutor, Outcome, Session, WorkflowFailedError
from services.workflows.ports import Executor
from services.workflows.tools.declared.loading import load_declarations
from services.workflows.tools.toolbox import Toolbox
from shared.workflow_source.lint import lint
from shared.workflow_source.module import read_module
from tests.handlers.workflows.http_world import HttpWorld, http_world
from tests.handlers.workflows.tool_bench import ToolBench

EXAMPLES = Path(__file__).parents[3] / "examples/workflows"
SOURCES = sorted(EXAMPLES.glob("*/workflows/*.py"))
JSON = {"Content-Type": "application/json"}
FINDINGS = """id,control,severity,status,title
F-1,AC-2,High,open,"Leavers | keep <b>accounts</b>"
F-2,AC-2,low,Closed,Old password rule
F-3,BK-1,medium,open,No restore test
"""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_linter_finds_nothing(path):
    source = path.read_text(encoding="utf-8")
    assert lint(source, path.stem) == ()
    module, _ = read_module(source)
    assert module is not None
    assert module.description


@pytest.mark.parametrize("folder", sorted(EXAMPLES.glob("*/tools")), ids=lambda folder: folder.parent.name)
def test_the_declarations_of_tools_are_valid(folder):
    loaded = load_declarations(folder)
    assert loaded.problems == ()
    assert len(loaded.declarations) == len(list(folder.glob("*.yaml")))


class ExampleLibrary:
    """A library of the examples in a session: in the sandbox, with a copy of its files."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def invoke(self, name: str, /, **arguments: Any) -> Outcome:
        try:
            return Outcome(await self.session.invoke(name, **arguments))
        except WorkflowFailedError as exc:
            return Outcome(error=exc.failure)


@asynccontextmanager
async def opened(
    name: str, folder: Path, toolbox: Toolbox | None = None, executor: Executor | None = None
) -> AsyncGenerator[ExampleLibrary]:
    shutil.copytree(EXAMPLES / name / "workflows", folder / "workflows", ignore=shutil.ignore_patterns(".library"))
    async with Session(folder / "workflows", executor, tools=toolbox) as session:
        yield ExampleLibrary(session)


def failure_of(outcome: Outcome) -> str:
    """The error of an invocation, as ``Type: message``."""
    assert outcome.error is not None
    return f"{outcome.error.type}: {outcome.error.message}"


@pytest.fixture
async def reports(tmp_path: Path) -> AsyncIterator[ExampleLibrary]:
    async with opened("reports", tmp_path, executor=InProcessExecutor()) as library:
        yield library


@pytest.fixture
def world() -> Iterator[HttpWorld]:
    with http_world() as world:
        for name, stars, language in (("alpha", 3, "Python"), ("beta", 4, "Go"), ("gamma", 5, None)):
            answer = {"name": name, "stargazers_count": stars, "language": language, "description": None}
            world.answers[f"/repos/acme/{name}"] = (200, JSON, json.dumps(answer).encode())
        yield world


@pytest.fixture
async def repositories(tmp_path: Path, world: HttpWorld) -> AsyncIterator[ExampleLibrary]:
    """The declaration as it stands in the example, but for the server on loopback."""
    bench = ToolBench(tmp_path)
    declared = yaml.safe_load((EXAMPLES / "json_over_http/tools/curl.yaml").read_text(encoding="utf-8"))
    bench.write("curl.yaml", yaml.safe_dump({**declared, "hosts": [world.base.removeprefix("http://")]}))
    toolbox = bench.open()
    assert toolbox.problems == ()
    async with opened("json_over_http", tmp_path / "library", toolbox) as library:
        yield library


@pytest.mark.system
async def test_three_layers_of_workflows_end_at_a_server(repositories, world):
    names = ["acme/alpha", "acme/beta", "acme/gamma"]
    outcome = await repositories.invoke("analyze_multiple_repos", repositories=names, api_url=world.base)
    assert outcome.error is None
    found = outcome.value
    assert (found["total_repos"], found["total_stars"], found["languages"]) == (3, 12, ["Go", "Python"])
    assert found["repos"][0] == {"name": "alpha", "stars": 3, "language": "Python", "description": ""}
    assert [asked.path for asked in world.asked] == [f"/repos/{name}" for name in names]


async def test_a_report_is_made_of_findings_in_two_forms(reports):
    await reports.session.save_artifact("findings.csv", b"\xef\xbb\xbf" + FINDINGS.encode())
    outcome = await reports.invoke("publish_findings_report", findings_file="findings.csv", period="2026-10")
    assert outcome.error is None
    made = outcome.value
    assert made["reports"] == ["findings-2026-10.md", "findings-2026-10.html"]
    assert made["summary"] == {
        "total": 3,
        "open": 2,
        "by_severity": {"high": 1, "medium": 1, "low": 0},
        "by_control": {"AC-2": 1, "BK-1": 1},
        "failing_controls": ["AC-2"],
    }
    markdown, page = [await reports.session.load_artifact(name) for name in made["reports"]]
    assert "# Findings of the audit, 2026-10\n" in markdown
    assert "| F-1 | AC-2 | high | open | Leavers \\| keep \\<b\\>accounts\\</b\\> |" in markdown
    assert "<td>Leavers | keep &lt;b&gt;accounts&lt;/b&gt;</td>" in page
    again = await reports.invoke("publish_findings_report", findings_file="findings.csv", period="2026-10")
    assert failure_of(again) == (
        "RuntimeError: there is findings-2026-10.html, findings-2026-10.md already; reports are never overwritten"
    )


async def test_findings_that_are_not_valid_are_refused_with_their_line(reports):
    await reports.session.save_artifact("findings.csv", FINDINGS + "F-1,AC-2,low,open,Again\n")
    outcome = await reports.invoke("publish_findings_report", findings_file="findings.csv", period="2026-10")
    assert "findings.csv" in failure_of(outcome)
    assert "line 5: the id 'F-1' is empty or stands there twice" in failure_of(outcome)
    assert [one.name for one in await reports.session.list_artifacts()] == ["findings.csv"]
