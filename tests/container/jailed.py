"""What the compose file says of a container, and how a command is started under the same restrictions."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
JAIL = Path(__file__).with_name("jail.py")
POOL: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"][
    "browser_pool"
]
PYTHON = Path(sys.prefix).resolve() / "bin" / "python"
SECCOMP = "seccomp:"
Profile = dict[str, Any]
ALL_NAMESPACES = 0x7E020000
"""Flags of clone(2): a bit for each kind of namespace."""


def pool_profile() -> Path:
    """Return the seccomp profile of the pool's container."""
    (named,) = (one.removeprefix(SECCOMP) for one in POOL["security_opt"] if one.startswith(SECCOMP))
    return ROOT / named


def read_profile(path: Path) -> Profile:
    return json.loads(path.read_text(encoding="utf-8"))


def as_docker_has_it(profile: Profile) -> Profile:
    """Return the profile with Docker's default rules of namespaces, for who has no capability: a clone in none, no
    unshare, no chroot."""
    in_none = {"index": 0, "value": ALL_NAMESPACES, "op": "SCMP_CMP_MASKED_EQ"}
    kept = [one for one in profile["syscalls"] if not {"clone", "unshare", "chroot"} & {*one["names"]}]
    return {**profile, "syscalls": [*kept, {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [in_none]}]}


def jailed(
    profile: Path, command: Sequence[str | Path], also: Sequence[Path] = (), root: Path | None = None
) -> list[str]:
    """Return a command that runs another in the jail: in ``root``, or with this Python and checkout, and ``also``."""
    ours = [] if root else [ROOT, PYTHON.parents[1], Path(sys.base_prefix).resolve()]
    binds = [one for one in (*ours, *also) if one == ROOT or not one.is_relative_to(ROOT)]
    words = [*(("--root", str(root)) if root else ()), *(word for one in binds for word in ("--bind", str(one)))]
    return [sys.executable, "-I", str(JAIL), "--profile", str(profile), *words, *map(str, command)]


def in_image(env: Mapping[str, str], **more: str) -> dict[str, str]:
    """Return the environment of a container's process: nothing of ours but the path of programs."""
    return {
        "PATH": env["PATH"], "HOME": "/var/lib/exhibit", "PYTHONPATH": str(ROOT),
        "EXHIBIT_STATE_DIR": "/var/lib/exhibit/state", **more,
    }  # fmt: skip
