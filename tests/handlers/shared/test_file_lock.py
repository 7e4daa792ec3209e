"""Locks between processes: refusal, waiting, and release."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shared.file_lock import hold_lock, open_locked

HOLDS = """
import subprocess, sys
from pathlib import Path
from shared.file_lock import open_locked
open_locked(Path(sys.argv[1]))
child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL) if "child" in sys.argv else None
print(child.pid if child else 0, flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path, *options: str) -> Generator[tuple[subprocess.Popen[str], int], None, None]:
    """Another process that holds the lock, and the pid of a child of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(params=["file", "folder"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "it"
    if request.param == "folder":
        path.mkdir()
    else:
        path.write_text("what its holder says")
    return path


@pytest.mark.system
def test_what_another_process_has_is_refused_until_that_one_is_killed(path: Path) -> None:
    with held_elsewhere(path) as (process, _):
        with pytest.raises(BlockingIOError, match="is locked"):
            open_locked(path)
        process.kill()
        process.wait()
        os.close(open_locked(path))


def test_a_second_one_of_this_process_is_refused_and_takes_nothing_away(path: Path) -> None:
    descriptor = open_locked(path)
    for _ in range(2):
        with pytest.raises(BlockingIOError):
            open_locked(path)
    os.close(descriptor)
    os.close(open_locked(path))


@pytest.mark.system
def test_programs_that_its_holder_starts_do_not_have_it(path: Path) -> None:
    with held_elsewhere(path, "child") as (process, child):
        process.kill()
        process.wait()
        os.close(open_locked(path))
        os.kill(child, 9)


def test_whoever_waits_has_it_when_it_is_free(path: Path) -> None:
    order: list[str] = []

    def wait() -> None:
        with hold_lock(path):
            order.append("second")

    with hold_lock(path):
        waiting = threading.Thread(target=wait)
        waiting.start()
        waiting.join(0.05)  # clock: meant to expire
        order.append("first")
    waiting.join(60)
    assert order == ["first", "second"]


def test_a_file_is_created_but_never_emptied(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(FileNotFoundError):
        open_locked(path)
    os.close(open_locked(path, create=True))
    path.write_text("its holder")
    descriptor = open_locked(path, create=True)
    with pytest.raises(BlockingIOError):
        open_locked(path, create=True)
    assert path.read_text() == "its holder"
    os.close(descriptor)
