"""One process that forks children, as the service sees it."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import sysconfig
import tempfile
from asyncio.subprocess import Process
from collections import deque
from contextlib import suppress
from pathlib import Path

from services.workflows.execution.child.zygote import EXITED, FORK, KILL, REQUEST
from services.workflows.execution.isolation.plan import IsolationPlan
from services.workflows.execution.parent.child_folder import remove_folder
from services.workflows.execution.parent.child_link import ChildLink
from shared.aio import BackgroundTasks
from shared.child_process.child import LENGTH
from shared.child_process.parent import kill_and_wait, start_python

log = logging.getLogger(__name__)

PROGRAM = "services.workflows.execution.child.zygote"
START_TIMEOUT_S = 30.0
END_TIMEOUT_S = 2.0
MAX_NUMBER = 2**32
GONE = -1000
"""The exit status of children whose zygote has ended."""


PackagesState = tuple[int, int, int] | None


class ZygoteFailedError(Exception):
    """The process that forks children cannot be started."""


class ZygoteLink:
    """Start it with `start_zygote`. ``missing``: layers of isolation that its children do not have, with the reason.
    ``packages``: the state of the folder of packages when it started."""

    def __init__(
        self, process: Process, control: socket.socket, base: Path, missing: dict[str, str], packages: PackagesState
    ) -> None:
        self._process, self._control, self._base = process, control, base
        self.missing, self.packages = missing, packages
        self.is_alive = True
        self._is_closing = False
        self._children: dict[int, ChildLink] = {}
        self._last = 0
        self._to_send: deque[tuple[bytes, socket.socket | None]] = deque()
        self._tasks = BackgroundTasks()
        self._reading = self._tasks.start(self._read_exits())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def own_folders(self) -> bool:
        """Whether the folders of the children vanish with them."""
        return "mounts" not in self.missing

    def fork(self) -> ChildLink:
        """Ask for a child. It can be written to at once."""
        self._last = self._last % (MAX_NUMBER - 1) + 1
        number = self._last
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        folder = None if self.own_folders else self._base / str(number)
        link = ChildLink(ours, folder, lambda: self._send(REQUEST.pack(KILL, number), None))
        self._children[number] = link
        self._send(REQUEST.pack(FORK, number), theirs)
        return link

    async def retire(self) -> None:
        """End it when the last of its children has ended. Fork no more."""
        while self._children:
            await asyncio.wait([link.exited for link in self._children.values()])
        await self.close()

    async def close(self) -> None:
        """End it and all its children."""
        self._is_closing = True
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # it then ends its children, and itself
        with suppress(TimeoutError):
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._process.wait()
        await self._tasks.cancel()
        await kill_and_wait(self._process)
        self._end()
        await asyncio.to_thread(remove_folder, self._base)

    # --- requests

    def _send(self, data: bytes, handle: socket.socket | None) -> None:
        if not self.is_alive:
            if handle is not None:
                handle.close()
            return
        self._to_send.append((data, handle))
        if len(self._to_send) == 1:
            self._send_waiting()

    def _send_waiting(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_writer(self._control)
        while self._to_send:
            data, handle = self._to_send[0]
            try:
                handles = [] if handle is None else [handle.fileno()]
                sent = socket.send_fds(self._control, [data], handles)
            except BlockingIOError:
                loop.add_writer(self._control, self._send_waiting)
                return
            except OSError:
                return  # it has ended: the task that reads finds out
            if handle is not None:
                handle.close()
            self._to_send.popleft()
            if sent < len(data):
                self._to_send.appendleft((data[sent:], None))

    # --- exits

    async def _read_exits(self) -> None:
        loop = asyncio.get_running_loop()
        kept = b""
        try:
            while data := await loop.sock_recv(self._control, 65_536):
                kept += data
                whole = len(kept) - len(kept) % EXITED.size
                for number, status in EXITED.iter_unpack(kept[:whole]):
                    await self._exited(number, status)
                kept = kept[whole:]
        except OSError:
            pass
        if not self._is_closing:
            log.warning("the process that forks workflow processes has ended; another one is started when it is needed")
        self._end()

    async def _exited(self, number: int, status: int) -> None:
        link = self._children.pop(number, None)
        if link is None:
            return
        if link.folder is not None:
            await asyncio.to_thread(remove_folder, link.folder)
        link.set_exited(status)

    def _end(self) -> None:
        if not self.is_alive:
            return
        self.is_alive = False
        with suppress(RuntimeError):
            asyncio.get_running_loop().remove_writer(self._control)
        self._control.close()
        for _, handle in self._to_send:
            if handle is not None:
                handle.close()
        self._to_send.clear()
        for link in list(self._children.values()):
            link.set_exited(GONE)
        self._children.clear()
        remove_folder(self._base)


def packages_state(folder: Path | None) -> PackagesState:
    """Return what differs when packages were installed into the folder, or it was replaced; None without one."""
    try:
        return None if folder is None else ((found := folder.stat()).st_dev, found.st_ino, found.st_mtime_ns)
    except OSError:
        return None


async def start_zygote(switched_off: dict[str, str], folder_bytes: int, packages: Path | None) -> ZygoteLink:
    """Start one and wait until it can fork. Raises ZygoteFailedError."""
    state = packages_state(packages)
    base = Path(tempfile.mkdtemp(prefix="exhibit-workflows-")).resolve()
    base.chmod(0o711)  # children run as other users, and their folders lie in it
    plan = IsolationPlan(str(base), readable_paths(), folder_bytes, missing=dict(switched_off))
    if state is not None and packages is not None:
        plan.packages = str(packages.resolve())
        plan.readable.append(plan.packages)
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            process = await start_python(
                "-m", PROGRAM, stdin=theirs.fileno(), stdout=asyncio.subprocess.DEVNULL, env={}
            )
    except OSError as exc:
        ours.close()
        base.rmdir()
        raise ZygoteFailedError(f"the process that forks workflow processes cannot be started: {exc}") from exc
    ours.setblocking(False)
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            missing = await _introduce(ours, plan)
    except (TimeoutError, OSError, EOFError) as exc:
        await kill_and_wait(process)
        ours.close()
        remove_folder(base)
        raise ZygoteFailedError("the process that forks workflow processes ended before it was ready") from exc
    except BaseException:
        await kill_and_wait(process)
        ours.close()
        raise
    if "mounts" not in missing:
        base.rmdir()  # the root that was mounted on it has moved away
    return ZygoteLink(process, ours, base, missing, state)


async def _introduce(control: socket.socket, plan: IsolationPlan) -> dict[str, str]:
    loop = asyncio.get_running_loop()
    data = json.dumps(vars(plan)).encode()
    await loop.sock_sendall(control, LENGTH.pack(len(data)) + data)
    received = b""
    while len(received) < LENGTH.size or len(received) < LENGTH.size + LENGTH.unpack_from(received)[0]:
        part = await loop.sock_recv(control, 65_536)
        if not part:
            raise EOFError
        received += part
    return json.loads(received[LENGTH.size :])


# --- what workflow code may read

_SYSTEM = (
    "/usr/lib",
    "/usr/lib64",
    "/lib",
    "/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/usr/share/zoneinfo",
)


def readable_paths() -> list[str]:
    """Return the paths of Python's library, installed packages and the shared libraries they need; none of them is
    below another."""
    of_python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    found = dict.fromkeys(
        str(path)
        for name in (f"{sys.base_prefix}/lib", *of_python, *_SYSTEM)
        for path in (Path(name), Path(name).resolve())
        if (path.exists() and len(path.parts) > 2) or (path.is_symlink() and path.exists())
    )
    return [path for path in found if not any(path != other and Path(path).is_relative_to(other) for other in found)]
