"""Rules that keep the tests free of false alarms, read from their source.

A line that has to break a rule of time says why in a comment that begins with ``# clock:``.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEAST_BOUND_S = 30.0
"""A slow machine takes that long for what a test waits for."""
EXEMPT = "# clock:"
WAITS = ("wait_for", "timeout", "wait", "join", "get", "communicate", "result", "until", "next_msg", "run", "urlopen")
"""Calls whose bound is wall clock, by their last name; a bound is their argument ``timeout`` or a lone number."""
TODAY = ("date.today", "datetime.today", "datetime.now", "time.time")
RERUNS = ("rerunfailures", "flaky")


def broken_rules(source: str) -> list[str]:
    """Return each break of a rule as ``line: what``."""
    lines = source.splitlines()
    return [
        f"{node.lineno}: {what}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.While | ast.Call)
        for what in breaks(node)
        if not any(EXEMPT in line for line in lines[node.lineno - 1 : node.end_lineno])
    ]


def breaks(node: ast.While | ast.Call) -> Iterator[str]:
    if isinstance(node, ast.While) and all(isinstance(one, ast.Pass) or is_ellipsis(one) for one in node.body):
        if not any(isinstance(inner, ast.Await) for inner in ast.walk(node.test)):
            yield "a busy loop; poll with tests.waiting.until"
    elif isinstance(node, ast.Call):
        last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if (
            last == "sleep"
            and not is_of_fake_clock(node.func)
            and not (node.args and is_number(node.args[0], below=1e-9))
        ):
            yield "a sleep; wait for what it waits for"
        if last in ("today", "now", "time") and ast.unparse(node.func) in TODAY:
            yield "the present time"
        if last in WAITS and any(is_number(bound, below=LEAST_BOUND_S) for bound in bounds(node, last)):
            yield f"a bound under {LEAST_BOUND_S:.0f} s"


def bounds(call: ast.Call, last: str) -> Iterator[ast.expr]:
    yield from (word.value for word in call.keywords if word.arg in ("timeout", "timeout_s", "delay"))
    if last == "wait_for":
        yield from call.args[1:2]
    elif last in ("timeout", "wait", "join", "result"):
        yield from call.args[:1]


def is_number(node: ast.expr, *, below: float) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int | float) and not isinstance(value, bool) and value < below


def is_of_fake_clock(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function.value).endswith("clock")


def is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def test_no_test_depends_on_the_speed_of_the_machine_or_on_the_day():
    found = [
        f"{path.relative_to(ROOT)}:{one}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path != Path(__file__)
        for one in broken_rules(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_no_failed_test_is_run_again():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert [word for word in RERUNS if word in project] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("time.sleep(0.1)", "1: a sleep"),
        ("async def t():\n    await asyncio.sleep(pause)", "2: a sleep"),
        ("while not ready():\n    pass", "1: a busy loop"),
        ("asyncio.wait_for(done.wait(), 10)", "1: a bound"),
        ("thread.join(5)", "1: a bound"),
        ("process.communicate(timeout=20)", "1: a bound"),
        ("seed = date.today().toordinal()", "1: the present time"),
        ("datetime.now(UTC)", "1: the present time"),
    ],
)
def test_a_broken_rule_is_found(source: str, found: str):
    assert [one[: len(found)] for one in broken_rules(source)] == [found]


def test_what_keeps_the_rules_is_left_alone():
    kept = """
        async def t():
            await asyncio.sleep(0)
            await asyncio.wait_for(done.wait(), 60)
            process.communicate(timeout=30)
            thread.join(0.05)  # clock: it must not end
            while not until(look, "it"):
                step()
            ", ".join(words)
    """
    assert broken_rules(textwrap.dedent(kept)) == []
