"""Reading a workflow's source: parameters, description, and what is no workflow."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.workflows.sources import Parameter
from shared.workflow_source.module import MAX_SOURCE_CHARS, name_findings, read_module
from tests.cases import cases


def codes(source: str) -> list[str]:
    module, findings = read_module(source)
    assert (module is None) == bool(findings)
    return [one.code for one in findings]


def test_parameters_are_read_from_the_signature():
    source = """def run(url, count: int = 3, *, headers: dict[str, str] | None = None, timeout_s: float) -> str: ..."""
    module, _ = read_module(source)
    assert module is not None
    assert module.parameters == (
        Parameter(name="url", type="", required=True),
        Parameter(name="count", type="int", required=False, default="3"),
        Parameter(name="headers", type="dict[str, str] | None", required=False, default="None"),
        Parameter(name="timeout_s", type="float", required=True),
    )
    assert (module.is_async, module.takes_more) == (False, False)


def test_run_may_be_async_and_take_any_keyword():
    module, _ = read_module("async def run(**options): ...")
    assert module is not None
    assert (module.is_async, module.takes_more, module.parameters) == (True, True, ())


@cases(
    ("source", "description"),
    [
        ('"""Fetch\nthe page.\n\nMore."""\ndef run():\n    """Of run."""', "Fetch the page."),
        ('def run():\n    """Of run.\n\n    Args:\n    """', "Of run."),
        ("def run(): ...", ""),
    ],
)
def test_the_modules_docstring_describes_it_else_that_of_run(source: str, description: str):
    module, _ = read_module(source)
    assert module is not None
    assert module.description == description


@cases(
    ("source", "expected"),
    [
        ("", ["no_run"]),
        ("run = print", ["no_run"]),
        ("class run: ...", ["no_run"]),
        ("if True:\n    def run(): ...", ["no_run"]),
        ("class A:\n    def run(self): ...", ["no_run"]),
        ("def run(a, /): ...", ["positional_only"]),
        ("def run(:", ["syntax"]),
        ("def run():\n    return 1 +", ["syntax"]),
        ("def run(): ...\0", ["syntax"]),
        ("def run(): return '\ud800'", ["syntax"]),
        ("def run(): return " + "(" * 5000 + ")" * 5000, ["syntax"]),
        ("def run(): return " + "-" * 5000 + "1", ["syntax"]),
        ("def run(): return " + "a." * 5000 + "b", ["syntax"]),
        ("def run(): return " + "9" * 5000, ["syntax"]),
        ("#" * (MAX_SOURCE_CHARS + 1), ["too_long"]),
    ],
)
def test_what_is_no_workflow_is_told(source: str, expected: list[str]):
    assert codes(source) == expected


def test_a_syntax_error_has_its_line():
    assert read_module("def run():\n    x = 1\n    return ]")[1][0].line == 3


@cases(
    ("name", "expected"),
    [
        ("fetch_json", []),
        ("größe", []),
        ("", ["invalid_name"]),
        ("2nd", ["invalid_name"]),
        ("a-b", ["invalid_name"]),
        ("../x", ["invalid_name"]),
        ("class", ["invalid_name"]),
        ("_hidden", ["invalid_name"]),
        *[(name, ["reserved_name"]) for name in ("list", "search", "get", "invoke", "create", "delete")],
    ],
)
def test_names(name: str, expected: list[str]):
    assert [one.code for one in name_findings(name)] == expected


@given(st.text(max_size=200))
def test_any_text_is_a_workflow_or_has_findings(source: str):
    codes(source)


def test_nothing_is_executed(tmp_path: Path):
    made = tmp_path / "made"
    source = f"open({str(made)!r}, 'w')\n@print\ndef run(a=open({str(made)!r}, 'w')): ..."
    assert read_module(source)[0] is not None
    assert not made.exists()
