"""A disk that fails at its n-th change: the process is killed there, or there is no room.

Every change of the folder goes through one of a few calls of the operating system. They are counted; at the n-th either
the process dies (nothing it does afterwards has an effect, not even clearing up), or the call says that the disk is
full, once.
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
    """What nobody catches: the process is gone."""


class Disk:
    """``fail_at`` None: it only counts."""

    def __init__(self, fail_at: int | None = None, *, full: bool = False) -> None:
        self.fail_at, self.full = fail_at, full
        self.changes = 0
        self.dead = False
        self.failed = ""

    def change(self, name: str, made: Callable[..., Any], *args: Any, **more: Any) -> Any:
        if self.dead:
            raise Killed
        if self.full and name not in NEED_ROOM:
            return made(*args, **more)
        self.changes += 1
        if self.changes != self.fail_at:
            return made(*args, **more)
        self.failed = f"{name} {[str(one) for one in args]}"
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
        yield
