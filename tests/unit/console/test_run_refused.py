"""`exhibit run` with bad input: every problem at once, and nothing is started. (The tests may not start a process.)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from services.console.cli import app
from tests.unit.shared.tables.written_workbook import Sheet, cell, text, written

SPEC: dict[str, Any] = {
    "task_id": "tickets",
    "goal": "the owner of each ticket",
    "start_url": "{url}",
    "sample_id": "{number}",
    "input_schema": {"number": "string", "url": "string"},
    "output_schema": {"owner": "string", "number": "string"},
    "identity": {"number": "{number}"},
    "allowed_hosts": ["127.0.0.1"],
}
LISTING: dict[str, Any] = {
    "task_id": "list",
    "phase": "discovery",
    "goal": "list the tickets",
    "start_url": "http://127.0.0.1/{team}",
    "sample_id": "{number}",
    "output_schema": {"number": "string", "url": "string"},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXHIBIT_EVIDENCE_DIR", str(tmp_path / "evidence"))
    monkeypatch.setenv("EXHIBIT_STATE_DIR", str(tmp_path / "state"))
    Path("spec.json").write_text(json.dumps(SPEC))
    Path("list.json").write_text(json.dumps(LISTING))
    Path("in.csv").write_text("number,url\nT-1,http://127.0.0.1/1\n")
    return tmp_path


def ran(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", *arguments], catch_exceptions=False)


def refused(*arguments: str) -> list[str]:
    """Return the problems that people are told, each with its place."""
    ended = ran(*arguments)
    first, *problems = ended.stderr.splitlines()
    assert ended.exit_code == 2
    assert first.endswith("; nothing was started")
    assert not Path("evidence").exists()
    return [line.strip() for line in problems]


def places(problems: list[str]) -> list[str]:
    return [line.partition(": ")[0] for line in problems]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{", ["spec.json, line 1, column 2"]),
        ({**SPEC, "output_schema": {"a": "text"}, "x": 1}, ["spec.output_schema.a.type", "spec.x"]),
        ({**SPEC, "phase": "discovery", "identity": {}}, ["spec.phase"]),
    ],
)
def test_a_spec(written: str | dict[str, Any], expected: list[str]):
    Path("spec.json").write_text(written if isinstance(written, str) else json.dumps(written))
    assert places(refused("spec.json", "--input", "in.csv")) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("", "in.csv: the file is empty"),
        ("number\nT-1\n", "column url: missing; the columns are number"),
        ("number,url\nT,http://127.0.0.1/1\nT,http://127.0.0.1/2\n", "row 2: the sample 'T' is in row 1 already"),
        ("number,url\n,http://127.0.0.1/1\n", "row 1, column number: empty, and it is required"),
        ("number,url\nT-1,ftp://127.0.0.1/1\n", "row 1: ftp: addresses are not opened"),
    ],
)
def test_an_input(rows: str, expected: str):
    Path("in.csv").write_text(rows)
    (problem,) = refused("spec.json", "--input", "in.csv")
    assert problem.startswith(expected)


def test_options_spec_input_and_register_are_told_together():
    Path("spec.json").write_text(json.dumps({**SPEC, "x": 1}))
    Path("in.csv").write_text("number\nT-1\n")
    Path("register.csv").write_text("other\n1\n")
    options = ("--planner", "oracle", "--reconcile", "register.csv", "--key", "number")
    found = places(refused("spec.json", "--input", "in.csv", *options))
    assert found[:3] == ["planner", "spec.x", "column url"]
    assert found[3].startswith("register.csv")


def test_what_a_workbook_leaves_open_is_asked_with_the_option_that_settles_it():
    head = [text("A1", "number"), text("B1", "url"), text("C1", "note")]
    rows = [head, [text("A2", "T-1"), text("B2", "http://127.0.0.1/1"), cell("C2", "<v>#N/A</v>", "e")]]
    lost = [cell("A3", "<f>A2</f>"), cell("B3", "<v>#REF!</v>", "e")]
    Path("in.xlsx").write_bytes(written(Sheet("List", [*rows, lost]), Sheet("Old", rows, "hidden")))
    assert places(refused("spec.json", "--input", "in.xlsx")) == [
        "sheet List, cell A3 (column number)",
        "sheet List, cell B3 (column url)",
    ]
    Path("in.xlsx").write_bytes(written(Sheet("List", rows), Sheet("May", rows, hidden=frozenset({2}))))
    assert "--sheet List --sheet May" in refused("spec.json", "--input", "in.xlsx")[0]
    assert "--hidden-rows take" in refused("spec.json", "--input", "in.xlsx", "--sheet", "May")[0]
    both = ("--sheet", "List", "--sheet", "May", "--hidden-rows", "take")
    assert refused("spec.json", "--input", "in.xlsx", *both)[0].startswith(
        "sheet May, row 2: the sample 'T-1' is in sheet List, row 2 already"
    )


def test_a_register_loses_no_row_without_a_word():
    rows = [[text("A1", "number"), text("B1", "owner")], [text("A2", "T-1")], [cell("A3", "<v>#REF!</v>", "e")]]
    Path("out.xlsx").write_bytes(written(Sheet("Out", rows), Sheet("More", rows)))
    told = ("spec.json", "--input", "in.csv", "--reconcile", "out.xlsx", "--key", "number")
    assert "--register-sheet Out" in refused(*told)[0]
    assert refused(*told, "--register-sheet", "Out") == [
        "out.xlsx, sheet Out, cell A3 (column number): it shows the error #REF!"
    ]


def test_samples_that_nobody_names():
    assert refused("spec.json") == ["samples: no samples were given"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["discovery_row.team"]),
        (("--with", "org=acme", "--input", "in.csv"), ["request", "discovery_row.team"]),
    ],
)
def test_a_discovery(options: tuple[str, ...], expected: list[str]):
    assert places(refused("spec.json", "--discover", "list.json", *options)) == expected


def test_a_task_that_lists_needs_what_fills_it():
    assert places(refused("list.json")) == ["discovery_row.team"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("no-spec.json", "--input", "no-input.csv"), ["no-spec.json: no such file", "no-input.csv: no such file"]),
        ((), ["SPEC: name a task spec, or an earlier run with --resume"]),
        (("spec.json", "--input", "spec.json"), ["spec.json: an input file ends in .csv, .tsv, .xlsx, .xls"]),
        (("spec.json", "--mode", "fast"), ["--mode: 'fast' is no mode; the modes are auto, agent, flow"]),
        (("spec.json", "--with", "a"), ["--with a: write NAME=VALUE, such as org=acme"]),
        (("spec.json", "--key", "number"), ["--key: it goes with --reconcile FILE"]),
        (("spec.json", "--fold-keys"), ["--fold-keys: it goes with --reconcile FILE"]),
        (("spec.json", "--sheet", "A"), ["--sheet: it goes with --input FILE"]),
        (("spec.json", "--register-encoding", "cp1252"), ["--register-encoding: it goes with --reconcile FILE"]),
        (
            ("spec.json", "--input", "in.csv", "--sheet", "A", "--hidden-rows", "some"),
            [
                "--hidden-rows: 'some' is neither take nor leave",
                "--sheet: the file is a text, which has none; leave it out",
                "--hidden-rows: the file is a text, which has none; leave it out",
            ],
        ),
        (
            ("spec.json", "--input", "in.csv", "--resume", "last", "--encoding", "cp1252"),
            ["--encoding: a resumed run keeps its own samples; leave it out"],
        ),
        (
            ("spec.json", "--input", "in.csv", "--resume", "run_1"),
            ["--resume: run_1 goes on with its own samples: leave --input and --discover out, or say --resume last"],
        ),
    ],
)
def test_options(options: tuple[str, ...], expected: list[str]):
    assert refused(*options) == expected


def test_programs_get_the_problems_as_json():
    ended = ran("no-spec.json", "--json")
    assert (ended.exit_code, ended.stderr) == (2, "")
    assert json.loads(ended.stdout) == {"problems": [{"where": "no-spec.json", "message": "no such file"}]}


@pytest.mark.parametrize(
    ("name", "value"), [("EXHIBIT_LOG_LEVEL", "loud"), ("EXHIBIT_PLANNER", "oracle"), ("EXHIBIT_CHROMIUM", "/no/such")]
)
def test_a_setting_that_is_wrong_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str):
    monkeypatch.setenv(name, value)
    ended = ran("spec.json")
    assert ended.exit_code == 2
    assert f"exhibit: setting {name.removeprefix('EXHIBIT_').lower()}: " in ended.stderr


def test_a_bus_that_is_not_there_is_said():
    ended = ran("spec.json", "--input", "in.csv", "--nats", "nats://127.0.0.1:1")
    assert ended.exit_code == 3
    assert "no NATS server answers at nats://127.0.0.1:1" in ended.stderr
