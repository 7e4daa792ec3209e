"""Which layers of isolation there are, and which of them hold on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Layer = Literal["processes", "network", "mounts", "user", "threads", "landlock", "seccomp"]
LAYERS: tuple[Layer, ...] = ("processes", "network", "mounts", "user", "threads", "landlock", "seccomp")
"""``processes``: a PID namespace. ``network``: a network namespace. ``mounts``: a root that holds the Python library
only, and a folder in memory. ``user``: a user without rights. ``threads``: a limit of their number, which needs a user
of its own. ``landlock``, ``seccomp``: what the kernel refuses to a process that asked for it."""


@dataclass
class IsolationPlan:
    """What every child does to itself. ``missing``: the layers that it does not have, each with the reason."""

    base: str
    """The folder of the parent: of the children's folders, or where the new root is mounted."""
    readable: list[str]
    folder_bytes: int
    packages: str = ""
    """A folder, besides those of this Python, that children import from; it is one of the readable ones."""
    missing: dict[str, str] = field(default_factory=dict[str, str])
    landlock_abi: int = 0
    first_uid: int | None = None
    """Each child has a user id of its own from here on, or, with ``shared_uid``, this one. None: it keeps its own."""
    shared_uid: bool = False

    def has(self, layer: Layer) -> bool:
        return layer not in self.missing

    def leave_out(self, layer: str, reason: object) -> None:
        self.missing.setdefault(layer, str(reason))


_WHAT_IS_MISSING: Mapping[str, str] = {
    "processes": "no process namespace of its own",
    "network": "no network namespace of its own",
    "mounts": "no file system of its own: that files exist can be seen, and its folder lies on the disk, where its size"
    " is checked from time to time",
    "user": "no user of its own: it runs as the user of the service",
    "threads": "no limit of threads",
    "landlock": "no Landlock",
    "seccomp": "no filter of system calls",
}


def protected(missing: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of `Protections` for a process that lacks these layers."""
    seccomp = "seccomp" not in missing
    lost: list[str] = []
    if not (network := "network" not in missing or seccomp):
        lost.append("the network can be reached")
    if not (files := "mounts" not in missing or "landlock" not in missing):
        lost.append("files of this machine can be read and written as the user of the service may")
    if "processes" in missing and not seccomp:
        lost.append("other processes of the same user can be ended and read")
    lost += [f"{_WHAT_IS_MISSING[layer]} ({missing[layer]})" for layer in LAYERS if layer in missing]
    return {
        "processes": True,
        "network": network,
        "files": files,
        "system_calls": seccomp,
        "missing": tuple(lost),
    }
