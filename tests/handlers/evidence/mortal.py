"""A disk that fails at its n-th change: the process is killed there, or the disk is full.

Every change of the folder uses one of a few system calls, which are counted. At the n-th one either the process dies
(nothing it does afterwards has an effect, not even cleanup), or the call fails once with a full disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

CHANGES = ("replace", "rename", "link", "unlink", "rmdir", "mkdir")
NEED_ROOM = ("replace", "rename", "link", "mkdir")


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
        paths = [str(one) for one in args if isinstance(one, str | os.PathLike)]
        self.made.append(paths[-1])
        if len(self.made) != self.fail_at:
            return made(*args, **more)
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
