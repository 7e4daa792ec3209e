"""The processes of the sandbox: how many there are, when they end, what they lack."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from services.workflows.execution.isolation.plan import LAYERS
from services.workflows.execution.parent import zygote_link
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.ports import Job, Limits
from tests.handlers.workflows.execution.worlds import World, WorldHost, sandbox_world
from tests.waiting import until

pytestmark = pytest.mark.system
ROOT = Path(__file__).parents[4]
_others: set[int] = set()
"""Processes that fork, of a sandbox that other tests share."""


@pytest.fixture(autouse=True)
def only_own_processes() -> None:
    _others.clear()
    _others.update(process.pid for process in zygotes())


def zygotes() -> list[psutil.Process]:
    """Return the processes that fork, of this test."""
    own = [process for process in psutil.Process().children() if process.pid not in _others]
    return [process for process in own if is_alive(process) and zygote_link.PROGRAM in process.cmdline()]


def kill_zygotes() -> None:
    """Kill them and wait until they, and what they forked, have ended; the event loop stands still."""
    processes = [child for zygote in zygotes() for child in [zygote, *zygote.children(recursive=True)]]
    for process in zygotes():
        process.kill()
    until(lambda: not any(is_alive(process) for process in processes), "all have ended")


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_what_was_not_started_starts_when_it_is_used():
    executor = SandboxExecutor()
    outcome = await executor.execute(Job("sample", "def run():\n    return 1", {}), WorldHost(World(executor)))
    assert outcome.value == 1
    await executor.close()


async def test_starting_twice_starts_one():
    async with sandbox_world() as world:
        await asyncio.gather(world.executor.start(), world.executor.start())
        assert len(zygotes()) == 1


async def test_a_dead_zygote_is_replaced():
    async with sandbox_world() as world:
        running = asyncio.create_task(world.failure("def run():\n    tools.forever()"))
        await world.asked.wait()
        kill_zygotes()
        failure = await running
        assert failure.code == "killed"
        assert failure.message == "its process was ended: the process that started it has ended"
        assert await world.value("def run():\n    return 1") == 1
        kill_zygotes()  # the executor has not noticed when the next one comes
        assert await world.value("def run():\n    return 2") == 2


async def test_no_more_run_at_a_time_than_there_are_places():
    async with sandbox_world(max_processes=3, stock=1) as world:
        running: list[int] = []
        world.answers["tools.look"] = lambda _: running.append(world.running)
        values = await asyncio.gather(*(world.value("def run():\n    tools.look()\n    return 1") for _ in range(9)))
        assert values == [1] * 9
        assert max(running) == 3


async def test_nested_invocations_need_no_place_of_their_own():
    async with sandbox_world(max_processes=1, stock=1) as world:
        world.add("third", "def run():\n    return 3")
        world.add("second", "def run():\n    return workflows.invoke('third')")
        world.add("first", "def run():\n    return workflows.invoke('second')")
        source = "def run():\n    return workflows.invoke('first')"
        assert await asyncio.gather(*(world.value(source) for _ in range(3))) == [3, 3, 3]


async def test_closing_ends_what_runs_and_every_process():
    async with sandbox_world() as world:
        running = asyncio.create_task(world.failure("def run():\n    tools.forever()"))
        await world.asked.wait()
        processes = [child for zygote in zygotes() for child in [zygote, *zygote.children(recursive=True)]]
        assert len(processes) > 2
        await world.executor.close()
        assert (await running).code == "killed"
        await asyncio.to_thread(until, lambda: not any(map(is_alive, processes)), "all have ended")
        assert (await world.failure("def run():\n    return 1")).code == "not_started"


async def test_what_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(zygote_link, "PROGRAM", "services.workflows.execution")
    executor = SandboxExecutor()
    outcome = await executor.execute(Job("sample", "def run():\n    return 1", {}), WorldHost(World(executor)))
    assert outcome.error is not None
    assert outcome.error.code == "not_started"
    await executor.close()


async def test_nothing_is_left_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    for without in ((), LAYERS):
        async with sandbox_world(without=without) as world:
            assert await world.value("def run():\n    return open('left', 'w').write('x')") == 1
            await asyncio.to_thread(until, lambda world=world: world.running == 0, "the process has ended")
            left = [path.name for path in tmp_path.rglob("left")]
            if not without and not world.executor.protections.missing:
                assert list(tmp_path.iterdir()) == [], "also while it runs: it may be killed"
        assert (left, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.parametrize(
    "layer", ["seccomp", *(pytest.param(one, marks=pytest.mark.long) for one in LAYERS if one != "seccomp")]
)
async def test_a_layer_that_is_missing_is_said_and_the_others_hold(layer: str):
    async with sandbox_world(without=[layer]) as world:
        told = world.executor.protections
        assert any("(switched off)" in text for text in told.missing)
        assert told.processes
        assert told.system_calls == (layer != "seccomp")
        assert await world.value("def run():\n    return 1") == 1


async def test_without_any_layer_nothing_is_promised():
    async with sandbox_world(without=LAYERS) as world:
        told = world.executor.protections
        assert (told.processes, told.network, told.files, told.system_calls) == (True, False, False, False)
        assert told.missing[0] == "the network can be reached"
        value = await world.value("import os\ndef run():\n    return [dict(os.environ), os.listdir()]")
        assert value == [{}, []]
        failure = await world.failure("def run():\n    while True: pass", limits=Limits(time_s=0.2))
        assert failure.code == "timeout"


async def test_on_another_system_it_runs_without_layers_and_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("services.workflows.execution.sandbox_executor.sys.platform", "darwin")
    executor = SandboxExecutor()
    monkeypatch.undo()
    assert len(executor.protections.missing) > len(LAYERS)
    assert "darwin has no such thing" in executor.protections.missing[-1]


DYING = """
import asyncio, sys
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.ports import Job
class Host:
    async def call(self, call):
        print("asked", flush=True)
