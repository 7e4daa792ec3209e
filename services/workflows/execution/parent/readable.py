"""The folders that workflow code may read: Python's library, installed packages, and the shared libraries they need."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

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
    """Return existing paths, none of them below another."""
    of_python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    found = dict.fromkeys(
        str(path)
        for name in (f"{sys.base_prefix}/lib", *of_python, *_SYSTEM)
        for path in (Path(name), Path(name).resolve())
        if (path.exists() and len(path.parts) > 2) or (path.is_symlink() and path.exists())
    )
    return [path for path in found if not any(path != other and Path(path).is_relative_to(other) for other in found)]
