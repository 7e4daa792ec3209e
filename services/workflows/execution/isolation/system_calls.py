"""System calls that Python has no function for. Only Linux has them; on other systems nothing calls this module."""

from __future__ import annotations

import ctypes
import os
import platform
from functools import cache

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_ATTR_RDONLY = 1
_CAPABILITY_VERSION_3 = 0x20080522


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def system_call(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | object) -> int:
    """Make a system call. Integers are passed as 64 bits. Raises OSError."""
    given = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return _checked(_libc().syscall(ctypes.c_long(number), *given))


def unshare(flags: int) -> None:
    _checked(_libc().unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    named = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _checked(_libc().mount(named[0], named[1], named[2], ctypes.c_ulong(flags), named[3]))


def detach_mount(target: str) -> None:
    _checked(_libc().umount2(os.fsencode(target), MNT_DETACH))


def make_read_only(target: str) -> None:
    """Make a mount, and all below it, read-only."""
    attributes = (ctypes.c_uint64 * 4)(_MOUNT_ATTR_RDONLY, 0, 0, 0)
    system_call(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(target), _AT_RECURSIVE, attributes, ctypes.sizeof(attributes))


def pivot_root_here() -> None:
    """Make the working directory, a mount, the root, and detach the old one."""
    system_call(_PIVOT_ROOT[platform.machine()], b".", b".")
    detach_mount(".")


def set_process_control(option: int, value: int, more: int = 0) -> None:
    """prctl(2). Raises OSError."""
    zero = ctypes.c_ulong(0)
    _checked(_libc().prctl(ctypes.c_int(option), ctypes.c_ulong(value), ctypes.c_ulong(more), zero, zero))


def drop_capabilities() -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    system_call(_CAPSET[platform.machine()], header, (ctypes.c_uint32 * 6)())


def keep_few_arenas() -> None:
    """Have malloc reserve address space for two threads at most; it is limited. Does nothing without glibc."""
    if hasattr(_libc(), "mallopt"):
        _libc().mallopt(ctypes.c_int(-8), ctypes.c_int(2))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