async def main():
    executor = SandboxExecutor(without=sys.argv[1:])
    await executor.execute(Job("endless", "def run():\\n    tools.started()\\n    while True: pass", {}), Host())
asyncio.run(main())
"""


@pytest.mark.parametrize("without", [(), pytest.param(("processes", "mounts", "network"), marks=pytest.mark.long)])
def test_all_processes_and_folders_end_with_the_service(without: tuple[str, ...], tmp_path: Path):
    tmp_path.chmod(0o755)
    command = [sys.executable, "-c", DYING, *without]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=env) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"asked\n"
        processes = psutil.Process(service.pid).children(recursive=True)
        assert len(processes) >= 2
        service.send_signal(signal.SIGKILL)
    until(lambda: not any(is_alive(process) for process in processes), "all have ended")
    assert list(tmp_path.iterdir()) == []


ORDINARY = """
import asyncio, json, os
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.ports import Job
async def main():
    executor = SandboxExecutor()
    source = "import os\\ndef run():\\n    return [os.listdir(), len(dict(os.environ))]"
    outcome = await executor.execute(Job("sample", source, {}), None)
    told = executor.protections
    print(json.dumps([os.geteuid(), outcome.value, told.processes, told.network, told.files, told.system_calls]))
    await executor.close()
asyncio.run(main())
"""
AS_NOBODY = """
set -e
if [ -n "$2" ]; then  # a Python below a folder that is closed to others, as below /root, is shown to it alone
    mkdir "$1/python"; mount --bind "$2" "$1/python"
    mount -t tmpfs -o mode=755 tmpfs "$3"; mkdir -p "$2"; mount --bind "$1/python" "$2"
fi
shift 3
exec setpriv --reuid 65534 --regid 65534 --clear-groups env -i TMPDIR=/tmp "$@"
"""


def _closed_folder(path: Path) -> Path | None:
    """Return the highest folder above the path that other users cannot enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & stat.S_IXOTH), None)


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole suite runs as an ordinary user")
@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("setpriv"), reason="there is no setpriv")
def test_an_ordinary_user_is_protected_too(tmp_path: Path):
    closed = _closed_folder(Path(sys.base_prefix))
    if _closed_folder(ROOT) is not None or (closed is not None and ROOT.is_relative_to(closed)):
        pytest.skip(f"other users cannot enter {ROOT}")
    shown = [str(tmp_path), sys.base_prefix if closed else "", str(closed or "")]
    command = ["unshare", "-m", "sh", "-c", AS_NOBODY, "sh", *shown, str(ROOT / ".venv/bin/python"), "-c", ORDINARY]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=120, check=False)
    if done.returncode != 0 and b"unshare" in done.stderr:
        pytest.skip(done.stderr.decode())
    assert json.loads(done.stdout) == [65534, [[], 0], True, True, True, True], done.stderr.decode()


async def test_packages_can_be_imported_as_soon_as_they_are_there(tmp_path: Path):
    packages = tmp_path / "packages"
    source = "import little_words\ndef run():\n    return little_words.TEXT"
    async with sandbox_world(packages=packages) as world:
        running = asyncio.create_task(world.value("def run():\n    return tools.forever()"))
        await world.asked.wait()
        assert (await world.failure(source)).type == "ModuleNotFoundError"
        packages.mkdir()
        (packages / "little_words.py").write_text("TEXT = 'one'")
        assert await world.value(source) == "one"
        assert len(zygotes()) == 2, "what ran before runs on"
        running.cancel()
        await asyncio.wait([running])
        packages.rename(tmp_path / "old")
        assert (await world.failure(source)).type == "ModuleNotFoundError"
        await asyncio.to_thread(until, lambda: len(zygotes()) == 1, "those that are not needed have ended")
