"""Child processes: frames in both directions, limits, and guaranteed termination."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from shared.child_process.child import read_frame, write_frame
from shared.child_process.parent import ChildProcess, exchange, kill_and_wait, start_python

pytestmark = pytest.mark.system
MODULES = str(Path(__file__).with_name("child_modules.py"))


# --- frames


@pytest.mark.parametrize("parts", [(), (b"",), (b"x",), (b"k", b"data"), (b"\n", b"\0" * 100_000)])
def test_a_frame_comes_back_whole(parts: tuple[bytes, ...]) -> None:
    pipe = io.BytesIO()
    write_frame(pipe, *parts)
    write_frame(pipe, b"next")
    pipe.seek(0)
    assert [read_frame(pipe), read_frame(pipe), read_frame(pipe)] == [b"".join(parts), b"next", None]


@pytest.mark.parametrize("written", [b"", b"\0", b"\0\0\0", b"\0\0\0\x05", b"\0\0\0\x05abcd"])
def test_half_a_frame_is_none(written: bytes) -> None:
    assert read_frame(io.BytesIO(written)) is None


# --- a child of a caller that does not block


@pytest_asyncio.fixture
async def echo() -> AsyncIterator[asyncio.subprocess.Process]:
    process = await start_python(MODULES, "echo", stderr=subprocess.DEVNULL)
    yield process
    await kill_and_wait(process)
    await kill_and_wait(process)  # once more is no error


async def test_requests_are_answered_whatever_a_library_prints(echo: asyncio.subprocess.Process) -> None:
    for request in (b"", b"one", b"\0" * 1_000_000):
        assert await exchange(echo, request, 60) == request


@pytest.mark.parametrize(("request_", "timeout_s"), [(b"hang", 0.2), (b"half", 60)])
async def test_a_child_that_does_not_answer_is_none(
    echo: asyncio.subprocess.Process, request_: bytes, timeout_s: float
) -> None:
    assert await exchange(echo, b"warm", 60) == b"warm"
    assert await exchange(echo, request_, timeout_s) is None


async def test_a_child_that_was_killed_answers_no_more(echo: asyncio.subprocess.Process) -> None:
    assert await exchange(echo, b"warm", 60) == b"warm"
    echo.kill()
    await echo.wait()
    assert await exchange(echo, b"more", 60) is None


async def test_a_child_ends_when_its_input_does(echo: asyncio.subprocess.Process) -> None:
    assert echo.stdin is not None
    echo.stdin.close()
    assert await asyncio.wait_for(echo.wait(), 60) == 0


async def test_a_child_is_in_a_session_of_its_own(echo: asyncio.subprocess.Process) -> None:
    assert os.getsid(echo.pid) == echo.pid


@pytest.mark.parametrize(("env", "expected"), [({}, False), (None, True)])
async def test_the_environment_is_handed_on_or_not(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str] | None, expected: bool
) -> None:
    monkeypatch.setenv("EXHIBIT_TEST_KEY", "secret")
    process = await start_python(MODULES, "environment", env=env)
    told = await exchange(process, b"", 60)
    await kill_and_wait(process)
    assert told is not None
    names = set(told.decode().split())
    assert ("EXHIBIT_TEST_KEY" in names) == expected
    assert expected or names <= {"LC_CTYPE"}, "what Python itself sets where there is no locale"


async def test_limits_are_kept_by_the_kernel(tmp_path: Path) -> None:
    process = await start_python(MODULES, "limited", str(tmp_path / "long"))
    assert await exchange(process, b"", 60) == b"memory file"
    assert (tmp_path / "long").stat().st_size <= 1000
    assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGALRM
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of the end of its parent")
async def test_a_child_that_asked_for_it_dies_with_a_parent_that_is_killed() -> None:
    parent = await start_python(MODULES, "parent", stdin=subprocess.DEVNULL)
    assert parent.stdout is not None
    child = psutil.Process(int(await asyncio.wait_for(parent.stdout.readline(), 60)))
    assert child.is_running()
    await kill_and_wait(parent)
    assert psutil.wait_procs([child], timeout=60)[1] == []


# --- a child of a caller that blocks


@pytest.fixture
def blocking(monkeypatch: pytest.MonkeyPatch) -> type[ChildProcess]:
    monkeypatch.setattr("shared.child_process.parent._python", lambda *_: [sys.executable, "-I", MODULES, "echo"])
    return ChildProcess


def test_frames_of_several_parts_are_answered_as_one(blocking: type[ChildProcess]) -> None:
    child = blocking("echo")
    child.send(b"kind", b"data")
    assert child.receive() == b"kinddata"
    child.send(b"late", flush=False)
    child.close_input()
    assert (child.receive(), child.receive(), child.wait()) == (b"late", None, 0)
    child.close()
    child.close()


def test_a_child_at_work_is_gone_after_close(blocking: type[ChildProcess]) -> None:
    child = blocking("echo")
    child.send(b"hang")
    child.close()
    assert child.wait() == -signal.SIGKILL


def test_a_child_that_reads_no_more_breaks_the_pipe(blocking: type[ChildProcess]) -> None:
    child = blocking("echo")
    child.send(b"half")
    assert child.receive() is None
    child.wait()
    with pytest.raises(BrokenPipeError):
        child.send(b"more")
    child.close()
