"""The wheel of `pip wheel .` is complete and works in a new virtual environment."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from practice.tickets.data import ground_truth
from practice.tickets.demo import compare
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


def test_it_says_its_licence_and_has_the_text(wheel: Path):
    with zipfile.ZipFile(wheel) as file:
        (metadata,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(file.read(metadata))
        licences = f"{metadata.removesuffix('METADATA')}licenses"
        texts = {name: file.read(f"{licences}/{name}").decode() for name in told.get_all("License-File", [])}
    assert (told["License-Expression"], told["Name"]) == (
        "Apache-2.0 AND Unicode-3.0 AND MIT AND OFL-1.1",
        "exhibit",
    )
    assert "Typing :: Typed" in told.get_all("Classifier", [])
    assert "Version 2.0, January 2004" in texts["LICENSE"]
    assert len(texts) == 4
    assert "SIL OPEN FONT LICENSE Version 1.1" in texts["shared/papers/pdf_pack/fonts/LICENSE"]
    assert "UNICODE LICENSE V3" in texts["shared/text/date_names.LICENSE"]
    for owner in ("SpryMedia Limited", "PrimeTek", "Vuetify, LLC"):
        assert re.search(rf"Copyright \(c\) \S+ {owner}", texts["shared/text/list_words.LICENSE"])


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of a virtual environment that holds the wheel and what is locked for it without its
    extras, alone."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    into = ["--python", venv / "bin/python"]
    for command in (
        [*uv, "venv", "--python", sys.executable, venv],
        [*uv, "pip", "install", *into, "--require-hashes", "-r", ROOT / "requirements-base.lock"],
        [*uv, "pip", "install", *into, "--no-deps", wheel],
        [*uv, "pip", "check", *into],
    ):
        subprocess.run(command, check=True, timeout=INSTALL_S)
    return venv / "bin"


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, object]:
    """How a command of it is started: in an empty folder, with nothing of this checkout in reach."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EXHIBIT_", "VIRTUAL_"))
    }
    folder = tmp_path / "empty"
    folder.mkdir()
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    return {"cwd": folder, "env": {**kept, **state}, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


def test_it_tells_its_version_helps_and_runs_the_demo_in_an_empty_folder(installed: Path, alone: dict, tmp_path: Path):
    spec = next(installed.parent.glob("lib/*/site-packages/task_specs/practice_tickets.json"))

    def exhibit(*arguments: str | Path) -> str:
        ended = subprocess.run([installed / "exhibit", *arguments], timeout=RUN_S, **alone)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert exhibit("--version") == f"exhibit {version}\n"
    assert "validate" in exhibit("--help")
    exhibit("validate", spec)
    assert exhibit("demo").endswith("60 samples: 58 done, 2 failed (not found)\n")
    (run,) = (tmp_path / "empty" / "evidence").glob("run_*")
    assert compare(run / "combined.csv", ground_truth()) == []
    exhibit("verify", run)


USES = """
import exhibit.flow
import practice.comparing
import servers.browser_tools
import services.discovery
import shared.hosts
wrong: int = shared.hosts.host_of("http://a.test/")
"""


def test_a_type_checker_sees_the_types_of_each_package(installed: Path, tmp_path: Path):
    """A strict one refuses to import from a package that does not say that it has types."""
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "reportUnusedImport": false}')
    checked = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--pythonpath", installed / "python", "--outputjson", "-p", tmp_path],
        capture_output=True, text=True, timeout=RUN_S, check=False,
    )  # fmt: skip
    found = [one for one in json.loads(checked.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    assert [one["rule"] for one in found] == ["reportAssignmentType"], found
