"""The table of commands: each row says what its function says, and nothing is loaded that the command does not need."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.console.cli import LazyCommand, app
from services.console.command_table import TOP, CommandRow, GroupRow

ROOT = Path(__file__).parents[3]
EARLIER_RUNS = ROOT / "tests/fixtures/earlier_runs"
SPEC = ROOT / "task_specs/practice_tickets.json"
MOST_MODULES = 450
"""Of Python itself, Typer and Rich: what `exhibit --help` shows is in the table."""
SERVICES_AND_BROWSERS = {"nats", "minio", "urllib3", "duckdb", "anthropic", "opentelemetry", "playwright", "numpy"}
COUNTED = """
import atexit, json, sys
loaded = open(sys.argv[1], "w")
atexit.register(lambda: json.dump(sorted(sys.modules), loaded))
sys.argv = ["exhibit", *sys.argv[2:]]
from services.console.__main__ import main
main()
"""


def rows() -> Iterator[CommandRow]:
    for row in TOP:
        yield from row.commands if isinstance(row, GroupRow) else (row, *row.besides)


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.function)
def test_a_row_says_what_the_function_says(row: CommandRow):
    loaded = LazyCommand(row).load()
    said = inspect.cleandoc(loaded.help or "").split("\n\n")[0].replace("\n", " ")
    assert (loaded.name, said, loaded.epilog, loaded.hidden) == (row.name, row.line, row.exit_codes, row.hidden)
    assert loaded.get_short_help_str() == LazyCommand(row).get_short_help_str()


def test_every_function_and_every_name_stands_once():
    functions = [row.function for row in rows()]
    assert len(functions) > 40
    assert sorted(functions) == sorted(set(functions))
    for group in (TOP, *(row.commands for row in TOP if isinstance(row, GroupRow))):
        names = [row.name for row in group]
        assert sorted(names) == sorted(set(names))


def test_a_command_that_is_no_command_is_answered_with_those_like_it():
    ended = CliRunner().invoke(app, ["flows", "shw"])
    assert ended.exit_code == 2
    assert "Did you mean 'show'?" in ended.stderr


# --- what is loaded


def loaded_modules(folder: Path, *words: str) -> tuple[int, set[str]]:
    """Run `exhibit` with the words in a process of its own; return its exit code and the modules that it has loaded."""
    env = {"PYTHONPATH": str(ROOT), "EXHIBIT_STATE_DIR": str(folder / "state"), "PATH": ""}
    loaded = folder / "loaded.json"
    command = [sys.executable, "-c", COUNTED, str(loaded), *words]
    ended = subprocess.run(command, capture_output=True, env=env, cwd=folder, check=False)
    return ended.returncode, set(json.loads(loaded.read_text()))


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.system
@pytest.mark.parametrize("words", [("--help",), ("flows", "--help"), ("runs",), ("--version",)], ids=" ".join)
def test_a_list_of_commands_is_shown_without_loading_one(words: tuple[str, ...], tmp_path: Path):
    _, modules = loaded_modules(tmp_path, *words)
    assert len(modules) <= MOST_MODULES
    assert packages(modules) & {*SERVICES_AND_BROWSERS, "pydantic_settings"} == set()
    assert "pydantic" not in modules or words != ("--help",)  # Typer has it read the options of a group
    assert not any(name.startswith(("services.console.commands.", "shared.")) for name in modules)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A sealed run, unpacked."""
    with zipfile.ZipFile(EARLIER_RUNS / "submitted.zip") as packed:
        packed.extractall(tmp_path / "unpacked")
    return next((tmp_path / "unpacked").rglob("run.json")).parent


def commands_of(run: Path) -> dict[str, tuple[int, tuple[str, ...]]]:
    """The commands that need no service, with their exit codes."""
    sample = next(path.parent.name for path in sorted(run.glob("*/result.json")))
    return {
        "validate": (0, ("validate", str(SPEC))),
        "verify": (2, ("verify", str(run))),  # whole, and by whom it was sealed is not known here
        "explain": (0, ("explain", str(run), sample)),
        "compare": (0, ("compare", str(run), str(run))),
        "key": (0, ("key", "--new")),
        "health": (2, ("health",)),  # no port is set
        "verify --help": (0, ("verify", "--help")),
    }


@pytest.mark.system
@pytest.mark.parametrize("name", ["validate", "verify", "explain", "compare", "key", "health", "verify --help"])
def test_a_command_that_needs_no_service_loads_none(name: str, run_folder: Path, tmp_path: Path):
    expected, words = commands_of(run_folder)[name]
    code, modules = loaded_modules(tmp_path, *words)
    assert code == expected
    assert packages(modules) & SERVICES_AND_BROWSERS == set()
    assert "rich" not in packages(modules) or name.endswith("--help")


@pytest.mark.system
@pytest.mark.parametrize(
    "words", [("settle",), ("sql",), ("observe",), ("runs", "status"), ("runs", "pause"), ("reperform",)], ids=" ".join
)
def test_a_command_that_is_asked_for_its_options_reads_no_settings(words: tuple[str, ...], tmp_path: Path):
    code, modules = loaded_modules(tmp_path, *words, "--help")
    assert code == 0
    assert "pydantic_settings" not in modules


LOAD_EACH = """
import json, sys
from services.console.cli import LazyCommand
from services.console.command_table import TOP, GroupRow
told, known = {}, set()
for row in TOP:
    for one in row.commands if isinstance(row, GroupRow) else (row, *row.besides):
        LazyCommand(one).load()
        packages = {name.partition(".")[0] for name in sys.modules}
        told[one.function] = sorted(packages - known)
        known |= packages
print(json.dumps(told))
"""


@pytest.mark.system
def test_no_command_that_is_asked_for_its_options_loads_a_client_of_the_bus():
    env = {"PYTHONPATH": str(ROOT), "PATH": ""}
    ended = subprocess.run([sys.executable, "-c", LOAD_EACH], capture_output=True, env=env, cwd=ROOT, check=True)
    told: dict[str, list[str]] = json.loads(ended.stdout)
    assert told.keys() == {row.function for row in rows()}
    assert {name: found for name, new in told.items() if (found := SERVICES_AND_BROWSERS & {*new})} == {}


@pytest.mark.system
@pytest.mark.parametrize(("words", "code"), [(("list",), 0), (("search", "anything"), 1)])
def test_a_library_that_does_not_exist_is_empty_and_starts_no_service(
    words: tuple[str, ...], code: int, tmp_path: Path
):
    (tmp_path / "here").mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", COUNTED, str(tmp_path / "modules"), "workflows", *words],
        capture_output=True, text=True, env={"PYTHONPATH": str(ROOT), "PATH": ""}, cwd=tmp_path / "here", check=False,
    )  # fmt: skip
    assert (ended.returncode, "The library is empty" in ended.stdout) == (code, True)
    assert packages(json.loads((tmp_path / "modules").read_text())) & SERVICES_AND_BROWSERS == set()
    assert list((tmp_path / "here").iterdir()) == []
