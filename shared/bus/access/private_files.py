"""Files that only their user can read, in folders that only this user can open."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from shared.errors import PermanentError

OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The rights of everybody but the owner."""


def write_private(path: Path, data: bytes) -> Path:
    """Write a file that only this user can read, at once as a whole, and return it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")  # 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def make_private_folder(folder: Path) -> None:
    """Create the folder, or check that it is a folder of this user, and close it to all others."""
    for checked in (folder.parent, folder):  # in this order: nothing is made in a folder of another user
        checked.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = checked.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
            raise PermanentError(f"{checked} is not a folder of this user", code="bus_refused")
    folder.chmod(0o700)


def read_private(path: Path, what_to_do: str) -> bytes:
    """Return the bytes. Raises FileNotFoundError; PermanentError when it is not a plain file of this user alone.

    ``what_to_do``: about a file that is open to others.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as exc:
        raise PermanentError(f"{path} cannot be read: {exc.strerror}", code="bus_refused") from exc
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & OTHERS:
            raise PermanentError(
                f"{path} is open to others: it must be a file of this user with mode 0600; {what_to_do}",
                code="bus_refused",
            )
        return file.read()
