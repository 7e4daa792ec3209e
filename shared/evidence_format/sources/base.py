"""What a run can be handed over in. A source is read and never written; what it says is hostile until it is proven."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import RawIOBase
from typing import Protocol

import msgspec

from shared.contracts.error_codes import SealCode


@dataclass(frozen=True, order=True)
class Finding:
    """One difference from what was sealed. ``path`` is relative to the run's folder; ``code`` is stable."""

    path: str
    code: SealCode
    message: str


class FileInfo(msgspec.Struct, frozen=True, gc=False):
    """A file of the run. Names with an equal ``same`` are hard links to the same bytes, which are read once; reading by
    ``order`` is fastest."""

    size_bytes: int
    same: str | int
    order: int = 0


@dataclass
class RunListing:
    """All files of a run, by path.

    ``objects`` are the paths below ``objects/``; None if there is no such folder. A bucket reads these bytes under
    their other names, so it does not list them in ``files``.
    """

    files: dict[str, FileInfo] = field(default_factory=dict[str, FileInfo])
    problems: list[Finding] = field(default_factory=list[Finding])
    objects: tuple[str, ...] | None = None


class Unreadable(Exception):
    """A file cannot be read; the message says why."""


class NoRun(Exception):
    """There is no run to check; the message says why."""


class RunSource(Protocol):
    """A run that can be listed and read."""

    @property
    def place(self) -> str:
        """The folder, file or address, as people name it."""
        ...

    @property
    def readers(self) -> int:
        """How many files are best read at the same time."""
        ...

    def listed(self) -> RunListing:
        """List all files. Called once, before `open`. Raises NoRun."""
        ...

    def open(self, path: str) -> RawIOBase:
        """Open a listed file, from any thread. Raises Unreadable, as reading may too."""
        ...

    def close(self) -> None: ...
