"""Starts a command as the compose file's containers start it, without Docker.

    python -I jail.py --profile FILE [--root FOLDER | --bind PATH ...] COMMAND ...

The command has no capability and gains none (``no-new-privileges``), and its system calls are filtered by the seccomp
profile, a file in Docker's format. Where root starts it, it is the user of the image as well, and sees a root of its
own: ``--root``, or an empty one with the paths bound; read-only but for /tmp, /dev/shm and the folder of its state.

It needs Linux and libseccomp, which reads no profile itself: the few forms of rules that ours have are read here, and
any other is an error.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

UID = 10001
"""The user of the image."""
LAST_CAPABILITY = Path("/proc/sys/kernel/cap_last_cap")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
WRITABLE = ("tmp", "var/lib/exhibit/state", "dev/shm")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
CLONE_NEWNS, MS_RDONLY, MS_NOSUID, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1, 2, 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

ACT_ALLOW, ACT_ERRNO = 0x7FFF0000, 0x00050000
CMP = {"SCMP_CMP_NE": 1, "SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
NO_SUCH_CALL = -1  # __NR_SCMP_ERROR

_libc = ctypes.CDLL(None, use_errno=True)


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", type=Path, required=True)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    load_filter = make_filter(json.loads(chosen.profile.read_text(encoding="utf-8")))
    here = Path.cwd()
    if os.geteuid() == 0:
        enter_root(chosen.root, chosen.bind)
        for capability in range(int(LAST_CAPABILITY.read_text()) + 1):
            _checked(_libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0))
        os.setgroups([])
        os.setresgid(UID, UID, UID)
        os.setresuid(UID, UID, UID)
    os.chdir(here if here.is_dir() else "/")
    _checked(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    load_filter()
    os.execvp(chosen.command[0], chosen.command)


def enter_root(root: Path | None, binds: Sequence[str]) -> None:
    """Make a root of our own the root of this process and its children. A chroot would not do: in one, the kernel
    gives nobody a user namespace."""
    _checked(_libc.unshare(CLONE_NEWNS))
    _mount("", "/", "", MS_REC | MS_PRIVATE)
    new = Path(tempfile.mkdtemp(prefix="exhibit-jail-"))
    if root is None:
        _mount("tmpfs", new, "tmpfs", 0, "mode=0755")
    else:
        _mount(root, new, "", MS_BIND)
    for name in WRITABLE:
        (new / name).mkdir(parents=True, exist_ok=True)
        _mount("tmpfs", new / name, "tmpfs", MS_NOSUID, "mode=1777")
    for path in (*(SYSTEM if root is None else ()), *binds):
        _bind(Path(path), new)
    for name in DEVICES:
        device = new / "dev" / name
        device.touch()
        _mount(f"/dev/{name}", device, "", MS_BIND)
    (new / "proc").mkdir(exist_ok=True)
    _mount("/proc", new / "proc", "", MS_BIND | MS_REC)
    _mount("", new, "", MS_BIND | MS_REMOUNT | MS_RDONLY)
    os.chdir(new)
    _checked(_libc.syscall(PIVOT_ROOT[platform.machine()], b".", b"."))
    _checked(_libc.umount2(b".", MNT_DETACH))
    os.chdir("/")


def _bind(path: Path, new: Path) -> None:
    if path.is_symlink():  # as /bin is where it is a part of /usr
        (new / path.relative_to("/")).symlink_to(path.readlink())
    elif path.exists():
        target = new / path.relative_to("/")
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        _mount(path, target, "", MS_BIND | MS_REC)
        _mount(path, target, "", MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID)


def _mount(source: str | Path, target: str | Path, kind: str, flags: int, data: str = "") -> None:
    told = (str(source).encode(), str(target).encode(), kind.encode() or None, flags, data.encode() or None)
    _checked(_libc.mount(told[0], told[1], told[2], ctypes.c_ulong(told[3]), told[4]))


def make_filter(profile: Mapping[str, Any]) -> Callable[[], None]:
    """Return what loads the profile's filter into this process. Raises ValueError for what is unknown here."""
    if unknown := profile.keys() - {"defaultAction", "defaultErrnoRet", "archMap", "syscalls"}:
        raise ValueError(f"unknown: {unknown}")
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p
    lib.seccomp_init.argtypes = (ctypes.c_uint32,)
    lib.seccomp_rule_add_array.argtypes = (
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Comparison),
    )  # fmt: skip
    lib.seccomp_load.argtypes = (ctypes.c_void_p,)
    built = lib.seccomp_init(_action(profile["defaultAction"], profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        if unknown := rule.keys() - {"comment", "names", "action", "errnoRet", "args"}:
            raise ValueError(f"unknown: {unknown}")
        args = [
            _Comparison(one["index"], CMP[one["op"]], one["value"], one.get("valueTwo", 0))
            for one in rule.get("args", ())
        ]
        compared = (_Comparison * len(args))(*args)
        for name in rule["names"]:
            number = lib.seccomp_syscall_resolve_name(name.encode())
            if number != NO_SUCH_CALL:  # of a newer kernel than the library knows, which runc passes over too
                action = _action(rule["action"], rule.get("errnoRet"))
                _added(lib.seccomp_rule_add_array(built, action, number, len(args), compared), name)

    def load() -> None:
        _added(lib.seccomp_load(built), "the filter")

    return load


def _action(name: str, errno: int | None) -> int:
    return ACT_ALLOW if name == "SCMP_ACT_ALLOW" else {"SCMP_ACT_ERRNO": ACT_ERRNO}[name] | (errno or 1)


def _added(returned: int, what: str) -> None:
    if returned != 0:
        raise OSError(-returned, f"{what}: {os.strerror(-returned)}")


def _checked(returned: int) -> None:
    if returned != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


if __name__ == "__main__":
    main()
