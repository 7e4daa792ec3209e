"""An environment for each app, and for a benchmark's peer that needs packages: those of its lock file, apart from ours.

Made once for each version of the lock file, under ``.cache/apps``; where the packages come from is what pip of this
machine is set to.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

APPS = Path(__file__).parent
CACHE = APPS.parents[2] / ".cache" / "apps"
BOUND_S = 300.0
NEWER, OLDER = "packages", "older"
"""Lock files: of the release that every test uses, and of an older one."""
BUILD_TOOLS = "build.lock"
"""What builds packages that come as source only, pinned like the packages."""


class CannotInstall(RuntimeError):
    """The packages of an app could not be installed. The message has the installer's own words."""


def python_of(app: str, release: str = NEWER) -> Path:
    """Return the Python of the app's environment; make it if necessary. ``release``: name of its lock file.

    Raises CannotInstall."""
    return python_with(APPS / app / f"{release}.lock")


def python_with(lock: Path) -> Path:
    """Return the Python of an environment of exactly what is locked, named for the folder of the lock file.

    Raises CannotInstall."""
    version = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = CACHE / f"{lock.parent.name}-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _install(lock, folder)
            (folder / "ready").touch()
    return folder / "bin" / "python"


def _install(lock: Path, folder: Path) -> None:
    uv = (sys.executable, "-m", "uv")
    _run(*uv, "venv", "--quiet", "--python", sys.executable, str(folder))
    hashes = ("--require-hashes", "--build-constraints", str(APPS / BUILD_TOOLS), "-r", str(lock))
    _run(*uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *hashes)


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False)
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"{command[-1]}: not installed within {BOUND_S:.0f} s") from None
    if done.returncode != 0:
        raise CannotInstall(f"{command[-1]}: not installed:\n{(done.stderr or done.stdout).strip()[-2000:]}")
