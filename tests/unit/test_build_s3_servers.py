"""Without Go the bucket tests are skipped with a message; in CI that fails. A built server is not rebuilt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import build_s3_servers
from scripts.build_s3_servers import PROGRAMS, CannotBuild, build
from tests import s3_servers

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(build_s3_servers, "WHERE_GO_INSTALLS_ITSELF", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "argv", ["build_s3_servers"])  # not what pytest was called with


def put_there(name: str) -> Path:
    path = build_s3_servers.cache() / f"{name}-{PROGRAMS[name].version}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_without_go_it_is_said_and_the_rest_goes_on(capsys):
    assert build_s3_servers.main() == 0
    said = capsys.readouterr().err
    assert "Go is not on this machine" in said
    assert "NO S3 SERVER" in said
    with pytest.raises(pytest.skip.Exception, match="NO S3 SERVER"):
        s3_servers.program("minio")


@pytest.mark.parametrize("ci", ["true", "1"])
def test_in_ci_it_is_a_failure(monkeypatch, ci):
    monkeypatch.setenv("CI", ci)
    assert build_s3_servers.main() == 1
    with pytest.raises(pytest.fail.Exception, match="Go is not on this machine"):
        s3_servers.program("versitygw")


@pytest.mark.system
def test_what_ci_runs_knows_that_it_is_ci(monkeypatch, tmp_path):
    """Else a machine without Go would pass with half of the store untested."""
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\necho "make $* with CI=$CI"\n')
    make.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    ran = subprocess.run([ROOT / ".ci" / "run"], capture_output=True, text=True, check=True)
    assert ran.stdout == "make test with CI=true\n"


def test_what_was_built_is_found_without_go():
    paths = {name: put_there(name) for name in PROGRAMS}
    assert {name: build(name) for name in PROGRAMS} == paths
    assert build_s3_servers.main() == 0


@pytest.mark.system
def test_a_build_that_fails_leaves_nothing_and_says_why(monkeypatch, tmp_path):
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho 'no such module' >&2\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(CannotBuild, match="no such module"):
        build("minio")
    assert [path.name for path in build_s3_servers.cache().iterdir()] == [".lock"]


def test_every_program_is_pinned():
    for program in PROGRAMS.values():
        assert program.version.startswith("v")
        assert program.version not in ("latest", "master")
