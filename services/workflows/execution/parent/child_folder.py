"""The folder of a child where it lies on disk: how much is in it, and its end. Its content is hostile: any number of
entries, nested to any depth, and changed while it is read."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from uuid import uuid4

ENTRY_BYTES = 4096
"""What the smallest file, or an empty folder, counts: it takes an inode and a place in its folder."""
MOST_LEVELS = 64
"""Folders in each other; one nested deeper is too large whatever it holds."""


def is_larger(folder: Path, most_bytes: int) -> bool:
    """Return whether the files and folders in it take more than ``most_bytes``. It reads no further than that."""
    total, left = 0, [(os.fspath(folder), 0)]
    while left:
        path, level = left.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    try:
                        total += max(entry.stat(follow_symlinks=False).st_blocks * 512, ENTRY_BYTES)
                        is_folder = entry.is_dir(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if is_folder:
                        left.append((entry.path, level + 1))
                    if total > most_bytes or (is_folder and level + 1 > MOST_LEVELS):
                        return True
        except FileNotFoundError:
            continue
        except OSError:  # a name that is too long to be read, or a folder that was closed to its owner
            total += ENTRY_BYTES
    return total > most_bytes


def remove_folder(folder: Path) -> None:
    """Remove a folder whose child has ended, however deep it is nested; what cannot be removed stays.

    A folder in it is emptied into the folder itself, so that no path is longer than three names: `shutil.rmtree` goes
    down level by level, and ends where the levels are more than the calls or open files that there may be.
    """
    if _is_deep(folder):
        names = _names(folder)
        while names:
            for name in names:
                _flatten(folder, folder / name)
            before, names = names, _names(folder)
            if names == before:
                break  # nothing more can be removed
    shutil.rmtree(folder, ignore_errors=True)


def _is_deep(folder: Path) -> bool:
    left = [(os.fspath(folder), 0)]
    while left:
        path, level = left.pop()
        if level > MOST_LEVELS:
            return True
        left += [(f"{path}/{name}", level + 1) for name in _folders(path)]
    return False


def _flatten(folder: Path, path: Path) -> None:
    try:
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            return
        path.chmod(0o700)
        for name in _names(path):
            (path / name).rename(folder / uuid4().hex)
        path.rmdir()
    except OSError:
        return


def _names(folder: Path) -> list[str]:
    try:
        return sorted(one.name for one in folder.iterdir())
    except OSError:
        return []


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
