"""A disk that fails at its n-th change: the process is killed there, or the disk is full.

Every change of the folder uses one of a few system calls, which are counted. At the n-th one either the process dies
(nothing it does afterwards has an effect, not even cleanup), or the call fails once with a full disk. What is appended
is half written then.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.errors import Unavailable
from shared.evidence_format.signing import SigningKey
from tests.handlers.evidence.evidence_desk import Desk

MOST_TRIES = 3
SIGNER = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
CHANGES = ("replace", "rename", "link", "unlink", "rmdir", "mkdir", "write", "ftruncate")
NEED_ROOM = ("replace", "rename", "link", "mkdir", "write")


class Killed(BaseException):
    """Simulated death of the process; must not be caught."""


class Disk:
    """Counts changes. ``fail_at`` None never fails."""

    def __init__(self, fail_at: int | None = None, *, full: bool = False) -> None:
        self.fail_at, self.full = fail_at, full
        self.made: list[str] = []
        """Of each change the path that it makes or takes away."""
        self.dead = False
        self.failed = ""

    def change(self, name: str, made: Callable[..., Any], *args: Any, **more: Any) -> Any:
        if self.dead:
            raise Killed
        if self.full and name not in NEED_ROOM:
            return made(*args, **more)
        opened = isinstance(args[0], int)
        paths = [str(Path(f"/proc/self/fd/{args[0]}").readlink())] if opened else [str(one) for one in args]
        self.made.append(paths[-1])
        if len(self.made) != self.fail_at:
            return made(*args, **more)
        if name == "write":
            made(args[0], args[1][: len(args[1]) // 2])
        self.failed = f"{name} {paths}"
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.dead = True
        raise Killed


@contextmanager
def on(disk: Disk) -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGES:
            made = getattr(os, name)
            patch.setattr(os, name, lambda *a, _n=name, _m=made, **more: disk.change(_n, _m, *a, **more))
        # What a killed process has written stays with the kernel: waiting for a real disk would prove nothing here, and
        # take minutes on a slow one.
        patch.setattr(os, "fsync", lambda _: None)
        yield


class Fragile(Desk):
    """A desk whose folder can be begun anew under the same name."""

    def start(self) -> None:
        super().start()
        self.deps.signer = SIGNER


async def told_until_done(desk: Desk, messages: Sequence[Any], disk: Disk) -> None:
    """As the bus does it: what was not acknowledged is told again, to a process that knows nothing where the first was
    killed, to the same one where it said that it cannot write."""
    for message in messages:
        for _ in range(MOST_TRIES):
            try:
                with on(disk):
                    await desk.tell(message)
                break
            except Killed:
                disk.dead = False
                desk.restart()
            except Unavailable:
                continue
        else:
            raise AssertionError(f"{type(message).__name__} was never filed")


def hidden(name: str) -> bool:
    """Files that are being written lie under such names; no reader looks at them."""
    return any(part.startswith(".") for part in Path(name).parts)


unclosed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A killed process closes no file."""
