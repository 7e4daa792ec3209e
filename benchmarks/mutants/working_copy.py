"""A copy of the tree in which one module may be changed, and the fast tests in it. The checkout is never touched."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from benchmarks.junit import OPTIONS as JUNIT_OPTIONS
from benchmarks.junit import Case, read_cases

LEFT_OUT = (".*", "__pycache__", "*.egg-info", "evidence", "build", "dist")
"""At the top of the tree; of these the first two are left out everywhere."""
PLUGINS = ("-p", "no:cacheprovider", "-p", "benchmarks.mutants.without_shrinking")
PYTEST = ("-x", "-q", "--tb=line", *PLUGINS, "-m", "not long and not system")
SAID_CHARS = 2000
PASSED, FAILED, INTERRUPTED = 0, 1, 2
"""Exit codes of pytest. It is interrupted by a module that cannot be imported."""


class NothingRanError(Exception):
    """pytest ran no test: its output says why."""


@dataclass(frozen=True)
class RanTests:
    """``failed``: the first test that did not pass; empty: all passed. ``by_time``: it was ended. ``said``: the end of
    what pytest said."""

    failed: str
    seconds: float
    by_time: bool = False
    said: str = ""


class WorkingCopy:
    def __init__(self, checkout: Path, folder: Path) -> None:
        self.folder = folder
        _copy_tree(checkout, folder)

    def require_own_modules(self) -> None:
        """Raise NothingRanError unless the modules of this copy are those that its tests import."""
        said = subprocess.run(
            [sys.executable, "-c", "import services; print(services.__file__)"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if not Path(said.stdout.strip() or "/").is_relative_to(self.folder.resolve()):
            raise NothingRanError(f"tests in {self.folder} would import {said.stdout}{said.stderr}")

    @contextmanager
    def holding(self, path: str, text: str) -> Generator[None]:
        """Have this text in the module meanwhile."""
        file = self.folder / path
        before = file.read_bytes()
        try:
            _write(file, text.encode())
            yield
        finally:
            _write(file, before)

    def run_tests(self, tests: Sequence[str], limit_s: float) -> RanTests:
        """Run tests, files and folders below tests/, up to the first that fails. Raises NothingRanError."""
        began = time.monotonic()
        # Runs side by side would clear away each other's folders.
        written = self.folder.with_suffix(".xml")
        written.unlink(missing_ok=True)
        own_files = (f"--basetemp={self.folder}.tmp", f"--junitxml={written}", *JUNIT_OPTIONS)
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *PYTEST, *own_files, *(f"tests/{one}" for one in tests)],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        )
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return RanTests(f"ended after {limit_s:.0f} s", time.monotonic() - began, by_time=True)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        try:
            failed = first_failure(process.returncode, read_cases(written))
        except NothingRanError as exc:
            raise NothingRanError(f"{exc}:\n{said[-SAID_CHARS:]}") from None
        return RanTests(failed, time.monotonic() - began, said=said[-SAID_CHARS:])


def first_failure(code: int, cases: Sequence[Case]) -> str:
    """Return the test that failed first; empty: all passed. Raises NothingRanError where none was run."""
    if code == PASSED:
        return ""
    failed = next((case.test_id for case in cases if case.outcome == "failed"), "")
    if code not in (FAILED, INTERRUPTED) or not failed:
        raise NothingRanError(f"pytest ended with {code}")
    return failed


def _copy_tree(checkout: Path, folder: Path) -> None:
    def left_out(at: str, names: list[str]) -> set[str]:
        patterns = LEFT_OUT if Path(at) == checkout else LEFT_OUT[:2]
        return shutil.ignore_patterns(*patterns)(at, names)

    shutil.copytree(checkout, folder, ignore=left_out, symlinks=True)


def _write(file: Path, data: bytes) -> None:
    """Write a module and forget its bytecode: that of the text before may have the same time and size."""
    file.write_bytes(data)
    Path(cache_from_source(str(file))).unlink(missing_ok=True)
