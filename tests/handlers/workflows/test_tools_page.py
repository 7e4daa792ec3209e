"""The examples of docs/tools.md are declarations that load, under the names that the page gives them."""

from __future__ import annotations

import re
from pathlib import Path

from services.workflows.ports import HostCallError
from shared.testing.bus import MemoryBus
from tests.handlers.workflows.tool_bench import problems_in

PAGE = Path(__file__).parents[3] / "docs/tools.md"
_EXAMPLE = re.compile(r"```yaml\n# tools/(\w+\.yaml)\n(.*?)```", re.DOTALL)
RAISED = ("AttributeError", "TypeError", "ValueError", "PermissionError", "LookupError", "TimeoutError", "RuntimeError")


def test_every_example_loads(bench):
    examples = _EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    for name, text in examples:
        bench.write(name, text)
    toolbox = bench.open(bus=MemoryBus())
    assert problems_in(toolbox) == []
    assert {one.name: one.kind for one in toolbox.list()} == {
        "browser": "browser",
        "curl": "cli",
        "fetch": "http",
        "files": "mcp",
        "tracker": "http",
    }


def test_what_a_call_raises_is_what_the_page_says():
    """Every class that the tools name stands in the table, and is an exception of Python."""
    folder = PAGE.parents[1] / "services/workflows/tools"
    sources = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    named = set(re.findall(r'"(\w+Error)"', sources)) - {HostCallError.__name__}
    table = PAGE.read_text(encoding="utf-8").partition("## What a call raises")[2]
    assert {name for name in named if f"`{name}`" not in table} == set()
    assert set(RAISED) <= named
