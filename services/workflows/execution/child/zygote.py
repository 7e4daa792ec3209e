"""The process that forks the children: ``python -I -m services.workflows.execution.child.zygote``.

It has loaded what children need, so that a child costs a fork. Its standard input is a socket to the service. Requests
are `REQUEST` records: ``FORK``, with the number of the child and one descriptor, the child's end of its connection, and
``KILL``. It answers with one frame, the missing layers of isolation, and then an `EXITED` record for every child
that has ended. It ends, and all its children with it, when the service closes the socket or ends.

It runs no workflow code and has one thread. Where Linux allows it is the first process of a PID namespace.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, NoReturn, cast

from services.workflows.execution.child import entry
from services.workflows.execution.child.flow_modules import install_flow_modules
from services.workflows.execution.isolation.plan import LAYERS, IsolationPlan
from shared.child_process.child import LENGTH, die_with_parent, read_frame

REQUEST = struct.Struct(">BI")
EXITED = struct.Struct(">Ii")
FORK, KILL = 1, 2
CHILD_FD = 3
LOAD_WHEN_IDLE = (
    "asyncio", "datetime", "random", "base64", "hashlib", "dataclasses", "typing", "itertools", "textwrap", "decimal",
    "statistics", "inspect", "logging", "concurrent.futures.thread", "pathlib", "tempfile", "shutil", "csv", "html",
    "uuid", "urllib.parse", "html.parser", "xml.etree.ElementTree", "fractions", "secrets", "string", "zoneinfo",
    "difflib", "unicodedata", "heapq", "bisect", "copy", "pprint", "gzip", "zipfile", "sqlite3",
)  # fmt: skip
"""Modules that workflow code is likely to import. They are loaded one by one while there is nothing to do."""


class Zygote:
    def __init__(self, control: socket.socket, plan: IsolationPlan) -> None:
        self._control, self._plan = control, plan
        self._children: dict[int, int] = {}
        """Their numbers, by their pids."""
        self._wake, self._woken = os.pipe()
        for end in (self._wake, self._woken):
            os.set_blocking(end, False)
        self._null = os.open(os.devnull, os.O_RDWR)

    def serve(self) -> None:
        """Serve requests until the service is gone."""
        signal.signal(signal.SIGCHLD, _wake_up)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        to_load = iter(LOAD_WHEN_IDLE)
        idle_ms: int | None = 20
        while True:
            ready = {fd for fd, _ in poll.poll(idle_ms)}
            if not ready:
                idle_ms = 0 if _load_one(to_load) else None
                continue
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._reap()
            if self._control.fileno() in ready and not self._serve_one():
                return

    def find_layers(self) -> None:
        """Leave out of the plan what a child cannot do to itself: try it in one until it can."""
        for _ in LAYERS:
            failed = self._try_out()
            if failed is None:
                return
            layer, reason = failed
            self._plan.leave_out(layer, reason)
            if layer == "user":
                self._plan.leave_out("threads", "they are counted by user")

    def end_children(self) -> None:
        """End them, and remove the folders that they leave."""
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)
        for pid in self._children:
            os.waitpid(pid, 0)
        if not self._plan.has("mounts"):
            import shutil

            shutil.rmtree(self._plan.base, ignore_errors=True)

    # --- requests

    def _serve_one(self) -> bool:
        try:
            data, handles, _, _ = socket.recv_fds(self._control, REQUEST.size, 1)
            while data and len(data) < REQUEST.size:
                more = self._control.recv(REQUEST.size - len(data))
                data = data + more if more else b""
        except ConnectionResetError:  # the service was killed, and had not read all that was told
            return False
        if not data:
            return False
        kind, number = REQUEST.unpack(data)
        if kind == FORK and handles:
            self._fork(number, handles[0])
        elif kind == KILL:
            for pid in [pid for pid, other in self._children.items() if other == number]:
                os.kill(pid, signal.SIGKILL)
        return True

    def _fork(self, number: int, handle: int) -> None:
        try:
            pid = os.fork()
        except OSError:  # the machine has no memory, or no process id, left
            os.close(handle)
            self._tell(number, -signal.SIGKILL)
            return
        if pid == 0:
            self._be_child(number, handle)
        os.close(handle)
        self._children[pid] = number

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            number = self._children.pop(pid, None)
            if number is not None:
                self._tell(number, os.waitstatus_to_exitcode(status))

    def _tell(self, number: int, status: int) -> None:
        with suppress(OSError):  # the service is gone: the loop ends when it reads that
            self._control.sendall(EXITED.pack(number, status))

    # --- children

    def _be_child(self, number: int, handle: int) -> NoReturn:
        try:
            self._leave_behind(handle)
            self._confine(number)
            gc.enable()
            entry.serve(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, CHILD_FD))
        except BaseException:  # noqa: BLE001  a child never returns to the loop of its parent
            os._exit(71)
        os._exit(0)

    def _leave_behind(self, handle: int) -> None:
        """Close what belongs to the parent; keep the one connection."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for standard in (0, 1, 2):
            os.dup2(self._null, standard)
        os.dup2(handle, CHILD_FD, inheritable=False)
        os.closerange(CHILD_FD + 1, 256)

    def _confine(self, number: int) -> None:
        if sys.platform == "linux":
            from services.workflows.execution.isolation.confine import confine_child

            confine_child(self._plan, number)
        else:
            folder = f"{self._plan.base}/{number}"
            os.mkdir(folder, 0o700)  # noqa: PTH102  pathlib takes long to load
            os.chdir(folder)

    def _try_out(self) -> tuple[str, str] | None:
        """Return the layer that a child cannot have, and why; None when it has all that are left."""
        if sys.platform != "linux":
            return None
        from services.workflows.execution.isolation.confine import LayerError

        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            failed: tuple[str, str] | None = None
            try:
                self._confine(0)
            except LayerError as exc:
                failed = exc.layer, str(exc)
            os.write(writing, json.dumps(failed).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as answer:
            told = answer.read()
        os.waitpid(pid, 0)
        with suppress(OSError):
            os.rmdir(f"{self._plan.base}/0")  # noqa: PTH106
        return json.loads(told) if told else None


def _wake_up(number: int, frame: object) -> None:
    """The signal is written to the pipe that the loop reads; Python does so only for signals with a handler."""


def _load_one(names: Iterator[str]) -> bool:
    """Load the next module; return whether there was one."""
    name = next(names, None)
    if name is None:
        gc.freeze()  # so that the collector of a child writes to none of the pages that it shares
        return False
    with suppress(ImportError):
        importlib.import_module(name)
    return True


def _first_of_namespace() -> None:
    """Fork: the child goes on, as the first process of the PID namespace. This process waits for it."""
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        return
    os.closerange(0, 2)
    os.closerange(3, 64)
    _, status = os.waitpid(pid, 0)
    os._exit(0 if status == 0 else 1)


def main() -> None:
    control = socket.socket(fileno=os.dup(0))
    given = read_frame(cast("IO[bytes]", control.makefile("rb", buffering=0)))  # it must not read ahead
    if given is None:
        return
    plan = IsolationPlan(**json.loads(given))
    os.environ.clear()
    if sys.platform == "linux":
        from services.workflows.execution.isolation.confine import enter_namespaces, prepare_for_children

        enter_namespaces(plan)
        if plan.has("processes"):
            _first_of_namespace()
        prepare_for_children(plan)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    install_flow_modules()
    zygote = Zygote(control, plan)
    zygote.find_layers()
    told = json.dumps(plan.missing).encode()
    control.sendall(LENGTH.pack(len(told)) + told)
    sys.path[:] = [path for path in sys.path if any(path.startswith(below) for below in plan.readable)]
    if plan.packages:
        sys.path.append(plan.packages)
    zygote.serve()
    zygote.end_children()
    os._exit(0)


if __name__ == "__main__":
    main()
