"""Writes a file, or a folder of files, that is there as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

MODE = 0o644
FOLDER_MODE = 0o755


@contextmanager
def replace_file(path: Path) -> Generator[BinaryIO]:
    """Return a new file that is synced and replaces ``path`` after the block; after an error ``path`` is as before."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(MODE)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


class NewFolder:
    """A folder that is filled at ``path``, and has its name once it was put in place."""

    def __init__(self, path: Path, target: Path) -> None:
        self.path, self._target = path, target

    def put_in_place(self) -> None:
        """Give the folder its name; one without files is not made. Raises FileExistsError: there is something else."""
        if not any(self.path.iterdir()):
            return
        if self._target.exists() or self._target.is_symlink():
            raise FileExistsError(f"{self._target} is there already")
        self.path.chmod(FOLDER_MODE)
        self.path.rename(self._target)
        self.path = self._target


@contextmanager
def new_folder(target: Path) -> Generator[NewFolder]:
    """Return a new folder beside ``target``, which becomes it in :meth:`NewFolder.put_in_place`; after an error, and
    if it was not put in place, nothing of it is left. What is at ``target`` already stays."""
    part = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
    folder = NewFolder(part, target)
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder.path, ignore_errors=True)
        raise
    if folder.path == part:
        shutil.rmtree(part, ignore_errors=True)
