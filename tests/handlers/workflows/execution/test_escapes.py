"""Workflow code that tries to get out: to the environment, files, the network, other processes."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from services.workflows.ports import Limits
from tests.handlers.workflows.execution.worlds import PAST_LIMIT_S, World
from tests.loop_clock import LoopClock
from tests.waiting import until

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="session")]

ATTEMPT = """
def attempt(what):
    try:
        return ["done", repr(what())]
    except BaseException as exc:
        return [type(exc).__name__]
"""


async def attempts(world: World, *expressions: str, imports: str = "os", **names: Any) -> list[str]:
    """Return what each expression comes to: the name of an exception, or ``done`` and its value."""
    listed = ", ".join(f"attempt(lambda: {expression})" for expression in expressions)
    source = f"import {imports}\n{ATTEMPT}\ndef run({', '.join(names)}):\n    return [{listed}]"
    return [": ".join(result) for result in await world.value(source, **names)]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text("the secret")
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    return path


# --- what is refused

HIDDEN = {"FileNotFoundError", "PermissionError"}
REFUSED: dict[str, tuple[set[str], list[str]]] = {
    "to read other processes": (HIDDEN, [
        *(f"os.listdir({path})" for path in ("'/proc'", "'/proc/self'", "'/proc/1'", "f'/proc/{service}'")),
        *(f"open(f'/proc/{of}/{name}').read(1)" for of in ("self", "1", "{service}") for name in ("environ", "mem")),
        "open(f'/proc/{os.getppid()}/maps').read(1)",
    ]),
    "to start a process": ({"PermissionError"}, [
        "os.fork()",
        "os.execv(sys.executable, ['python'])",
        "os.posix_spawn('/bin/sh', ['sh'], {})",
        "subprocess.run(['/bin/sh', '-c', 'true'])",
        "multiprocessing.get_context('fork').Process(target=print).start()",
    ]),
    "to signal a process": ({"PermissionError"}, [
        *(f"os.kill({victim}, 9)" for victim in ("os.getppid()", "1", "-1", "0", "service")),
        "signal.pidfd_send_signal(os.pidfd_open(service), 9)",
    ]),
    "to read or write files outside": ({*HIDDEN, "OSError"}, [
        "open(secret).read()",
        "open(secret, 'w')",
        "open(secret + '.new', 'w')",
        "os.listdir(os.path.dirname(secret))",
        "os.remove(secret)",
        "os.rename(secret, 'mine')",
        "os.link(secret, 'mine')",
        "os.truncate(secret, 0)",
        "shutil.copy(secret, 'mine')",
        "open('/tmp/new.txt', 'w')",
        "open('/dev/shm/new.txt', 'w')",
        "open('/etc/passwd').read()",
        "os.listdir('/')",
    ]),
    "to go by links and dots": (HIDDEN, [
        "(os.symlink(secret, 'link'), open('link').read())",
        "(os.symlink('/', 'root'), os.listdir('root'))",
        "open('../' * 20 + secret.lstrip('/')).read()",
        "open('x', opener=lambda name, flags: os.open('../' * 20 + secret.lstrip('/'), flags)).read()",
        "os.listdir('..')",
        "os.chroot('.')",
    ]),
    "to change installed packages": ({"PermissionError", "OSError"}, [
        "open(json.__file__, 'a')",
        "open(os.path.dirname(json.__file__) + '/planted.py', 'w')",
        "open(next(p for p in sys.path if p.endswith('site-packages')) + '/planted.pth', 'w')",
    ]),
    "to reach the network": ({"PermissionError", "URLError"}, [
        "socket.create_connection(('127.0.0.1', port), 1)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
        "socket.socket(socket.AF_INET6)",
        "socket.socket(socket.AF_UNIX).connect(local)",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        "socket.create_server(('127.0.0.1', 0))",
        "urllib.request.urlopen(f'http://127.0.0.1:{port}/', timeout=1)",
    ]),
    "to reach anybody else by its own connection": ({"PermissionError"}, [
        "socket.socket(fileno=os.dup(3)).connect('/run/some')",
        "socket.socketpair()[0].connect('/run/some')",
        "socket.socketpair()[0].bind('mine')",
    ]),
    "to raise its limits": ({"ValueError", "PermissionError"}, [
        *(f"resource.setrlimit(resource.RLIMIT_{name}, (-1, -1))" for name in ("AS", "FSIZE", "CPU")),
        "resource.prlimit(os.getppid(), resource.RLIMIT_AS, (1, 1))",
    ]),
    # another user is root, or another one where root itself is left without its rights
    "to have rights back": ({"PermissionError", "OSError"}, [
        "os.setuid(1 if os.getuid() == 0 else 0)",
        "os.setresuid(*3 * [1 if os.getuid() == 0 else 0])",
        "os.setgroups([0])",
        "os.chown('.', 1 if os.getuid() == 0 else 0, 0)",
        "os.mknod('device', 0o600 | 0o020000, os.makedev(1, 1))",
    ]),
}  # fmt: skip
IMPORTS = "json, multiprocessing, os, resource, shutil, signal, socket, subprocess, sys, urllib.request"


async def test_every_attempt_to_get_out_is_refused(confined: World, secret: Path, tmp_path: Path):
    """All in one process: what one attempt gains another may use."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "s"))
        local.listen()
        expressions = [one for _, of_kind in REFUSED.values() for one in of_kind]
        port, service = server.getsockname()[1], os.getpid()
        names = {"secret": str(secret), "port": port, "local": str(tmp_path / "s"), "service": service}
        told = await attempts(confined, *expressions, imports=IMPORTS, **names)
    outcomes = iter(told)
    for kind, (allowed, of_kind) in REFUSED.items():
        came_to = {expression: next(outcomes) for expression in of_kind}
        assert {one: how for one, how in came_to.items() if how not in allowed} == {}, kind
    assert secret.read_text() == "the secret"
    assert not Path(f"{secret}.new").exists()
    assert await attempts(confined, "os.system('true')") in (["done: -1"], ["done: 32512"])
    assert await confined.value("import wave\ndef run():\n    return wave.__name__") == "wave"


