"""The wheel of `pip wheel .` is complete and works in a new virtual environment."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, write_input
from tests.end_to_end.conftest import ROOT

pytestmark = pytest.mark.long
BUILD_S, INSTALL_S, RUN_S = 120, 420, 180


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(command, check=True, timeout=BUILD_S)
    (built,) = folder.glob("exhibit-*.whl")
    return built


def test_it_holds_the_page_engine_the_reports_assets_and_the_schema(wheel: Path):
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    tracked = subprocess.run(["git", "ls-files", "services", "shared", "task_specs"], cwd=ROOT, stdout=subprocess.PIPE)
    wanted = {
        name for name in tracked.stdout.decode().split() if Path(name).suffix in (".js", ".css", ".html", ".json")
    }
    assert {Path(name).name for name in wanted} >= {"walk.js", "report.css", "body.html", "schema.json"}
    assert wanted <= names


def test_what_it_requires_is_what_is_locked(wheel: Path):
    """A lower bound is a version that was tested: the one of the lock, or an earlier one of it."""
    with zipfile.ZipFile(wheel) as file:
        (metadata,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        required = email.message_from_bytes(file.read(metadata)).get_all("Requires-Dist", [])
    locked = dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert len(required) > 20
    for requirement in map(Requirement, required):
        assert requirement.specifier, f"{requirement.name} has no lower bound"
        assert locked[requirement.name] in requirement.specifier


def test_it_carries_the_list_of_what_is_locked(wheel: Path):
    with zipfile.ZipFile(wheel) as file:
        (carried,) = (name for name in file.namelist() if ".dist-info/sboms/" in name)
        assert file.read(carried) == (ROOT / "sbom.cdx.json").read_bytes()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of a virtual environment that holds the wheel, and what it requires, alone."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, venv], check=True, timeout=BUILD_S)
    versions = ["--constraint", ROOT / "requirements.lock"]
    command = [
        *uv,
        "pip",
        "install",
        "--python",
        venv / "bin/python",
        *versions,
        f"exhibit[practice] @ {wheel.as_uri()}",
    ]
    subprocess.run(command, check=True, timeout=INSTALL_S)
    return venv / "bin"


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, object]:
    """How a command of it is started: in an empty folder, with nothing of this checkout in reach."""
    state = {"EXHIBIT_STATE_DIR": str(tmp_path / "state"), "EXHIBIT_PLANNER": "rules"}
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EXHIBIT_", "VIRTUAL_"))
    }
    folder = tmp_path / "empty"
    folder.mkdir()
    return {"cwd": folder, "env": {**kept, **state}, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


@contextmanager
def practice_site(installed: Path, alone: dict) -> Generator[str, None, None]:
    with subprocess.Popen([installed / "python", "-m", "practice.tickets"], **alone) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.communicate(timeout=RUN_S)


def test_it_helps_validates_and_runs(installed: Path, alone: dict, tmp_path: Path):
    spec = next(installed.parent.glob("lib/*/site-packages/task_specs/practice_tickets.json"))

    def exhibit(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([installed / "exhibit", *arguments], timeout=RUN_S, **alone)

    helped = exhibit("--help")
    assert helped.returncode == 0, helped.stderr
    assert "validate" in helped.stdout
    validated = exhibit("validate", spec)
    assert validated.returncode == 0, validated.stdout + validated.stderr
    tickets = ground_truth()
    with practice_site(installed, alone) as url:
        write_input(tmp_path / "tickets.csv", url, tickets)
        ran = exhibit("run", spec, "--input", tmp_path / "tickets.csv", "--evidence", tmp_path / "evidence")
    (run,) = (tmp_path / "evidence").iterdir()
    assert compare(run / "combined.csv", tickets) == [], ran.stdout + ran.stderr
    assert exhibit("verify", run).returncode == 0
