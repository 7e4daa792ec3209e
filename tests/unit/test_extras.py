"""Parts of the product that are installed on request: what is said where one is missing, and that nothing else is."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import get_args

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from services.console.cli import app
from services.console.machine_checks import check_extras
from services.evidence.sql_sandbox.pool import bucket_access
from services.workflows.ports import HostCallError, ToolContext
from services.workflows.search.embedders import open_embedder
from services.workflows.tools.declared.declarations import McpDeclaration
from services.workflows.tools.toolbox import open_toolbox
from shared import extras
from shared.errors import PermanentError
from shared.evidence_format.sources.opening import open_source
from shared.extras import EXTRAS, ExtraName, how_to_install
from shared.s3.opening import open_bucket
from shared.secrets.store import SecretStore
from shared.settings import Settings
from tests.cases import cases

ROOT = Path(__file__).parents[2]
ROOMS = ("exhibit", "servers", "shared", "services", "practice")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SOURCES = packages_distributions()
"""The packages that are installed, by the names that they are imported by."""
_IMPORT = re.compile(r"^ *(?:import|from) (\w+)", re.MULTILINE)
HOMES: dict[ExtraName, str] = {
    "mcp": "services/workflows/tools/mcp_servers/",
    "papers": "shared/papers/",
    "practice": "practice/",
    "s3": "shared/s3/",
    "search": "services/workflows/search/",
    "tsa": "shared/evidence_format/seals/",
    "web": "services/console/web/",
}
"""The modules that import what an extra brings."""
COMES_WITH = {"anyio": "mcp", "mcp_types": "mcp", "markupsafe": "jinja2", "pydantic_core": "pydantic"}
IN_A_BUCKET = Settings(evidence_bucket="s3://evidence", s3_access_key="a", s3_secret_key="b")  # pyright: ignore[reportArgumentType]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extra is installed, as far as an import can tell, and there is no checkout."""
    for one in EXTRAS.values():
        for module in one.modules:
            monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(extras, "CHECKOUT", Path("/nowhere"))


def names_of(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def imported(room: str) -> dict[str, set[str]]:
    """Return the names that the modules of a room import from installed packages, each with these modules."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / room).rglob("*.py"):
        for name in {*_IMPORT.findall(path.read_text(encoding="utf-8"))} & SOURCES.keys() - {*ROOMS}:
            found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def test_they_are_those_of_the_project():
    optional = PROJECT["optional-dependencies"]
    assert {*EXTRAS} == {*get_args(ExtraName)} == optional.keys() - {"all"}
    assert optional["all"] == [f"exhibit[{','.join(sorted(EXTRAS))}]"]


def test_what_the_product_imports_is_named_and_what_an_extra_brings_is_imported_in_its_home_alone():
    of_all = names_of(PROJECT["dependencies"])
    of_extras: dict[str, list[ExtraName]] = {}
    for one in EXTRAS:
        for name in names_of(PROJECT["optional-dependencies"][one]):
            of_extras.setdefault(name, []).append(one)
    unnamed: list[str] = []
    for module, paths in (pair for room in ROOMS for pair in imported(room).items()):
        packages = {canonicalize_name(one) for one in SOURCES[COMES_WITH.get(module, module)]}
        homes = tuple(HOMES[extra] for one in packages & of_extras.keys() for extra in of_extras[one])
        if not packages & of_all:
            unnamed += [f"{path}: {module}" for path in sorted(paths) if not path.startswith(homes)]
    assert unnamed == [], "\n".join(unnamed)


@pytest.mark.system
def test_nothing_of_them_is_imported_before_it_is_used():
    program = """
import sys
from importlib import import_module
from shared.extras import EXTRAS
from shared.host.service_names import NAMES
for name in [*(f"services.{one}.__main__" for one in NAMES), "services.console.__main__", "exhibit", "exhibit.flow"]:
    import_module(name)
assert not [one for extra in EXTRAS.values() for one in extra.modules if one in sys.modules]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# --- what is said


@pytest.mark.usefixtures("bare")
@cases("name", EXTRAS)
def test_what_is_missing_is_named_with_the_command_that_installs_it(name: ExtraName):
    with pytest.raises(PermanentError, match=rf"not installed: pip install 'exhibit\[{name}\]'$") as refused:
        extras.need_extra(name)
    assert refused.value.code == "not_installed"


def test_in_a_checkout_its_own_command_is_named():
    assert how_to_install("s3") == f"make extras, in {ROOT}"
    assert "\nextras:" in (ROOT / "Makefile").read_text(encoding="utf-8")


@cases("name", EXTRAS)
def test_what_is_there_is_not_missed(name: ExtraName):
    extras.need_extra(name)


@pytest.mark.usefixtures("bare")
def test_evidence_in_a_bucket_needs_its_extra():
    with pytest.raises(PermanentError, match=r"S3 bucket.*exhibit\[s3\]"):
        open_bucket(IN_A_BUCKET)
    with pytest.raises(PermanentError, match=r"exhibit\[s3\]"):
        bucket_access(IN_A_BUCKET)
    with pytest.raises(PermanentError, match=r"exhibit\[s3\]"), open_source(IN_A_BUCKET, "s3://evidence/run_1"):
        pass
    told = CliRunner().invoke(app, ["verify", "s3://evidence/run_1"])
    assert told.exit_code != 0
    assert "pip install 'exhibit[s3]'" in told.output
    assert "Traceback" not in told.output


@pytest.mark.usefixtures("bare")
def test_search_goes_on_by_words_and_says_so(caplog: pytest.LogCaptureFixture):
    assert open_embedder().model == open_embedder("hashed-words").model
    assert [one.levelname for one in caplog.records] == ["WARNING"]
    assert "pip install 'exhibit[search]'" in caplog.text


@pytest.mark.usefixtures("bare")
async def test_a_tool_of_an_mcp_server_is_listed_and_says_what_it_needs():
    declared = McpDeclaration(name="desk", description="Tickets.", command=["desk-server"])
    box = open_toolbox(None, store=SecretStore(None, {}), declared=[declared])
    assert [(one.name, one.kind) for one in box.list()] == [("desk", "mcp")]
    with pytest.raises(HostCallError, match=r"desk: .*exhibit\[mcp\]"):
        await box.call("desk.find", {}, ToolContext())
    assert await box.call("list", {}, ToolContext())
    await box.close()


@pytest.mark.usefixtures("bare")
def test_the_demo_says_what_it_needs():
    told = CliRunner().invoke(app, ["demo"])
    assert told.exit_code == 3
    assert "pip install 'exhibit[practice]'" in told.output


async def test_doctor_tells_which_are_there(monkeypatch: pytest.MonkeyPatch):
    assert (await check_extras(Settings())).found == "mcp, papers, practice, s3, search, tsa, web"
    monkeypatch.setitem(sys.modules, "minio", None)
    found = await check_extras(Settings())
    assert (found.state, found.found) == (
        "ok",
        f"mcp, papers, practice, search, tsa, web; not installed: s3 ({how_to_install('s3')})",
    )