# --- environment and system calls


async def test_the_environment_is_empty(confined: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EXHIBIT_SECRET", "the secret")
    told = await attempts(
        confined,
        "dict(os.environ)",
        "ctypes.CDLL(None).getenv(b'EXHIBIT_SECRET')",
        "open('/proc/self/environ').read()",
        imports="os, ctypes",
    )
    assert told[:2] == ["done: {}", "done: 0"]
    assert told[2] in {"FileNotFoundError", "PermissionError"}


SYSTEM_CALLS = {
    "ptrace": (101, "16, os.getppid(), 0, 0"),
    "process_vm_readv": (310, "os.getppid(), 0, 0, 0, 0, 0"),
    "unshare": (272, "0x10000000"),
    "mount": (165, "0, 0, 0, 0, 0"),
    "setns": (308, "0, 0"),
    "bpf": (321, "0, 0, 0"),
    "keyctl": (250, "0, 0, 0"),
    "memfd_create": (319, "b'a', 0"),
    "io_uring_setup": (425, "1, 0"),
    "execve": (59, "b'/bin/sh', 0, 0"),
    "clone": (56, "17, 0, 0, 0, 0"),
    "clone3": (435, "0, 0"),
    "vfork": (58, ""),
    "x32 fork": (0x40000000 + 57, ""),
    "a call of the future": (1000, ""),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
async def test_system_calls_are_refused_below_python_too(confined: World):
    calls = ", ".join(f"lambda: libc.syscall({number}, {given})" for number, given in SYSTEM_CALLS.values())
    source = f"""
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def run():
    return [[call(), errno.errorcode[ctypes.get_errno()]] for call in [{calls}]]
"""
    told = dict(zip(SYSTEM_CALLS, await confined.value(source), strict=True))
    absent = {"clone3", "a call of the future"}
    assert told == {name: [-1, "ENOSYS" if name in absent else "EPERM"] for name in SYSTEM_CALLS}


# --- files


async def test_its_own_folder_is_empty_and_gone_afterwards(confined: World):
    source = """
import os, tempfile
def run():
    found = os.listdir()
    open("left", "w").write("for the next one")
    os.mkdir("folder")
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"temporary")
    return [found, sorted(os.listdir()), open("left").read()]
"""
    for _ in range(6):
        assert await confined.value(source) == [[], ["folder", "left"], "for the next one"]


async def test_a_sibling_cannot_read_its_folder(confined: World):
    open_folder = asyncio.create_task(
        confined.run("import os\ndef run():\n    open('mine', 'w').write('x')\n    tools.forever(folder=os.getcwd())")
    )
    await confined.asked.wait()
    folder = confined.calls[0].arguments["folder"]
    source = """
import os
def run(folder):
    found = []
    for path in (folder, folder + "/mine", os.path.dirname(folder)):
        try:
            found.append(os.listdir(path) if not path.endswith("mine") else open(path).read())
        except OSError:
            continue
    return found
"""
    # where each has a root of its own, the same path is the folder of the one that asks
    assert [seen for seen in await confined.value(source, folder=folder) if seen] == []
    open_folder.cancel()
    await asyncio.wait([open_folder])


async def test_a_file_that_is_too_large_cannot_be_written(confined: World):
    source = """
def run():
    with open("large", "wb") as file:
        for _ in range(100):
            file.write(bytes(1024**2))
"""
    failure = await confined.failure(source, limits=Limits(time_s=20, file_bytes=4 * 1024**2))
    assert (failure.type, failure.message) == ("OSError", "[Errno 27] File too large")


async def test_many_files_cannot_fill_the_machine(confined: World):
    source = """
def run():
    for number in range(1000):
        with open(f"part {number}", "wb") as file:
            file.write(bytes(4 * 1024**2))
"""
    failure = await confined.failure(source, limits=Limits(time_s=60))
    assert failure.type == "OSError"
    assert failure.message in {
        "[Errno 28] No space left on device",
        "its files took more than 67,108,864 bytes",
    }


@pytest.mark.parametrize(
    "way", ["os.mkdir(str(number))", "os.mkdir('in'); os.chdir('in')", "os.symlink('x', str(number))"]
)
async def test_folders_without_end_cannot_fill_the_machine(confined: World, way: str):
    source = f"""
import os
def run():
    for number in range(10**9):
        {way}
"""
    failure = await confined.failure(source, limits=Limits(time_s=60))
    assert failure.type == "OSError"
    assert failure.message.startswith(("[Errno 28] No space left on device", "its files took more than 67,108,864"))


# --- what outlives the result


async def test_nothing_runs_on_after_the_result(confined: World):
    confined.answers["tools.late"] = lambda _: None
    source = """
import atexit, signal, sys, threading, time
class Late:
    def __del__(self):
        tools.late(of="__del__")
def endless():
    while True:
        time.sleep(0.001)
def run():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    atexit.register(tools.late, of="atexit")
    threading.Thread(target=endless).start()
    threading.Thread(target=endless, daemon=True).start()
    sys.late = Late()
    return "result"
"""
    assert await confined.value(source) == "result"
    await asyncio.to_thread(until, lambda: confined.running == 0, "the process has ended")
    assert confined.calls == []


async def test_one_that_ignores_everything_is_ended_with_its_time(confined: World, clock: LoopClock):
    confined.answers["tools.begun"] = lambda _: clock.skip(PAST_LIMIT_S)
    source = """
import signal, threading
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def run():
    print("still here")
    tools.begun()
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
    outcome = await confined.run(source, limits=Limits(time_s=20))
    assert outcome.error is not None
    assert outcome.error.code == "timeout"
    assert outcome.stdout == "still here\n"


@pytest.mark.parametrize("call", ["os._exit(3)", "os.abort()", "os.kill(os.getpid(), 9)", "ctypes.string_at(0)"])
async def test_one_that_ends_its_process_is_told(confined: World, call: str):
    failure = await confined.failure(f"import ctypes, os\ndef run():\n    {call}")
    assert failure.code == "killed"
    assert await confined.value("def run():\n    return 1") == 1


# --- memory, threads, time


async def test_memory_is_limited(confined: World):
    limits = Limits(time_s=30, memory_bytes=200 * 1024**2)
    hogs = ["bytearray(10**9)", "'x' * 10**9", "mmap.mmap(-1, 10**9)", "[bytearray(10**6) for _ in range(1000)]"]
    for hog in hogs:
        failure = await confined.failure(f"import mmap\ndef run():\n    {hog}", limits=limits)
        assert (failure.code == "memory") or "Cannot allocate memory" in failure.message, (hog, failure)


async def test_threads_are_limited(sandbox: World):
    source = """
import threading
def run():
    stop = threading.Event()
    threading.stack_size(64 * 1024)
    started = 0
    try:
        for _ in range(1000):
            threading.Thread(target=stop.wait, daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    return started
"""
    if any("threads" in text for text in sandbox.executor.protections.missing):
        pytest.skip("; ".join(sandbox.executor.protections.missing))
    first, second = await asyncio.gather(sandbox.value(source), sandbox.value(source))
    assert 10 < first < 100
    assert 10 < second < 100
