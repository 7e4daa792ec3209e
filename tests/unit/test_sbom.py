"""The list of locked packages that a release carries, and what an audit of them says."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from scripts.audit import read_audit
from scripts.write_editor_bundle import ABOUT
from scripts.write_sbom import LOCK, ROOT, SBOM, make_sbom, read_lock
from shared.text.date_names import date_names
from tests.cases import cases

EDITOR = [(one["name"], one["version"]) for one in json.loads(ABOUT.read_bytes())["packages"]]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_it_names_no_host():
    assert set(re.findall(r"https?://([^/\"]+)", SBOM.read_text(encoding="utf-8"))) == {"cyclonedx.org"}


@pytest.mark.long
def test_it_is_valid_by_the_schema():
    from cyclonedx.schema import SchemaVersion  # a second of import, for this test only
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(SBOM.read_text(encoding="utf-8")) is None


def test_it_lists_each_locked_package_with_all_its_hashes():
    """By the lines of the lock themselves, not by what reads them for the list."""
    pinned: dict[str, set[str]] = {}
    hashes = set[str]()
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        if named := re.match(r"([A-Za-z0-9._-]+)==([^ ;\\]+)", line):
            hashes = pinned.setdefault(f"pkg:pypi/{named[1]}@{named[2]}", set())
        elif line.strip().startswith("--hash=sha256:"):
            hashes.add(line.strip().removeprefix("--hash=sha256:").removesuffix(" \\"))
    listed = {
        one["purl"]: {found["content"] for file in one["externalReferences"] for found in file["hashes"]}
        for one in json.loads(SBOM.read_text(encoding="utf-8"))["components"]
    }
    assert len(pinned) > 80
    assert listed == pinned


def test_it_has_what_runs_and_nothing_that_only_tests():
    scopes = {one["name"]: one["scope"] for one in json.loads(SBOM.read_text(encoding="utf-8"))["components"]}
    assert (scopes["playwright"], scopes["greenlet"]) == ("required", "required")
    assert not scopes.keys() & {"pytest", "basedpyright", "ruff", "hatchling"}


def test_it_names_the_data_of_others_that_is_in_the_product_itself():
    ours = json.loads(SBOM.read_text(encoding="utf-8"))["metadata"]["component"]
    assert ours["licenses"] == [{"expression": PROJECT["project"]["license"]}]
    parts = sorted(ours["components"], key=lambda one: one["name"])
    editor = [one for one in parts if one["name"] in dict(EDITOR)]
    assert [(one["name"], one["version"]) for one in editor] == EDITOR
    pieces, cldr, *rest = [one for one in parts if one not in editor]
    assert (pieces["name"], pieces["licenses"]) == ("all-MiniLM-L6-v2", [{"license": {"id": "Apache-2.0"}}])
    assert (cldr["name"], cldr["version"]) == ("cldr", date_names().cldr)
    assert cldr["licenses"] == [{"license": {"id": "Unicode-3.0"}}]
    (fonts,) = (one for one in rest if one["name"] == "noto-sans")
    assert fonts["licenses"] == [{"license": {"id": "OFL-1.1"}}]
    words = [one for one in rest if one != fonts]
    assert [one["name"] for one in words] == ["datatables.net-plugins", "primelocale", "vuetify"]
    assert all(one["licenses"] == [{"license": {"id": "MIT"}}] for one in words)


@pytest.mark.long
def test_the_same_lock_gives_the_same_list():
    assert make_sbom(LOCK, PROJECT) == make_sbom(LOCK, PROJECT)


def test_what_is_not_pinned_with_hashes_is_no_lock(tmp_path: Path):
    for written in ("six==1.17.0\n", "six>=1 --hash=sha256:00\n"):
        (tmp_path / "a.lock").write_text(written)
        with pytest.raises(ValueError, match="six is not pinned"):
            read_lock(tmp_path / "a.lock")


FINDING = {"id": "PYSEC-1", "fix_versions": ["2.1", "2.2"], "aliases": [], "description": ""}


@cases(
    ("packages", "code"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0),
        ([{"name": "a", "version": "1", "vulns": [FINDING]}, {"name": "b", "skip_reason": "not found"}], 1),
        ([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}], 2),
        ([], 2),
    ],
)
def test_what_is_unknown_is_not_called_safe(packages: list[dict], code: int):
    assert read_audit({"dependencies": packages}).exit_code == code


def test_a_finding_names_the_versions_that_mend_it():
    audit = read_audit({"dependencies": [{"name": "a", "version": "1", "vulns": [FINDING]}]})
    assert audit.vulnerable == (("a", "1", "PYSEC-1", "2.1, 2.2"),)
