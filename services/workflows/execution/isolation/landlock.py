"""Landlock (landlock(7)): a process gives up to open any file but those below some paths, for itself and for good.

It needs no privilege. Later kernels also refuse TCP (ABI 4), and signals and abstract sockets to others (ABI 6).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from contextlib import suppress

from services.workflows.execution.isolation.system_calls import system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_WRITE_FILE = 1 << 1
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG, _MAKE_FIFO, _MAKE_SYM = (
    1 << 4,
    1 << 5,
    1 << 7,
    1 << 8,
    1 << 10,
    1 << 12,
)
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_RIGHTS_OF_ABI = (0, 13, 14, 15, 15, 16)
"""How many rights about files each ABI knows, as bits from the lowest; the last one stands for all later."""
_TCP = 0b11
_SCOPES = 0b11
_READ = _READ_FILE | _READ_DIR
_WRITE = (
    _READ
    | _WRITE_FILE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_FIFO
    | _MAKE_SYM
    | _REFER
    | _TRUNCATE
)
_OF_FILES = _READ_FILE | _WRITE_FILE | _TRUNCATE
"""Rights that a rule about a single file may give."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))


def landlock_abi() -> int:
    """Return the version of Landlock. Raises OSError where the kernel has none, or has it switched off."""
    return system_call(_CREATE_RULESET, 0, 0, 1)


def restrict_files(readable: Sequence[str], folder: str, abi: int) -> None:
    """Let this process open what is below ``readable`` for reading and what is below ``folder`` for all, and no more.

    Paths that do not exist are left out. Needs no_new_privs. Raises OSError.
    """
    rights = (1 << _RIGHTS_OF_ABI[min(abi, len(_RIGHTS_OF_ABI) - 1)]) - 1
    ruleset = _Ruleset(rights, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    rules = system_call(_CREATE_RULESET, ctypes.byref(ruleset), 8 if abi < 4 else 16 if abi < 6 else 24, 0)
    try:
        for path in readable:
            with suppress(FileNotFoundError):
                _allow(rules, path, _READ & rights)
        _allow(rules, folder, _WRITE & rights)
        system_call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if os.path.isdir(path) else rights & _OF_FILES
        system_call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(_PathBeneath(allowed, parent)), 0)
    finally:
        os.close(parent)
