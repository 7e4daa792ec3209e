"""What a run can be handed over in. A medium is read and never written; what it says is hostile until it is proven."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import RawIOBase
from typing import Protocol

import msgspec

from shared.contracts.error_codes import SealCode


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is not as it was sealed. ``path`` is seen from the run's folder; ``code`` is stable."""

    path: str
    code: SealCode
    message: str


class FileInfo(msgspec.Struct, frozen=True, gc=False):
    """A file of the run. Names with an equal ``same`` are names of the same bytes, which are read once; ``order``: in
    which they are read fastest."""

    size_bytes: int
    same: str | int
    order: int = 0


@dataclass
class RunListing:
    """All files of a run, by path. ``objects``: those below ``objects/``, where captured bytes lie there too; None
    where they do not. A bucket reads them by their other names, and has them not among ``files``."""

    files: dict[str, FileInfo] = field(default_factory=dict[str, FileInfo])
    problems: list[Finding] = field(default_factory=list[Finding])
    objects: tuple[str, ...] | None = None


class Unreadable(Exception):
    """A file cannot be read; the words say why."""


class NoRun(Exception):
    """There is no run here to be checked; the words say why."""


class Medium(Protocol):
    @property
    def place(self) -> str:
        """What a person would call it."""
        ...

    @property
    def readers(self) -> int:
        """How many files it is best read at a time."""
        ...

    def listed(self) -> RunListing:
        """Called once, first. Raises NoRun."""
        ...

    def open(self, path: str) -> RawIOBase:
        """Of a file that was listed; from any thread. Raises Unreadable; so may reading."""
        ...

    def close(self) -> None: ...
