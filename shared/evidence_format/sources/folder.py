"""A run in a folder of this machine. Links in it are findings, and are never followed."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

from shared.evidence_format.layout import OBJECTS
from shared.evidence_format.sources.source import FileInfo, Finding, NoRun, RunListing, Unreadable

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Do not follow a link that appeared after the listing, and do not block on a pipe."""

DEEPEST = 64
"""Most nested folders that are read. Evidence has few; a hostile copy may have any number."""


class FolderSource:
    """See :class:`shared.evidence_format.sources.source.RunSource`."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.fspath(folder.resolve())
        self.place = os.fspath(folder)
        self.readers = min(8, os.cpu_count() or 1)

    def list_files(self) -> RunListing:
        if not Path(self._folder).is_dir():
            raise NoRun(f"there is no folder {self.place}")
        listing = RunListing()
        for path, entry in _walk(self._folder, "", listing):
            about = entry.stat(follow_symlinks=False)
            listing.files[path] = FileInfo(about.st_size, about.st_dev << 64 | about.st_ino, about.st_ino)
        if Path(self._folder, OBJECTS).is_dir():
            listing.objects = tuple(path for path in listing.files if path.startswith(f"{OBJECTS}/"))
        return listing

    def open(self, path: str) -> io.RawIOBase:
        try:
            return io.FileIO(os.open(f"{self._folder}/{path}", _FLAGS), "rb")
        except OSError as exc:
            raise Unreadable(exc.strerror or str(exc)) from exc

    def close(self) -> None: ...


def _walk(folder: str, below: str, listing: RunListing) -> Iterator[tuple[str, os.DirEntry[str]]]:
    if below.count("/") > DEEPEST:
        message = f"lies in more than {DEEPEST} folders; evidence does not"
        listing.problems.append(Finding(below.rstrip("/"), "too_deep", message))
        return
    try:
        with os.scandir(f"{folder}/{below}") as found:
            entries = list(found)
    except OSError as exc:
        message = f"the folder cannot be read: {exc.strerror or exc}"
        listing.problems.append(Finding(below.rstrip("/"), "unreadable", message))
        return
    if below and not entries:
        listing.problems.append(Finding(below.rstrip("/"), "added", "is an empty folder; evidence holds none"))
    for entry in entries:
        path = f"{below}{entry.name}"
        if entry.is_symlink():
            message = f"is a link to {str(Path(entry.path).readlink())!r}; evidence holds no links"
            listing.problems.append(Finding(path, "link", message))
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(folder, f"{path}/", listing)
        elif entry.is_file(follow_symlinks=False):
            yield path, entry
        else:
            listing.problems.append(Finding(path, "no_file", "is neither a file nor a folder"))
