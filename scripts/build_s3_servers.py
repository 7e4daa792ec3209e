"""``python -m scripts.build_s3_servers [NAME ...]``: build the S3 servers that the tests of the store use, and Helm.

`make test` uses VersityGW alone, `make test-long` all. By `go install`, at the versions below, into
``${XDG_CACHE_HOME:-~/.cache}/exhibit/s3-servers``, once a version. Where there is no Go it says so and goes on, for the
rest of the tests needs none; where ``CI`` is set that is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

BUILD_BOUND_S = 1800.0
WHERE_GO_INSTALLS_ITSELF = "/usr/local/go/bin"
"""Usual location of Go; not on the PATH of a non-login shell."""


class CannotBuild(RuntimeError):
    """A program could not be built. The message says which, why, and what to do."""


@dataclass(frozen=True)
class Program:
    """What is built. ``package`` is what Go installs; ``takes`` is the duration of the first build, as text."""

    name: str
    package: str
    version: str
    takes: str


PROGRAMS = {
    program.name: program
    for program in (
        Program("minio", "github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c", "3 minutes"),
        Program("versitygw", "github.com/versity/versitygw/cmd/versitygw", "v1.8.0", "1 minute"),
        Program("helm", "helm.sh/helm/v4/cmd/helm", "v4.3.2", "2 minutes"),
    )
}


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exhibit" / "s3-servers"


def ready(name: str, into: Path | None = None) -> Path | None:
    """Return the path of the built program, or None."""
    program = PROGRAMS[name]
    path = (into or cache()) / f"{program.name}-{program.version}"
    return path if path.exists() else None


def build(name: str, into: Path | None = None) -> Path:
    """Return the path of the program; build it if necessary. Raises CannotBuild."""
    folder = into or cache()
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # a concurrent build waits and then finds the result
        return ready(name, folder) or _build(PROGRAMS[name], folder)


def _build(program: Program, folder: Path) -> Path:
    go = shutil.which("go") or shutil.which("go", path=WHERE_GO_INSTALLS_ITSELF)
    if go is None:
        raise CannotBuild(f"Go is not on this machine, and {program.name} is built with it: install Go 1.25 or newer")
    print(f"Building {program.name} {program.version}, once; about {program.takes} ...", file=sys.stderr, flush=True)
    with TemporaryDirectory(dir=folder) as fresh:
        environment = {**os.environ, "GOBIN": fresh, "CGO_ENABLED": "0"}
        _run(program, [go, "install", f"{program.package}@{program.version}"], environment)
        return (Path(fresh) / program.name).replace(folder / f"{program.name}-{program.version}")


def _run(program: Program, command: list[str], environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=BUILD_BOUND_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise CannotBuild(f"{program.name} was not built within {BUILD_BOUND_S:.0f} s") from None
    if done.returncode != 0:
        raise CannotBuild(f"{program.name} cannot be built:\n{done.stderr.strip()[-2000:]}")


def without(name: str) -> str:
    """Return what does not run without the program."""
    if name == "helm":
        return "NO HELM: the tests that render the chart do not run."
    return "NO S3 SERVER: the tests of evidence in a bucket do not run."


def main() -> int:
    for name in sys.argv[1:] or PROGRAMS:
        try:
            build(name)
        except CannotBuild as exc:
            print(f"{exc}\n{without(name)}", file=sys.stderr)
            return 1 if in_ci() else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
